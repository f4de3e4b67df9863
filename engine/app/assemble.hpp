#pragma once

#include "engine/base/diagnostic.hpp"
#include "engine/model/coordinates.hpp"
#include "engine/model/topology.hpp"
#include "forcefields/amber_topology.hpp"
#include "io/deck.hpp"

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

namespace tessera
{

/// Everything a deck names, read and put together.
struct Assembly {
    std::shared_ptr<const Topology> topology;
    Coordinates coordinates;     ///< as the file has them
    Box box;                     ///< the cell in use; open space where periodic = false
    NonbondedSettings nonbonded; ///< with grid and splitting parameters resolved
};

/// Fewer atoms are copied from their molecules in a second. A larger number is compared with the
/// coordinates before that: where it is wrong it may be beyond all memory.
constexpr long long many_atoms = 10'000'000;

enum class NameCheck : unsigned char { warns, fails };

/// Reads topology and coordinates of `deck` and checks them against each other and against the
/// settings: atom counts, names (B41), the cell against the cut-offs. Every fault and warning goes
/// into `diagnostics`; where there is a fault the assembly is not to be used (topology may be
/// null).
Assembly assemble(const Deck& deck, NameCheck names, Diagnostics& diagnostics);

/// The topology alone: read by the format its ending tells, with rigid water, constraints,
/// hydrogen masses and restraint references as the deck says, not yet finish()ed. `go_on` is asked
/// with the number of atoms of a GROMACS topology before its molecules are copied; where it says
/// no, a topology without atoms is returned.
Topology read_topology(const Deck& deck, const std::function<bool(long long atoms)>& go_on = {});

/// The files the topology is read from: itself and, of a GROMACS one, all that it includes. What is
/// missing is left out.
std::vector<std::filesystem::path> topology_files(const Deck& deck);

/// What an Amber topology says of the cell; nothing of other formats.
std::optional<AmberTopologyBox> amber_cell(const std::filesystem::path& topology);

/// Constraints that cannot hold, as a fault: a run would break on them.
void refuse_impossible_constraints(const Assembly& assembly, Diagnostics& diagnostics);

/// Makes hydrogens heavier, to `mass` (u), at the cost of the atom each is bonded to. Rigid water
/// keeps its masses. Returns how many were made heavier. Throws InputError where an atom would
/// become lighter than its hydrogens.
std::size_t repartition_hydrogen_mass(Topology& topology, double mass);

} // namespace tessera
