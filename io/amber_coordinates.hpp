#pragma once

#include "engine/model/coordinates.hpp"

#include <filesystem>
#include <string_view>

namespace tessera
{

/// Reads an Amber coordinate file: ASCII restart (inpcrd, rst7), NetCDF restart (AMBERRESTART), or
/// the first frame of a NetCDF trajectory (AMBER). Told by its first bytes, not its name; gzip'ed
/// files are unpacked. Å become nm; velocities of 1/20.455 ps units become nm/ps (NetCDF: by the
/// file's own scale_factor); a cell with angles becomes lower triangular.
///
/// ASCII: fields of 12 columns that may touch. What follows the coordinates is decided by the
/// number of lines: none, the cell (one line), velocities, or both. With one or two atoms a single
/// line more may be either: it is the cell where `ifbox` > 0, else velocities, with a warning
/// where `ifbox` < 0; the size of the numbers never decides.
///
/// `ifbox`: the topology's IFBOX, below 0 unknown; above 0 a file without a cell is refused.
/// `expected_atoms`: of the topology, 0 unknown; another number in the file is refused.
Coordinates read_amber_restart(const std::filesystem::path& path, int ifbox, int expected_atoms);

/// True where the content begins as a NetCDF (classic or HDF5) file does.
bool is_netcdf(std::string_view content);

} // namespace tessera
