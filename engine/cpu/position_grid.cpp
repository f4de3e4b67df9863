#include "engine/cpu/position_grid.hpp"

#include "engine/base/error.hpp"
#include "engine/cpu/atom_loop.hpp"
#include "engine/cpu/plain_places.hpp"

#include <cmath>
#include <fmt/format.h>

namespace tessera
{

namespace
{

Box rounded_box(const Box& box, double longest_edge)
{
    if (!box.is_periodic()) {
        return box;
    }
    Mat3 h = box.vectors();
    for (int k = 0; k < 3; ++k) {
        if (!(h[k][k] <= longest_edge)) {
            throw InputError(
                fmt::format("a cell edge of {} nm is too long (positions are kept on a "
                            "grid that holds edges of up to {} nm). Use a smaller cell.",
                            h[k][k], longest_edge));
        }
        h[k] = to_nm(to_grid(h[k]));
    }
    return Box(h);
}

/// Brings x into [0, edge) and tells how many edges that took. `inverse` is 1/edge within rounding,
/// so the quotient is off by one at most.
std::int32_t wrap_one(std::int64_t& x, std::int64_t edge, double inverse)
{
    if (x >= 0 && x < edge) { // nearly always
        return 0;
    }
    auto n = static_cast<std::int64_t>(std::floor(static_cast<double>(x) * inverse));
    x -= n * edge;
    if (x < 0) {
        x += edge;
        --n;
    } else if (x >= edge) {
        x -= edge;
        ++n;
    }
    return static_cast<std::int32_t>(n);
}

} // namespace

PositionGrid::PositionGrid(const Box& box) : box_(rounded_box(box, longest_edge))
{
    if (!box_.is_periodic()) {
        return;
    }
    const Mat3& h = box_.vectors();
    const auto grid = [](double x) { return to_fixed(x, fixed::position_scale); };
    ax_ = grid(h[0].x);
    bx_ = grid(h[1].x);
    by_ = grid(h[1].y);
    cx_ = grid(h[2].x);
    cy_ = grid(h[2].y);
    cz_ = grid(h[2].z);
    inverse_a_ = 1.0 / static_cast<double>(ax_);
    inverse_b_ = 1.0 / static_cast<double>(by_);
    inverse_c_ = 1.0 / static_cast<double>(cz_);
}

GridPosition PositionGrid::rounded_slowly(const Vec3& x) const
{
    if (!(std::isfinite(x.x) && std::isfinite(x.y) && std::isfinite(x.z)) || !box_.is_periodic()) {
        throw PhysicsError(fmt::format(
            "a position ({} {} {}) nm is not finite or beyond {} nm (the range of the position "
            "grid). Look for overlapping atoms or too long a timestep.",
            x.x, x.y, x.z, farthest));
    }
    return to_grid(box_.wrap(x));
}

GridPosition PositionGrid::canonical(const GridPosition& x, Image& image) const
{
    GridPosition g = x;
    image = {0, 0, 0};
    if (!box_.is_periodic()) {
        return g;
    }
    const std::int32_t nz = wrap_one(g.z, cz_, inverse_c_);
    g.y -= nz * cy_;
    g.x -= nz * cx_;
    const std::int32_t ny = wrap_one(g.y, by_, inverse_b_);
    g.x -= ny * bx_;
    const std::int32_t nx = wrap_one(g.x, ax_, inverse_a_);
    image = {nx, ny, nz};
    return g;
}

void CanonicalPositions::read(std::size_t first, std::size_t last, Vec3* out) const
{
    make_canonical(positions_.subspan(first, last - first), out);
}

void CanonicalPositions::read(std::span<const std::int32_t> atoms, Vec3* out) const
{
    Vec3 given[most];
    for (std::size_t k = 0; k < atoms.size(); ++k) {
        given[k] = positions_[static_cast<std::size_t>(atoms[k])];
    }
    make_canonical({given, atoms.size()}, out);
}

void CanonicalPositions::make_canonical(std::span<const Vec3> positions, Vec3* out) const
{
    static_assert(most == PlainPlaces::most);
    if (grid_ == nullptr) {
        std::copy(positions.begin(), positions.end(), out);
        return;
    }
    PlainPlaces places;
    places.place_in_nm(*grid_, positions, out);
    for (std::size_t k = 0; places.has_left && k < positions.size(); ++k) {
        if (places.is_left[k] != 0) {
            out[k] = to_nm(grid_->canonical(positions[k]));
        }
    }
}

std::vector<Vec3> canonical_positions(const PositionGrid& grid, std::span<const Vec3> positions,
                                      int threads)
{
    std::vector<Vec3> out(positions.size());
    const CanonicalPositions canonical(grid, positions);
    for_each_stretch(std::ssize(positions), CanonicalPositions::most, threads,
                     [&](std::size_t first, std::size_t last) {
                         canonical.read(first, last, out.data() + first);
                     });
    return out;
}

} // namespace tessera
