#pragma once

#include "engine/geometry/box.hpp"
#include "engine/model/topology.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera
{

/// The cell cut into slabs of equal height along its third vector, one a rank: who owns an atom,
/// who knows of it, and who computes a pair or a term. A value: made from positions alone, the same
/// on every rank.
///
/// Slabs are numbered from 0 and go on beyond the cell: slab s + ranks is the image of slab s. Of
/// the atoms of a pair or term (each next to the first), the rank of the lowest slab computes it:
/// the eighth-shell rule in one dimension (ADR 0008). So a rank needs ghosts from above only.
struct SlabPlan {
    int ranks = 1;
    double height = 0;               ///< c_z, nm
    double reach = 0;                ///< how far above its slab a rank must know atoms, nm
    std::vector<std::int32_t> owner; ///< [atoms], rank; update groups stay together
    std::vector<std::int32_t> slab;  ///< [atoms], of the canonical image: owner +- ranks k

    /// Atoms that a rank knows, ascending: its own and its ghosts.
    std::vector<std::vector<std::int32_t>> known; ///< [ranks]

    /// Who computes the pair of the canonical images x_i + (.., .., shift_z) - x_j.
    [[nodiscard]] int rank_of_pair(std::int32_t i, std::int32_t j, int shift_z) const
    {
        return wrapped(std::min(slab[static_cast<std::size_t>(i)] + ranks * shift_z,
                                slab[static_cast<std::size_t>(j)]));
    }
    [[nodiscard]] int wrapped(int any_slab) const { return (any_slab % ranks + ranks) % ranks; }
};

/// Who computes a term: each atom is taken next to the first.
int rank_of_term(const SlabPlan& plan, const Box& box, std::span<const Vec3> canonical,
                 std::span<const std::int32_t> atoms);

/// `canonical`: images in the brick 0 <= z < c_z, sites in place; `groups` are update groups
/// (ConstraintPlan); `cutoff` is the largest one of pairs. Throws InputError without a cell.
SlabPlan make_slab_plan(const Topology& topology, const RaggedList& groups, const Box& box,
                        std::span<const Vec3> canonical, double cutoff, int ranks);

/// A rank's part of a topology, in its own numbering (ascending, as the whole): its atoms and
/// ghosts, and the terms, sites and corrections of excluded pairs that it computes. Parameters and
/// pair table are the whole's.
struct LocalTopology {
    Topology topology;
    std::vector<std::int32_t> global; ///< [local atoms]
    std::vector<std::uint8_t> owned;  ///< [local atoms]
    RaggedList corrected; ///< excluded pairs whose correction this rank makes, [local atoms], j > i
};

/// Throws ContractViolation when a term needs an atom that the rank does not know.
LocalTopology make_local_topology(const Topology& topology, const SlabPlan& plan, const Box& box,
                                  std::span<const Vec3> canonical, int rank);

} // namespace tessera
