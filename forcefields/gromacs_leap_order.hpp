#pragma once

#include "forcefields/gromacs_force_field.hpp"

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tessera
{

/// The order of the atoms of improper dihedrals in force fields that define
/// `_FF_AMBER_LEAP_ATOM_REORDERING` (GROMACS 2026, manual, "Force field: AMBER: Dihedrals"): as
/// LEaP of Amber orders them, which changes the angle that is measured.
///
/// With the types of the entry of the force field that matches (a blank for X): a dihedral with a
/// force constant is turned round when its first type sorts after its last, or, these being equal,
/// its second after its third. Then the first improper of its types stays as it is; one whose
/// types, or whose atom numbers, an earlier improper had (over all molecules, in the order of the
/// file) has the three atoms around the third sorted by type and number.
class GromacsLeapOrder {
public:
    /// Orders `atoms`; `bonded` are their types and `entry` the one that find_bonded() gives.
    void apply(const GromacsForceField& force_field, const BondedFunction& function,
               const BondedTypeTable::Entry& entry, const std::vector<std::int32_t>& bonded,
               std::vector<std::int32_t>& atoms);

private:
    std::set<std::pair<int, std::array<std::string, 4>>> seen_types_; ///< with the function type
    std::set<std::pair<int, std::array<std::int32_t, 4>>> seen_atoms_;
};

} // namespace tessera
