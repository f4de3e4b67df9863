#pragma once

#include "engine/backend/sums.hpp"
#include "engine/geometry/box.hpp"
#include "engine/model/topology.hpp"
#include "engine/plans/settings.hpp"

#include <span>

namespace tessera
{

/// Adds forces, energies (lj, coulomb_real) and virial of all pairs within the cut-off that are not
/// excluded, without corrections of excluded pairs and self terms: what Nonbonded adds, evaluated
/// another way to judge it by. Plain cells of half the cut-off instead of clusters, all pairs in
/// open space, one pair at a time, erfc of the C++ library, always FP64; nothing is kept between
/// calls. Shared with the production path are only the formulas of engine/physics/pair and the
/// constants of make_pair_form.
///
/// About 150 ns a pair within the cut-off. Throws InputError where the cut-off exceeds half the
/// shortest height of the cell.
void add_reference_pairs(const Topology& topology, const NonbondedSettings& settings,
                         const Box& box, std::span<const Vec3> positions, int threads,
                         ForceSums& forces, EnergySums& energies);

} // namespace tessera
