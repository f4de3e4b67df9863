#pragma once

#include "engine/math/vec3.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tessera
{

/// Atoms in groups of four near each other. Slot s belongs to cluster s/4; the slots after the last
/// atom are null (atom -1). The order follows from the positions alone: halving along the longest
/// side, ties by atom number, then swaps that tighten the clusters of a node.
struct ClusterOrder {
    static constexpr int width = 4;
    std::vector<std::int32_t> atom_of_slot; ///< [4 * clusters]
    std::vector<std::int32_t> slot_of_atom; ///< [atoms]

    /// A node of the tree of halves holds the clusters [first, last) and the box of their atoms.
    struct Node {
        std::int32_t first, last;
        std::int32_t left = -1, right = -1; ///< children; -1: a single cluster
        Vec3 low, high;
    };
    std::vector<Node> nodes; ///< nodes[0] is the root; empty without atoms

    [[nodiscard]] std::int32_t clusters() const
    {
        return static_cast<std::int32_t>(atom_of_slot.size() / width);
    }
};
/// Threads do not reach the result.
ClusterOrder make_cluster_order(std::span<const Vec3> positions, int threads = 1);

} // namespace tessera
