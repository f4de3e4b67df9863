#pragma once

#include "engine/math/constants.hpp"
#include "engine/model/topology.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace tessera
{

struct GromacsTopologyOptions {
    std::vector<std::filesystem::path> include; ///< searched after the including file's own folder
    std::vector<std::string> defines;           ///< "NAME" or "NAME=VALUE"
    double coulomb_constant = constants::coulomb_gromacs; ///< kJ/mol nm/e^2
    /// Asked with the number of atoms before molecules are copied; empty: go on. Where it says no,
    /// a topology without atoms is returned, and who asked knows why.
    std::function<bool(long long atoms)> go_on;
};

/// Reads a GROMACS topology (.top, plain or gzip'ed) with its includes. The result is not yet
/// finish()ed; position restraints have references at the origin until set_restraint_reference.
/// Energies follow GROMACS; what the engine cannot do is refused by name. Of perturbed topologies
/// state A is read, with a warning where state B differs. Throws InputError with all faults found,
/// each with its place; FileError when the file itself cannot be read.
Topology read_gromacs_topology(const std::filesystem::path& path,
                               const GromacsTopologyOptions& options);

} // namespace tessera
