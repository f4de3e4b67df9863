#pragma once

#include "engine/model/coordinates.hpp"

#include <string>

namespace tessera
{

/// Reads the first frame of a GROMOS .g96 file (plain or gzip'ed) as GROMACS writes it: blocks
/// TITLE, TIMESTEP, POSITION or POSITIONRED, VELOCITY or VELOCITYRED, BOX, each closed by END;
/// lines with '#' are remarks. A block that cannot be used is refused by name. Units: nm, nm/ps,
/// ps.
Coordinates read_g96(const std::string& path);

/// The frame as .g96 text, nine decimals. Throws InputError when a value does not fit its column.
std::string g96_text(const Coordinates& frame);

void write_g96(const std::string& path, const Coordinates& frame);

} // namespace tessera
