#pragma once

#include "engine/geometry/box.hpp"
#include "engine/model/topology.hpp"
#include "engine/plans/cluster_order.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera
{

/// Pairs of clusters, each with a bit per pair of atoms: bit 4 a + b is the pair of the row's a-th
/// and the column's b-th atom. A half list: each pair of atoms and each image of it stands once.
///
/// A pair is on the list if and only if the distance of its atoms at the search was below `radius`
/// and it is not excluded; x_i + shift - x_j, shift = k_x a + k_y b + k_z c, is the image meant.
/// Any triclinic cell and any radius: shifts are explicit, nothing is assumed of a nearest image.
struct ClusterPairList {
    struct Column {
        std::int32_t cluster;
        std::uint32_t mask;
        friend bool operator==(const Column&, const Column&) = default;
    };
    struct Row {
        std::int32_t cluster;
        std::int32_t shift; ///< index into `shifts`
        std::int64_t begin, end;
    };

    ClusterOrder order;
    double radius = 0;
    std::vector<std::array<int, 3>> shifts; ///< shifts[0] = 0
    std::vector<Row> rows; ///< by groups of clusters, then by shift, then by cluster
    std::vector<Column> columns;

    /// No finite radius: every pair of atoms counts and no row is stored. columns_of() makes the
    /// columns of one cluster, so memory stays linear in the atoms.
    bool all_pairs = false;
    /// Excluded pairs of cluster c: masked_begin[c] .. masked_begin[c + 1] in `masked`, the set
    /// bits being the pairs that must not be counted; ascending by cluster.
    std::vector<std::int64_t> masked_begin;
    std::vector<Column> masked;

    /// Of `shifts`, nm.
    [[nodiscard]] std::vector<Vec3> shift_vectors(const Box& box) const;

    /// Every pair of cluster c with itself and with later ones, for all_pairs.
    void columns_of(std::int32_t cluster, std::vector<Column>& columns) const;

    /// Bits of the pairs a < b of one cluster with itself.
    static constexpr std::uint32_t upper_triangle = 0b0000'1000'1100'1110U;
};

/// `positions` are any images near the cell (the canonical ones keep the tree tight); a radius that
/// is infinite needs open space. Threads do not reach the result.
ClusterPairList make_cluster_pair_list(const Box& box, std::span<const Vec3> positions,
                                       const RaggedList& exclusions, double radius, int threads);

/// The same in two parts: all but rows, columns and the masks of excluded pairs, which only a list
/// of all pairs has; and these, at the same box and positions.
ClusterPairList make_empty_pair_list(const Box& box, std::span<const Vec3> positions,
                                     const RaggedList& exclusions, double radius, int threads);
void find_rows(const Box& box, std::span<const Vec3> positions, const RaggedList& exclusions,
               int threads, ClusterPairList& list);

} // namespace tessera
