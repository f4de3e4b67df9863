#pragma once

#include "engine/model/topology.hpp"
#include "forcefields/gromacs_molecule.hpp"

#include <map>

namespace tessera
{

/// Puts copies of molecules one after the other into one topology.
class GromacsExpansion {
public:
    /// Appends `count` copies. Parameters are stored once a molecule type. Molecules of one residue
    /// get residue numbers that count on (`first_free_residue`), as a run's own files number them.
    void append(const GromacsMolecule& molecule, long long count);

    /// Residues of molecules of one residue are numbered from here.
    int first_free_residue = 1;
    Topology whole;

private:
    std::map<const GromacsMolecule*, std::vector<std::int32_t>> parameter_offsets_;
};

/// Numbers atom types anew (those in use, in the order of the force field) and makes the table of
/// their pairs.
void make_pair_table(Topology& topology, const GromacsForceField& force_field);

} // namespace tessera
