#pragma once

#include "engine/model/topology.hpp"
#include "forcefields/amber_sections.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

/// The parts that read_amber_topology() is put together from. Each reads its sections, notes faults
/// in them and adds to the topology; indices of a faulty section are never used.
namespace tessera::amber
{

/// The POINTERS section under names; counts.
struct Pointers {
    std::int64_t atoms = 0, types = 0;
    std::int64_t bonds_hydrogen = 0, bonds_other = 0;
    std::int64_t angles_hydrogen = 0, angles_other = 0;
    std::int64_t dihedrals_hydrogen = 0, dihedrals_other = 0;
    std::int64_t excluded = 0, residues = 0;
    std::int64_t bond_types = 0, angle_types = 0, dihedral_types = 0, hydrogen_bond_types = 0;
    std::int64_t perturbed = 0, box = 0, cap = 0, extra_points = 0;
};

/// What every part needs.
struct Source {
    AmberSections& file;
    Pointers pointers;
    bool chamber = false;
    std::vector<std::uint8_t> is_extra_point; ///< [atoms]; 0: an atom

    [[nodiscard]] std::size_t atoms() const { return static_cast<std::size_t>(pointers.atoms); }
};

/// Pair tables by type: index of each pair of types into coefficients (kJ/mol nm^12, nm^6); 0: no
/// Lennard-Jones.
struct PairCoefficients {
    std::int32_t types = 0;
    std::vector<std::int64_t> index; ///< [types][types], from 1; 0 none
    std::vector<double> a, b;        ///< U = a/r^12 - b/r^6
    std::vector<double> a14, b14;    ///< of 1-4 pairs: the same ones but in chamber files
    std::vector<double> c;           ///< 12-6-4, kJ/mol nm^4; empty: none

    [[nodiscard]] std::int64_t at(std::int32_t i, std::int32_t j) const
    {
        return index[static_cast<std::size_t>(i) * static_cast<std::size_t>(types) +
                     static_cast<std::size_t>(j)];
    }
};

PairCoefficients read_pair_coefficients(const Source& source);
/// Fills topology.pairs; sigma and epsilon of a type from its pair with itself.
void add_pair_table(const PairCoefficients& pairs, Topology& topology);
void add_exclusions(const Source& source, Topology& topology);

/// Fills `atom` with the atoms (from 0) of one term; `coordinate` has as many indices (3 x atom),
/// which stand in the section `flag` from `place` on. False after a fault, which is noted: an index
/// of no atom, or an atom that stands twice.
bool read_atoms(const Source& source, std::string_view flag, std::int64_t place,
                std::span<const std::int64_t> coordinate, std::span<std::int32_t> atom);

/// A bond as the file has it; atoms from 0.
struct Bond {
    std::int32_t i, j, type;
    bool with_hydrogen;
};

std::vector<Bond> add_bonds(const Source& source, Topology& topology);
/// Angles, with their Urey-Bradley parts in chamber files.
void add_angles(const Source& source, Topology& topology);
/// Dihedrals, impropers, and the 1-4 pairs that they carry.
void add_dihedrals(const Source& source, const PairCoefficients& pairs, Topology& topology);
void add_charmm_impropers(const Source& source, Topology& topology);
void add_correction_maps(const Source& source, Topology& topology);

/// Marks the extra points: atom type EP, or no mass.
std::vector<std::uint8_t> find_extra_points(const Topology& topology,
                                            const std::vector<std::string>& amber_types);
/// Makes virtual sites of them; needs the bonds.
void add_extra_points(const Source& source, const std::vector<Bond>& bonds, Topology& topology);

/// The element that mass (u) and name agree on; where they do not, as with masses moved to the
/// hydrogens, the name's first letter decides for H C N O P S, else the mass. 0: neither helps.
std::int32_t element_of(double mass, const std::string& name);

} // namespace tessera::amber
