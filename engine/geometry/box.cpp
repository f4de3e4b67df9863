#include "engine/geometry/box.hpp"

#include "engine/math/units.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tessera
{

namespace
{

std::string cell_text(const Mat3& h)
{
    return fmt::format("({} {} {}), ({} {} {}), ({} {} {}) nm", h[0].x, h[0].y, h[0].z, h[1].x,
                       h[1].y, h[1].z, h[2].x, h[2].y, h[2].z);
}

/// Subtracts whole multiples of `by` from `v` so that |v[k]| <= by[k]/2 within a relative 1e-6 (the
/// cells of file formats stay as they are).
void reduce(Vec3& v, const Vec3& by, int k)
{
    const double limit = 0.5 * by[k] * (1.0 + 2e-6);
    if (std::fabs(v[k]) > limit) {
        v -= std::rint(v[k] / by[k]) * by;
    }
}

/// What no cell of atoms has, and where images can no longer be counted. The longest edge over the
/// shortest bounds the images that a search looks at.
void refuse_extremes(const Mat3& h)
{
    constexpr double smallest = 1e-6, largest = 1e9, ratio = 1000;
    const double longest = std::max({h[0].x, h[1].y, h[2].z});
    const double shortest = std::min({h[0].x, h[1].y, h[2].z});
    const double shear = std::max({std::fabs(h[1].x), std::fabs(h[2].x), std::fabs(h[2].y)});
    if (shortest < smallest || longest > largest || shear > largest || longest > ratio * shortest) {
        throw InputError(fmt::format("the cell {} is out of range (edges of {:g} to {:g} nm, of "
                                     "which the longest is at most {} times the shortest, can be "
                                     "worked with). Check the cell and its unit.",
                                     cell_text(h), smallest, largest, ratio));
    }
}

} // namespace

Box::Box(const Mat3& vectors) : h_(vectors), periodic_(true)
{
    for (int k = 0; k < 3; ++k) {
        for (int l = 0; l < 3; ++l) {
            if (!std::isfinite(h_[k][l])) {
                throw InputError("the cell " + cell_text(h_) +
                                 " holds a number that is not finite. Give three finite vectors.");
            }
        }
        if (!(h_[k][k] > 0)) {
            throw InputError(
                "the cell " + cell_text(h_) +
                " has a diagonal element that is not positive (it encloses no volume). "
                "Give a cell with positive edges, or set periodic = false.");
        }
    }
    if (h_[0].y != 0 || h_[0].z != 0 || h_[1].z != 0) {
        throw InputError(
            "the cell " + cell_text(h_) +
            " is not lower triangular. Turn it so that a lies along x and b in the xy plane.");
    }
    refuse_extremes(h_);
    reduce(h_[2], h_[1], 1);
    reduce(h_[2], h_[0], 0);
    reduce(h_[1], h_[0], 0);

    const double ax = h_[0].x, bx = h_[1].x, by = h_[1].y, cx = h_[2].x, cy = h_[2].y, cz = h_[2].z;
    inverse_[0] = {1.0 / ax, 0, 0};
    inverse_[1] = {-bx / (ax * by), 1.0 / by, 0};
    inverse_[2] = {(bx * cy - cx * by) / (ax * by * cz), -cy / (by * cz), 1.0 / cz};
    rectangular_ = bx == 0 && cx == 0 && cy == 0;

    const double v = volume();
    heights_ = {v / norm(cross(h_[1], h_[2])), v / norm(cross(h_[2], h_[0])),
                v / norm(cross(h_[0], h_[1]))};

    const double half_diagonal = 0.5 * std::sqrt(ax * ax + by * by + cz * cz);
    const double edge[3] = {ax, by, cz};
    for (int k = 2; k >= 0; --k) {
        double span = half_diagonal + 0.5 * edge[k];
        for (int l = k + 1; l < 3; ++l) {
            span += images_.reach[l] * std::fabs(h_[l][k]);
        }
        images_.reach[k] = std::max(1, static_cast<int>(std::floor(span / edge[k])));
    }
    const double safe = 0.5 * shortest_height();
    images_.h = h_;
    images_.inverse_diagonal = {inverse_[0].x, inverse_[1].y, inverse_[2].z};
    images_.safe2 = safe * safe;
    images_.is_periodic = true;
    images_.is_rectangular = rectangular_;
}

Box Box::from_lengths_and_angles(const Vec3& lengths, const Vec3& angles_degree)
{
    const auto cosine = [](double degree) {
        return degree == 90.0 ? 0.0 : std::cos(degree * units::degree);
    };
    const double ca = cosine(angles_degree.x), cb = cosine(angles_degree.y),
                 cg = cosine(angles_degree.z);
    const double sg = std::sqrt(std::max(0.0, 1.0 - cg * cg));
    const double cy = sg > 0 ? (ca - cb * cg) / sg : 0.0;
    const double cz2 = 1.0 - cb * cb - cy * cy;
    if (!(sg > 0) || !(cz2 > 0)) {
        throw InputError(fmt::format("a cell with angles {} {} {} degrees encloses no volume. Give "
                                     "angles of a real parallelepiped.",
                                     angles_degree.x, angles_degree.y, angles_degree.z));
    }
    return Box(Mat3{{{lengths.x, 0, 0},
                     {lengths.y * cg, lengths.y * sg, 0},
                     {lengths.z * cb, lengths.z * cy, lengths.z * std::sqrt(cz2)}}});
}

double Box::shortest_height() const
{
    return std::min({heights_.x, heights_.y, heights_.z});
}

Vec3 Box::shortest(const Vec3& d) const
{
    return nearest_image(images_, d);
}

Vec3 Box::wrap(const Vec3& x) const
{
    if (!periodic_) {
        return x;
    }
    Vec3 r = x;
    for (int k = 2; k >= 0; --k) {
        const double n = std::floor(r[k] * inverse_[k][k]);
        r -= n * h_[k];
        // a tiny negative coordinate rounds to exactly one cell vector: that is the origin
        if (r[k] * inverse_[k][k] >= 1.0) {
            r -= h_[k];
        }
        if (r[k] < 0) {
            r[k] = 0;
        }
    }
    return r;
}

RotatedCell rotated_to_lower_triangular(const Mat3& cell)
{
    const double a = norm(cell[0]);
    const Vec3 normal = cross(cell[0], cell[1]);
    const double area = norm(normal);
    const double volume = dot(normal, cell[2]);
    if (!(a > 0) || !(area > 0) || !(volume > 1e-9 * area * norm(cell[2]))) {
        throw InputError("the cell " + cell_text(cell) +
                         " encloses no volume or is left-handed. Give three vectors a, b, c with "
                         "(a x b).c > 0.");
    }
    const Vec3 ex = (1.0 / a) * cell[0];
    const Vec3 ez = (1.0 / area) * normal;
    const Vec3 ey = cross(ez, ex);
    RotatedCell out;
    out.rotation = {{{ex.x, ey.x, ez.x}, {ex.y, ey.y, ez.y}, {ex.z, ey.z, ez.z}}};
    for (int k = 0; k < 3; ++k) {
        out.vectors[k] = row_times(cell[k], out.rotation);
    }
    out.vectors[0].y = out.vectors[0].z = out.vectors[1].z =
        0; // zero by construction, up to rounding
    return out;
}

} // namespace tessera
