#pragma once

#include "engine/model/coordinates.hpp"

#include <string>

namespace tessera
{

/// Reads one frame of a GROMACS .gro file (plain or gzip'ed), by columns: residue number 5, residue
/// name 5, atom name 5, atom number 5, then three fields as wide as the first two decimal points
/// are apart, and perhaps three more for velocities. Names may be empty; a line without velocities
/// among lines with them has velocity 0 (a warning says so). Atom and residue numbers repeat beyond
/// 99999 and identify nothing: order does. Time and step are taken from "t= 1.0 step= 5" in the
/// title. Units: nm, nm/ps, ps.
///
/// `frame` counts from 0. Throws InputError with the line when the file disagrees with its count,
/// a field is not a number, or the cell line is missing or wrong.
Coordinates read_gro(const std::string& path, int frame = 0);

/// The frame as .gro text with this many decimals for positions and one more for velocities; the
/// cell has at least five. Reading it again gives the written digits. Throws InputError when a
/// value does not fit its column (naming atom and value), never shifting a line.
std::string gro_text(const Coordinates& frame, int decimals = 3);

void write_gro(const std::string& path, const Coordinates& frame, int decimals = 3);

} // namespace tessera
