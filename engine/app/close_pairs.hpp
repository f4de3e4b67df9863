#pragma once

#include "engine/geometry/box.hpp"
#include "engine/model/topology.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera
{

/// A pair of atoms that are neither excluded nor virtual, closer than `limit` (nm).
struct ClosePair {
    std::int32_t i = -1, j = -1;
    double distance = 0;
};

/// Pairs closer than `limit` in the nearest image, at most `most`, nearest first. Cost: atoms times
/// those in cells of 4 limit around each. With more than a million such pairs (atoms without
/// sensible positions) the nearest of the first million.
std::vector<ClosePair> close_pairs(const Topology& topology, const Box& box,
                                   const std::vector<Vec3>& positions, double limit,
                                   std::size_t most);

} // namespace tessera
