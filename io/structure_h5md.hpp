#pragma once

#include "engine/model/coordinates.hpp"

#include <cstdint>
#include <string>

namespace tessera
{

enum class H5mdFrame : std::uint8_t { first, last };

/// Reads one frame of an H5MD file: of the particles group "trajectory", else of the first one with
/// positions. Written by Tessera, MDAnalysis, GROMACS 2026 or another program that keeps to
/// H5MD 1.1: step and time arrays or fixed increments; cell static or by frame, three lengths or
/// three vectors; units by the attributes `unit` (nm and ps, with a warning, where there are none).
/// Velocities are taken where the frame's step has them; names where Tessera wrote them.
/// Frames count only as far as positions and steps both go. Throws InputError naming the object of
/// the file that is missing or odd, FileError where it does not open.
Coordinates read_h5md(const std::string& path, H5mdFrame frame = H5mdFrame::last);

} // namespace tessera
