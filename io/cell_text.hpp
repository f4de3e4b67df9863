#pragma once

#include "engine/model/coordinates.hpp"
#include "io/columns.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace tessera
{

/// The numbers of a cell line, free format; numbers of fixed decimals that touch
/// ("40000.0000040000.00000") are told apart. Empty where something is not a number.
std::vector<double> cell_numbers(std::string_view line);

/// The cell vectors (rows) of three or nine numbers in the order of .gro and .g96 files:
/// a_x b_y c_z [a_y a_z b_x b_z c_x c_y].
Mat3 cell_of(const std::vector<double>& numbers);

/// Three numbers when the cell is rectangular, else nine, in the same order.
std::vector<double> cell_numbers_of(const Box& box);

/// Gives `frame` a cell: none when all elements are zero; one that is not lower triangular is
/// turned, and positions and velocities with it (a warning begins with `place` and says so). Throws
/// InputError for a cell that encloses no volume.
void place_cell(const Mat3& cell, const std::string& place, Coordinates& frame);

/// The same for the cell on line `index` of `file`; refused by line.
void take_cell(const LineFile& file, std::size_t index, const Mat3& cell, Coordinates& frame);

} // namespace tessera
