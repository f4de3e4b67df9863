#pragma once

#include "engine/base/type_list.hpp"
#include "engine/math/vec3.hpp"
#include "engine/model/names.hpp"
#include "engine/model/term_table.hpp"
#include "engine/physics/listed_terms.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace tessera
{

enum class ParticleKind : std::uint8_t { atom, virtual_site, shell };

/// Lennard-Jones parameters of every pair of types, symmetric, row-major [types][types]:
/// U = c12/r^12 - c6/r^6 - c4/r^4. Units: kJ/mol nm^6, nm^12, nm^4.
struct PairTable {
    std::int32_t types = 0;
    std::vector<double> c6, c12;
    std::vector<double> c4;             ///< empty, or the 12-6-4 coefficients
    std::vector<double> sigma, epsilon; ///< per type, nm and kJ/mol: for LJ-PME with
                                        ///< Lorentz-Berthelot. Zero where a type has no LJ
    std::vector<std::string> type_names;

    [[nodiscard]] std::size_t at(std::int32_t a, std::int32_t b) const
    {
        return static_cast<std::size_t>(a) * static_cast<std::size_t>(types) +
               static_cast<std::size_t>(b);
    }
    [[nodiscard]] bool has_c4() const { return !c4.empty(); }
};

/// Lists of different lengths, one a row (compressed rows).
struct RaggedList {
    std::vector<std::int64_t> offset{0}; ///< [rows + 1]
    std::vector<std::int32_t> value;

    [[nodiscard]] std::size_t rows() const { return offset.size() - 1; }
    [[nodiscard]] const std::int32_t* begin(std::size_t row) const
    {
        return value.data() + offset[row];
    }
    [[nodiscard]] const std::int32_t* end(std::size_t row) const
    {
        return value.data() + offset[row + 1];
    }
    [[nodiscard]] std::size_t length(std::size_t row) const
    {
        return static_cast<std::size_t>(offset[row + 1] - offset[row]);
    }
    void add_row(const std::vector<std::int32_t>& row)
    {
        value.insert(value.end(), row.begin(), row.end());
        offset.push_back(static_cast<std::int64_t>(value.size()));
    }
};

struct DistanceConstraint {
    std::int32_t i, j;
    double length; ///< nm
    friend bool operator==(const DistanceConstraint&, const DistanceConstraint&) = default;
};

/// A rigid three-site water: o-h1, o-h2 at d_oh, h1-h2 at d_hh (nm).
struct RigidWater {
    std::int32_t o, h1, h2;
    double d_oh, d_hh;
    friend bool operator==(const RigidWater&, const RigidWater&) = default;
};

/// How a virtual site follows its parents p0, p1, ... ; names follow the GROMACS manual, "Virtual
/// interaction sites".
enum class VirtualSiteKind : std::uint8_t {
    site2,    ///< x = (1 - a) p0 + a p1                                            [a]
    site2fd,  ///< x = p0 + d (p1 - p0)/|p1 - p0|                                   [d nm]
    site3,    ///< x = p0 + a (p1 - p0) + b (p2 - p0)                               [a, b]
    site3fd,  ///< r = (1 - a) r01 + a r02 ... x = p0 + d r/|r|, r = r01 + a r12    [a, d nm]
    site3fad, ///< in the plane of p0 p1 p2, at d and theta from p0                 [d nm, theta
              ///< rad]
    site3out, ///< x = p0 + a r01 + b r02 + c r01 x r02                             [a, b, c nm^-1]
    site4fdn, ///< x = p0 + c rm/|rm|, rm = (a r02 - r01) x (b r03 - r01)           [a, b, c nm]
    siten     ///< x = sum_k w_k p_k, weights sum to 1 (also copies and centres of mass)
};

struct VirtualSite {
    VirtualSiteKind kind;
    std::int32_t site;
    std::vector<std::int32_t> parents;
    std::vector<double> parameters; ///< as listed above; siten: the weights
};

template <class Term>
using TermTableOf = TermTable<Term>;

/// What the system is made of, without its coordinates: in FP64, never changed after finish().
/// Atoms are numbered from 0 in file order.
struct Topology {
    std::string title;

    // atoms, [atoms] each
    std::vector<double> mass;       ///< u; 0 for virtual sites and shells
    std::vector<double> charge;     ///< e
    std::vector<std::int32_t> type; ///< row of `pairs`
    Names atom_name;
    std::vector<std::int32_t> residue;       ///< index into `residues`
    std::vector<std::int32_t> atomic_number; ///< 0 unknown
    std::vector<ParticleKind> kind;
    std::vector<std::int32_t> number; ///< in the whole system, from 0; empty: this is the whole
    std::vector<std::uint8_t> is_hydrogen; ///< by the format's own rule for "h-bonds" constraints

    Residues residues;
    PairTable pairs;
    double coulomb_constant = 0;       ///< kJ/mol nm/e^2: the format's own, or the user's choice
    std::int32_t combination_rule = 2; ///< 1 geometric C6/C12, 2 Lorentz-Berthelot, 3 geometric
                                       ///< sigma/epsilon, 0 pair table given

    ListedTerms::tuple_of<TermTableOf> terms;
    std::vector<std::array<std::int32_t, 2>>
        bonds; ///< chemical connectivity, for files and molecules; i < j, sorted, unique
    RaggedList exclusions; ///< [atoms] rows: every excluded partner, both ways, sorted, without the
                           ///< atom itself
    std::vector<DistanceConstraint> constraints;
    std::vector<RigidWater> rigid_waters;
    std::vector<VirtualSite> virtual_sites; ///< a site comes after the sites it is built from

    RaggedList molecules; ///< made by finish(): what bonds, terms of bond type, constraints, rigid
                          ///< waters, virtual sites connect

    /// What runs cannot do with it though energies can ("shells": reason), for a refusal by name.
    std::vector<std::string> dynamics_refusals;
    /// Remarks of the reader: what was unusual but legal (net charge, names that differ, ...).
    std::vector<std::string> warnings;

    [[nodiscard]] std::int32_t atoms() const { return static_cast<std::int32_t>(mass.size()); }
    template <class Term>
    [[nodiscard]] TermTable<Term>& table()
    {
        return std::get<TermTable<Term>>(terms);
    }
    template <class Term>
    [[nodiscard]] const TermTable<Term>& table() const
    {
        return std::get<TermTable<Term>>(terms);
    }
};

/// The atom's number in the whole system, from 0.
inline std::int32_t number_of(const Topology& topology, std::size_t atom)
{
    return topology.number.empty() ? static_cast<std::int32_t>(atom) : topology.number[atom];
}

/// Checks the invariants (indices in range, exclusions symmetric, sizes agree, sites ordered),
/// merges equal parameters, makes `bonds` unique and `molecules`. Throws InputError that names the
/// atom or entry. After this the topology is shared and constant.
std::shared_ptr<const Topology> finish(Topology topology);

enum class ConstraintChoice : std::uint8_t { none, h_bonds, all_bonds };

/// Turns bond terms (HarmonicBond, G96Bond, MorseBond, CubicBond: GROMACS bonds 1-4) into
/// constraints; the converted bond drops out of the energy.
Topology with_constrained_bonds(Topology topology, ConstraintChoice choice);

/// Finds flexible three-site waters (one O, two H, in one molecule with optional virtual sites;
/// O-H, O-H and perhaps H-H bonds or one angle) and makes them RigidWater: their bonds and angles
/// leave the energy. d_hh from the H-H bond, else from the angle.
Topology with_rigid_waters(Topology topology);

} // namespace tessera
