#pragma once

#include "engine/geometry/box.hpp"
#include "engine/model/topology.hpp"

#include <array>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera
{

/// A way through every molecule along what holds it together (bonds, constraints, rigid waters,
/// virtual sites): each atom but the first of a molecule stands behind one it is tied to.
struct MoleculeWalk {
    struct Stop {
        std::int32_t atom; ///< less the molecule's first one
        std::int32_t from; ///< an earlier stop's atom; the atom itself where a molecule begins
        friend auto operator<=>(const Stop&, const Stop&) = default;
    };
    struct Molecule {
        std::int32_t first_atom;
        std::int32_t way; ///< of `ways`
    };
    std::vector<Molecule> molecules;
    std::vector<std::vector<Stop>> ways; ///< those that differ
};
MoleculeWalk molecule_walk(const Topology& topology);

/// Whole numbers of cell vectors.
using CellShift = std::array<std::int32_t, 3>;

/// The shifts s that make molecules whole, each with its centre (mean of its atoms) in the cell
/// (fractions in [0, 1)):
/// x_i + s_i H. Tied atoms are brought to nearest images of each other, whatever images are given.
/// All zero in open space. Positions in nm, topology order.
std::vector<CellShift> whole_molecule_shifts(const MoleculeWalk& walk, const Box& box,
                                             std::span<const Vec3> positions);

} // namespace tessera
