#pragma once

#include "engine/model/coordinates.hpp"

#include <string>

namespace tessera
{

/// What the topology knows that a coordinate file may leave unsaid.
struct CoordinateHints {
    int expected_atoms = 0; ///< of the topology; 0 unknown. Settles ambiguous Amber files; where
                            ///< the file holds another number the caller says so
    int ifbox = -1;         ///< Amber's IFBOX: -1 unknown, 0 no cell, 1 rectangular, 2 truncated
                            ///< octahedron
};

/// Reads the coordinates of a file, told by its extension (.gro .g96 .pdb .ent .h5md ...; text
/// formats also with .gz): the first frame of text formats, the last of .h5md. Internal units.
/// Throws InputError (an extension it does not know, a fault of the file with its line) or
/// FileError.
Coordinates read_coordinates(const std::string& path, const CoordinateHints& hints = {});

} // namespace tessera
