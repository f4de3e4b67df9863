#pragma once

#include "engine/model/topology.hpp"
#include "forcefields/gromacs_force_field.hpp"
#include "forcefields/gromacs_leap_order.hpp"
#include "forcefields/gromacs_repeats.hpp"

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tessera
{

/// One [ moleculetype ]: a topology of its own, atoms numbered from 0. `parts.type` numbers the
/// atom types of the force field; `parts.pairs` is empty.
struct GromacsMolecule {
    std::string name;
    LineOrigin origin;
    int exclusion_bonds = 0; ///< nrexcl
    Topology parts;
    std::vector<std::int32_t> bonded; ///< bonded type of each atom

    /// What the engine cannot do, by name; faults only where the system holds the molecule.
    std::vector<Diagnostic> refusals;
};

/// The sections of a molecule, and of [ intermolecular_interactions ].
enum class GromacsSection {
    atoms,
    bonds,
    pairs,
    pairs_nb,
    angles,
    dihedrals,
    cmap,
    exclusions,
    constraints,
    settles,
    virtual_sites1,
    virtual_sites2,
    virtual_sites3,
    virtual_sites4,
    virtual_sitesn,
    position_restraints,
    distance_restraints,
    dihedral_restraints,
    angle_restraints,
    angle_restraints_z,
    orientation_restraints,
    polarization,
    water_polarization,
    thole_polarization
};

/// Reads the lines of one molecule's sections. The molecule is whole after finish().
class GromacsMoleculeReader {
public:
    /// `leap_order` remembers the impropers of all molecules. `between_molecules`: the lines stand
    /// in [ intermolecular_interactions ], and `molecule` is the whole system.
    GromacsMoleculeReader(GromacsMolecule& molecule, const GromacsForceField& force_field,
                          const GromacsReport& report, double coulomb_constant,
                          GromacsLeapOrder& leap_order, bool between_molecules = false)
        : molecule_(molecule), force_field_(force_field), report_(report),
          coulomb_constant_(coulomb_constant), leap_order_(leap_order),
          between_molecules_(between_molecules)
    {
    }

    void read(GromacsSection section, const GromacsRow& row);

    /// Checks what only the whole molecule shows (sites without construction, settles), makes the
    /// exclusions.
    void finish();

private:
    using Atoms = std::vector<std::int32_t>;

    void read_atom(const GromacsRow& row);
    void read_bonded(BondedFamily family, const GromacsRow& row);
    [[nodiscard]] std::vector<std::int32_t> bonded_of(const Atoms& atoms) const;
    void look_up(const BondedFunction& function, const Atoms& atoms, const Atoms& ordered,
                 const GromacsRow& row);
    void add(const BondedFunction& function, const Atoms& atoms, std::span<const double> parameters,
             const GromacsRow& row);
    void tell_unlikely() const;
    void read_exclusions(const GromacsRow& row);
    void read_pair(const GromacsRow& row);
    void read_nonbonded_pair(const GromacsRow& row);
    void read_cmap(const GromacsRow& row);
    void read_position_restraint(const GromacsRow& row);
    void read_polarization(const GromacsRow& row);
    void read_water_polarization(const GromacsRow& row);
    void read_thole_polarization(const GromacsRow& row);
    void read_settles(const GromacsRow& row);
    void read_site(int parents, const GromacsRow& row);
    void read_site_of_many(const GromacsRow& row);

    void finish_sites();
    void finish_settles();
    void warn_of_open_waters();
    void finish_exclusions();

    [[nodiscard]] std::optional<Atoms> atoms_of_row(const GromacsRow& row, std::size_t count) const;
    [[nodiscard]] std::optional<std::int32_t> atom_at(const GromacsRow& row, std::size_t at) const;
    [[nodiscard]] std::string atom_text(std::int32_t atom) const;
    void add_site(VirtualSiteKind kind, std::int32_t site, std::vector<std::int32_t> parents,
                  std::vector<double> parameters, const GromacsRow& row);
    void add_lennard_jones14(const Atoms& atoms, const LjCoefficients& lj);
    void add_coulomb14(const Atoms& atoms, double strength);
    void refuse(const GromacsRow& row, std::string_view token, std::string what,
                std::string hint = {});

    GromacsMolecule& molecule_;
    const GromacsForceField& force_field_;
    const GromacsReport& report_;
    double coulomb_constant_;
    GromacsLeapOrder& leap_order_;
    bool between_molecules_;
    bool has_unknown_type_ = false; ///< look-ups would tell of nothing else

    std::vector<std::array<std::int32_t, 2>> exclusion_links_; ///< bonds that exclusions follow
    std::vector<std::array<std::int32_t, 2>> explicit_exclusions_;
    struct SeenPair {
        std::vector<double> parameters;
        LineOrigin origin;
    };
    /// Refuses a second length for one pair; `constraint` is the pair's of this row.
    void note_length(const GromacsRow& row, const DistanceConstraint& constraint);
    struct SeenLength {
        double length;
        LineOrigin origin;
    };
    std::map<std::array<std::int32_t, 2>, SeenLength> seen_lengths_; ///< of constraints and settles
    std::map<std::array<std::int32_t, 3>, SeenPair> seen_pairs_;     ///< smaller, larger, function
    struct SettleLine {
        std::int32_t first;
        GromacsRow row;
    };
    std::vector<SettleLine> settles_;
    std::vector<LineOrigin> atom_origins_;
    GromacsRepeats repeats_;
    struct UnlikelyLines {
        GromacsRow first;
        std::string why; ///< of the first
        std::size_t count = 0;
    };
    std::map<BondedFamily, UnlikelyLines> unlikely_;
    std::set<std::int32_t> built_sites_;
    std::map<const Cmap*, std::int32_t> cmap_parameters_;
};

} // namespace tessera
