#pragma once

#include "forcefields/gromacs_molecule.hpp"

#include <span>
#include <string_view>

namespace tessera
{

/// Where a directive may stand. A stage, once left, does not come back.
enum class GromacsStage { start, types, molecule, system, molecules, intermolecular };

enum class GromacsAction {
    defaults,
    atom_types,
    bond_types,
    angle_types,
    dihedral_types,
    constraint_types,
    pair_types,
    nonbonded,
    cmap_types,
    obsolete,
    molecule_type,
    section,
    system,
    molecules,
    intermolecular,
    unknown
};

/// One directive of a topology file.
struct GromacsDirective {
    std::string_view name;
    GromacsAction action;
    GromacsStage stage;
    GromacsSection section = GromacsSection::atoms;
};

/// All directives that are known.
std::span<const GromacsDirective> gromacs_directives();

/// By its name, which compares without case, '-' and '_'; null where there is none.
const GromacsDirective* find_directive(std::string_view name);

} // namespace tessera
