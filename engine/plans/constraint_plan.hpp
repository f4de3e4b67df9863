#pragma once

#include "engine/model/topology.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace tessera
{

/// Which constraints hang together. Networks, their atoms and their constraints stand in topology
/// order: the order in which they are solved, whoever solves them.
struct ConstraintPlan {
    struct Bond {
        std::int32_t i, j; ///< rows of the network's atoms
        double length;     ///< nm
        friend bool operator==(const Bond&, const Bond&) = default;
    };

    /// Solved in closed form; no atom of them is in a network. Never null.
    std::shared_ptr<const std::vector<RigidWater>> waters =
        std::make_shared<const std::vector<RigidWater>>();
    RaggedList network_atoms;                ///< global atoms, one row a network
    std::vector<std::int64_t> first_bond{0}; ///< [networks + 1]
    std::vector<Bond> bonds;                 ///< of all networks, one after another

    /// Atoms that move as one: joined by constraints, a rigid water, a virtual site and its
    /// parents. Every atom is in exactly one group; a free atom is one by itself. Never null.
    std::shared_ptr<const RaggedList> update_groups = std::make_shared<const RaggedList>();

    /// Looks at the topology's waters, and at its molecules for groups, where these are the same,
    /// instead of holding them twice.
    void share_with(const std::shared_ptr<const Topology>& topology)
    {
        if (*waters == topology->rigid_waters) {
            waters = {topology, &topology->rigid_waters};
        }
        if (update_groups->offset == topology->molecules.offset &&
            update_groups->value == topology->molecules.value) {
            update_groups = {topology, &topology->molecules};
        }
    }

    [[nodiscard]] std::size_t networks() const { return network_atoms.rows(); }
    [[nodiscard]] bool empty() const { return waters->empty() && bonds.empty(); }
    /// Degrees of freedom that constraints take away.
    [[nodiscard]] std::int64_t constraints() const
    {
        return static_cast<std::int64_t>(3 * waters->size() + bonds.size());
    }
};

/// Throws InputError that names the atoms: a constraint without mass at an end, a length that is
/// not positive, two lengths for one pair, three that make no triangle.
ConstraintPlan make_constraint_plan(const Topology& topology);

/// Whether constraints, or a rigid water, hold an atom; [atoms].
std::vector<bool> constrained_atoms(const Topology& topology);

/// 3 N - constraints - 3 (the centre of mass at rest), of the N particles that have a mass.
double degrees_of_freedom(const Topology& topology, const ConstraintPlan& plan,
                          bool centre_of_mass_at_rest);

/// "atom 12 (HB2 of ALA 3)", numbered from 1 as files number them.
std::string describe_atom(const Topology& topology, std::int64_t atom);

} // namespace tessera
