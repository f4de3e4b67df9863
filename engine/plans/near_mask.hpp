#pragma once

#include "engine/plans/cluster_pair_list.hpp"

#include <cstdint>
#include <span>

namespace tessera
{

/// Appends the clusters that hold an atom within a distance of one of the row's four, each with its
/// bits of near pairs (ClusterPairList). `x`: [3][4], x of the row's atoms, y, z; `packed`:
/// [clusters][3][4], nm. `out` has room for all candidates; returns how many were appended.
/// The square of the distance is (dx^2 + dy^2) + dz^2, unfused: every instruction set gives the
/// same.
std::size_t find_near(const double* x, std::span<const std::int32_t> candidates,
                      const double* packed, double radius2, ClusterPairList::Column* out);

} // namespace tessera
