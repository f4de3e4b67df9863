#include "io/cell_text.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera
{

std::vector<double> cell_numbers(std::string_view line)
{
    std::vector<double> out;
    for (std::string_view word : words(line)) {
        // more than one point: every number ends as many digits after its point as the last does
        const std::size_t decimals = word.size() - std::min(word.rfind('.') + 1, word.size());
        while (std::count(word.begin(), word.end(), '.') > 1) {
            const std::size_t end = word.find('.') + 1 + decimals;
            const std::optional<double> value = number_in<double>(word.substr(0, end));
            if (!value) {
                return {};
            }
            out.push_back(*value);
            word.remove_prefix(end);
        }
        const std::optional<double> value = number_in<double>(word);
        if (!value) {
            return {};
        }
        out.push_back(*value);
    }
    return out;
}

Mat3 cell_of(const std::vector<double>& n)
{
    if (n.size() == 3) {
        return {{{n[0], 0, 0}, {0, n[1], 0}, {0, 0, n[2]}}};
    }
    return {{{n[0], n[3], n[4]}, {n[5], n[1], n[6]}, {n[7], n[8], n[2]}}};
}

std::vector<double> cell_numbers_of(const Box& box)
{
    if (!box.is_periodic()) {
        return {0, 0, 0};
    }
    const Mat3& h = box.vectors();
    if (box.is_rectangular()) {
        return {h[0].x, h[1].y, h[2].z};
    }
    return {h[0].x, h[1].y, h[2].z, h[0].y, h[0].z, h[1].x, h[1].z, h[2].x, h[2].y};
}

void place_cell(const Mat3& cell, const std::string& place, Coordinates& frame)
{
    if (cell == Mat3{}) {
        return;
    }
    if (cell[0].y == 0 && cell[0].z == 0 && cell[1].z == 0) {
        frame.box = Box(cell);
        return;
    }
    const RotatedCell turned = rotated_to_lower_triangular(cell);
    frame.box = Box(turned.vectors);
    for (Vec3& x : frame.positions) {
        x = row_times(x, turned.rotation);
    }
    for (Vec3& v : frame.velocities) {
        v = row_times(v, turned.rotation);
    }
    frame.warnings.push_back(place +
                             ": the cell is not lower triangular; it was turned so that a lies "
                             "along x and b in the xy plane, and positions and velocities with it");
}

void take_cell(const LineFile& file, std::size_t index, const Mat3& cell, Coordinates& frame)
{
    try {
        place_cell(cell, fmt::format("{}:{}", file.path(), index + 1), frame);
    } catch (const InputError& fault) {
        file.refuse(index, fault.what(), "correct the cell, or write zeros where there is none");
    }
}

} // namespace tessera
