#include "forcefields/gromacs_directives.hpp"

#include <array>

namespace tessera
{

namespace
{

constexpr std::array directives = {
    GromacsDirective{"defaults", GromacsAction::defaults, GromacsStage::types},
    GromacsDirective{"atomtypes", GromacsAction::atom_types, GromacsStage::types},
    GromacsDirective{"bondtypes", GromacsAction::bond_types, GromacsStage::types},
    GromacsDirective{"constrainttypes", GromacsAction::constraint_types, GromacsStage::types},
    GromacsDirective{"pairtypes", GromacsAction::pair_types, GromacsStage::types},
    GromacsDirective{"angletypes", GromacsAction::angle_types, GromacsStage::types},
    GromacsDirective{"dihedraltypes", GromacsAction::dihedral_types, GromacsStage::types},
    GromacsDirective{"nonbond_params", GromacsAction::nonbonded, GromacsStage::types},
    GromacsDirective{"cmaptypes", GromacsAction::cmap_types, GromacsStage::types},
    GromacsDirective{"implicit_genborn_params", GromacsAction::obsolete, GromacsStage::types},
    GromacsDirective{"implicit_surface_params", GromacsAction::obsolete, GromacsStage::types},
    GromacsDirective{"moleculetype", GromacsAction::molecule_type, GromacsStage::molecule},
    GromacsDirective{"atoms", GromacsAction::section, GromacsStage::molecule,
                     GromacsSection::atoms},
    GromacsDirective{"bonds", GromacsAction::section, GromacsStage::molecule,
                     GromacsSection::bonds},
    GromacsDirective{"pairs", GromacsAction::section, GromacsStage::molecule,
                     GromacsSection::pairs},
    GromacsDirective{"pairs_nb", GromacsAction::section, GromacsStage::molecule,
                     GromacsSection::pairs_nb},
    GromacsDirective{"angles", GromacsAction::section, GromacsStage::molecule,
                     GromacsSection::angles},
    GromacsDirective{"dihedrals", GromacsAction::section, GromacsStage::molecule,
                     GromacsSection::dihedrals},
    GromacsDirective{"cmap", GromacsAction::section, GromacsStage::molecule, GromacsSection::cmap},
    GromacsDirective{"exclusions", GromacsAction::section, GromacsStage::molecule,
                     GromacsSection::exclusions},
    GromacsDirective{"constraints", GromacsAction::section, GromacsStage::molecule,
                     GromacsSection::constraints},
    GromacsDirective{"settles", GromacsAction::section, GromacsStage::molecule,
                     GromacsSection::settles},
    GromacsDirective{"virtual_sites1", GromacsAction::section, GromacsStage::molecule,
                     GromacsSection::virtual_sites1},
    GromacsDirective{"virtual_sites2", GromacsAction::section, GromacsStage::molecule,
                     GromacsSection::virtual_sites2},
    GromacsDirective{"virtual_sites3", GromacsAction::section, GromacsStage::molecule,
                     GromacsSection::virtual_sites3},
    GromacsDirective{"virtual_sites4", GromacsAction::section, GromacsStage::molecule,
                     GromacsSection::virtual_sites4},
    GromacsDirective{"virtual_sitesn", GromacsAction::section, GromacsStage::molecule,
                     GromacsSection::virtual_sitesn},
    GromacsDirective{"dummies1", GromacsAction::section, GromacsStage::molecule,
                     GromacsSection::virtual_sites1},
    GromacsDirective{"dummies2", GromacsAction::section, GromacsStage::molecule,
                     GromacsSection::virtual_sites2},
    GromacsDirective{"dummies3", GromacsAction::section, GromacsStage::molecule,
                     GromacsSection::virtual_sites3},
    GromacsDirective{"dummies4", GromacsAction::section, GromacsStage::molecule,
                     GromacsSection::virtual_sites4},
    GromacsDirective{"dummiesn", GromacsAction::section, GromacsStage::molecule,
                     GromacsSection::virtual_sitesn},
    GromacsDirective{"position_restraints", GromacsAction::section, GromacsStage::molecule,
                     GromacsSection::position_restraints},
    GromacsDirective{"distance_restraints", GromacsAction::section, GromacsStage::molecule,
                     GromacsSection::distance_restraints},
    GromacsDirective{"dihedral_restraints", GromacsAction::section, GromacsStage::molecule,
                     GromacsSection::dihedral_restraints},
    GromacsDirective{"angle_restraints", GromacsAction::section, GromacsStage::molecule,
                     GromacsSection::angle_restraints},
    GromacsDirective{"angle_restraints_z", GromacsAction::section, GromacsStage::molecule,
                     GromacsSection::angle_restraints_z},
    GromacsDirective{"orientation_restraints", GromacsAction::section, GromacsStage::molecule,
                     GromacsSection::orientation_restraints},
    GromacsDirective{"polarization", GromacsAction::section, GromacsStage::molecule,
                     GromacsSection::polarization},
    GromacsDirective{"water_polarization", GromacsAction::section, GromacsStage::molecule,
                     GromacsSection::water_polarization},
    GromacsDirective{"thole_polarization", GromacsAction::section, GromacsStage::molecule,
                     GromacsSection::thole_polarization},
    GromacsDirective{"system", GromacsAction::system, GromacsStage::system},
    GromacsDirective{"molecules", GromacsAction::molecules, GromacsStage::molecules},
    GromacsDirective{"intermolecular_interactions", GromacsAction::intermolecular,
                     GromacsStage::intermolecular},
};

} // namespace

std::span<const GromacsDirective> gromacs_directives()
{
    return directives;
}

const GromacsDirective* find_directive(std::string_view name)
{
    const std::string wanted = normalized_name(name);
    for (const GromacsDirective& one : directives) {
        if (normalized_name(one.name) == wanted) {
            return &one;
        }
    }
    return nullptr;
}

} // namespace tessera
