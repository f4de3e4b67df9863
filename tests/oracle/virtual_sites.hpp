#pragma once

#include "engine/model/topology.hpp"
#include "tests/oracle/answer.hpp"

#include <vector>

namespace tessera::oracle
{

/// Positions with every virtual site put where its parents say, in list order.
std::vector<Vec3> with_sites_built(const Topology& topology, const Cell& cell,
                                   std::vector<Vec3> positions);

/// Moves the gradient of every site to its parents by the derivative of the building rule, and
/// corrects the virial for a site that does not follow a strain as a free atom would.
void spread_sites(Answer& answer, const Topology& topology, const Cell& cell,
                  const std::vector<Vec3>& positions);

} // namespace tessera::oracle
