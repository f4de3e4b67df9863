#pragma once

#include "tests/oracle/answer.hpp"
#include "tests/oracle/nonbonded.hpp"

namespace tessera::oracle
{

/// Every listed term of the topology.
void add_listed(Answer& answer, const Topology& topology, const Cell& cell,
                std::span<const Vec3> positions);

/// The whole potential: sites built, terms, pairs, waves, tail, forces of sites spread.
Answer evaluate(const Topology& topology, const NonbondedSettings& settings, const Cell& cell,
                std::span<const Vec3> positions);

} // namespace tessera::oracle
