#pragma once

#include "engine/model/coordinates.hpp"

#include <filesystem>
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

/// ".gro" of "a.GRO".
std::string extension_in_lower_case(const std::filesystem::path& path);

/// Reads the coordinates of a file, told by its extension in either case (.gro .g96 .pdb .ent .h5md
/// ...; text formats also with .gz): the first frame of text formats, the last of .h5md and NetCDF.
/// Internal units.
/// Throws InputError (an extension it does not know, a fault of the file with its line) or
/// FileError.
Coordinates read_coordinates(const std::string& path, const CoordinateHints& hints = {});

} // namespace tessera
