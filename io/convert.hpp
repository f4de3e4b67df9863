#pragma once

#include "engine/model/coordinates.hpp"
#include "engine/model/topology.hpp"

#include <string>
#include <vector>

namespace tessera
{

/// Reads the coordinates of `in` (any format read_coordinates knows; of a trajectory the last
/// frame) and writes them to `out`: .gro .g96 .pdb, or .h5md with one frame. `topology` may be
/// null; where it is given its atom count must agree, it gives names and elements that the input
/// lacks, and .h5md gets masses, charges and bonds; `ifbox` is Amber's IFBOX of it (-1 unknown). A
/// .gro has three decimals where they hold every number, else six. Returns what is worth telling:
/// the reader's warnings, and what `out` cannot hold. Throws InputError, FileError.
std::vector<std::string> convert_coordinates(const std::string& in, const std::string& out,
                                             const Topology* topology = nullptr, int ifbox = -1);

/// Throws InputError where `frame`, read from `in`, is not of so many atoms as the topology has.
void refuse_other_count(const std::string& in, const Coordinates& frame, long long atoms);

} // namespace tessera
