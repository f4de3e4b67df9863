#pragma once

#include "engine/model/coordinates.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tessera
{

/// Reads the first model of a PDB file (plain or gzip'ed), by columns: records ATOM, HETATM,
/// CRYST1, TITLE, MODEL, ENDMDL, END. Serial and residue numbers are labels only, so decimal,
/// hybrid-36, hexadecimal and overflowing ones do equally; order in the file counts. Å become nm.
///
/// Cell: CRYST1; none where it is absent, zero, or 1 1 1 90 90 90. Alternate locations: of each
/// residue the one of highest occupancy, the first among equals (a warning says how many atoms were
/// left out). END ends the file once there are atoms, unless `expected_atoms` (of the topology, 0
/// unknown) says that more must follow.
Coordinates read_pdb(const std::string& path, int expected_atoms = 0);

/// The frame as PDB text, three decimals in Å, serial and residue numbers modulo their columns;
/// `atomic_numbers` ([atoms] or empty) gives the elements. Velocities are not written. Throws
/// InputError when a value does not fit its column.
std::string pdb_text(const Coordinates& frame,
                     const std::vector<std::int32_t>& atomic_numbers = {});

void write_pdb(const std::string& path, const Coordinates& frame,
               const std::vector<std::int32_t>& atomic_numbers = {});

} // namespace tessera
