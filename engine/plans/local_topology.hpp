#pragma once

#include "engine/model/topology.hpp"
#include "engine/plans/domain_plan.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tessera
{

/// Of a whole topology: what begins with an atom, and the update groups, so that a rank finds what
/// concerns its atoms without a look at the others.
struct TopologyIndex {
    explicit TopologyIndex(const Topology& topology);

    RaggedList groups;               ///< update groups (ConstraintPlan)
    std::vector<std::int32_t> group; ///< [atoms]
    std::vector<std::int32_t> key;   ///< [groups], the first atom that is no site
    std::vector<RaggedList>
        terms; ///< entries by their first atom; one a term kind, empty where it has none
    RaggedList constraints;   ///< by their first atom
    RaggedList rigid_waters;  ///< by the oxygen
    RaggedList virtual_sites; ///< by the site
};

/// A rank's part of a topology, in its own numbering (ascending, as the whole): its atoms and
/// ghosts, and the terms, sites, constraints and corrections of excluded pairs that it computes.
/// Parameters and pair table are the whole's. Ghosts have no mass: nothing moves them but the word
/// of their owners.
struct LocalTopology {
    Topology topology;
    DomainOwner owner;
    RaggedList corrected; ///< excluded pairs whose correction this rank makes, [local atoms], j > i

    [[nodiscard]] const std::vector<std::int32_t>& global() const { return topology.number; }
    [[nodiscard]] bool is_own(std::size_t atom) const
    {
        return owner.is_own(static_cast<std::int32_t>(atom));
    }
    /// Of an atom of the whole; -1: the rank does not know it. `near`: a local atom in whose
    /// neighbourhood it is looked for first.
    [[nodiscard]] std::int32_t local_of(std::int32_t atom, std::size_t near = 0) const;
};

/// `global`: the atoms that the rank knows, ascending, whole update groups; `canonical`: their
/// images in the brick, sites in place.
LocalTopology make_local_topology(const Topology& whole, const TopologyIndex& index,
                                  const DomainCut& cut, std::vector<std::int32_t> global,
                                  std::span<const Vec3> canonical, int rank);

/// Of the terms, excluded pairs and groups of a topology or a rank's part of it.
Extents measure_extents(const Topology& topology, const TopologyIndex& index, const Box& box,
                        std::span<const Vec3> canonical);
/// The larger of both, one by one.
Extents larger(const Extents& a, const Extents& b);

} // namespace tessera
