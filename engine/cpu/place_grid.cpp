#include "engine/cpu/place_grid.hpp"

#include "engine/cpu/position_grid.hpp"

#include <algorithm>
#include <cmath>

namespace tessera
{

namespace
{

constexpr double exact_reach = 32.0; // nm: 2^53 steps of the master grid

/// The largest sum of cell vectors along an axis, nm: no image beside the cell is farther away.
double extent(const Mat3& h)
{
    double most = 0;
    for (int k = 0; k < 3; ++k) {
        most = std::max(most, std::fabs(h[0][k]) + std::fabs(h[1][k]) + std::fabs(h[2][k]));
    }
    return most;
}

/// Whole numbers of steps of the grid.
Mat3 rounded_to(const Mat3& h, std::int64_t step)
{
    const double scale = fixed::position_scale / static_cast<double>(step);
    Mat3 out;
    for (int k = 0; k < 3; ++k) {
        for (int l = 0; l < 3; ++l) {
            out[k][l] = from_fixed(to_fixed(h[k][l], scale), scale);
        }
    }
    return out;
}

} // namespace

PlaceGrid::PlaceGrid(const Box& box, double reach)
{
    if (!box.is_periodic()) {
        return;
    }
    std::int64_t step = 1;
    Mat3 rows = PositionGrid(box).box().vectors();
    const auto holds = [&](double cells, std::int64_t steps) {
        // a cut-off is at most half an edge: what is farther from the cell does not count
        const double longest = std::max({rows[0].x, rows[1].y, rows[2].z});
        return cells * (extent(rows) + std::min(reach, longest)) <=
               exact_reach * static_cast<double>(steps);
    };
    while (!holds(1, step)) {
        step *= 2;
        rows = rounded_to(box.vectors(), step);
    }
    while (step > 1 && holds(1, step / 2)) { // rounding made the cell smaller
        step /= 2;
    }
    box_ = Box(rows);
    half_ = step / 2;
    mask_ = -step;
    holds_images_ = holds(3, step);
}

Places places_of(const Box& box, double reach, std::span<const Vec3> positions)
{
    Places out{PlaceGrid(box, reach), box, {positions.begin(), positions.end()}};
    if (out.grid.is_master()) {
        return out;
    }
    out.box = out.grid.box();
    const PositionGrid cell(out.box);
    for (Vec3& x : out.positions) {
        x = to_nm(out.grid.rounded(cell.canonical(x)));
    }
    return out;
}

} // namespace tessera
