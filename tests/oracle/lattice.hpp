#pragma once

#include "engine/math/mat3.hpp"
#include "engine/math/vec3.hpp"

#include <cmath>
#include <limits>
#include <optional>

namespace tessera::oracle
{

template <class R>
using Point = BasicVec3<R>;

/// Rows are the cell vectors (nm); none: open space.
using Cell = std::optional<Mat3>;

inline Vec3 lattice_vector(const Mat3& h, int a, int b, int c)
{
    return {a * h[0].x + b * h[1].x + c * h[2].x, a * h[0].y + b * h[1].y + c * h[2].y,
            a * h[0].z + b * h[1].z + c * h[2].z};
}

/// The lattice vector that brings d nearest to the origin when added: tried one by one over
/// (2 reach + 1)^3 shifts. `d` may be anywhere within a few cells.
inline Vec3 nearest_shift(const Cell& cell, const Vec3& d, int reach = 3)
{
    if (!cell) {
        return {0, 0, 0};
    }
    double best = std::numeric_limits<double>::infinity();
    Vec3 chosen;
    for (int a = -reach; a <= reach; ++a) {
        for (int b = -reach; b <= reach; ++b) {
            for (int c = -reach; c <= reach; ++c) {
                const Vec3 shift = lattice_vector(*cell, a, b, c);
                const double x = d.x + shift.x;
                const double y = d.y + shift.y;
                const double z = d.z + shift.z;
                const double r2 = x * x + y * y + z * z;
                if (r2 < best) {
                    best = r2;
                    chosen = shift;
                }
            }
        }
    }
    return chosen;
}

/// The image of `x` nearest to `reference`.
inline Vec3 image_near(const Cell& cell, const Vec3& x, const Vec3& reference)
{
    const Vec3 shift =
        nearest_shift(cell, {x.x - reference.x, x.y - reference.y, x.z - reference.z});
    return {x.x + shift.x, x.y + shift.y, x.z + shift.z};
}

/// Determinant of the rows.
template <class R>
R determinant(const Point<R>& a, const Point<R>& b, const Point<R>& c)
{
    return a.x * (b.y * c.z - b.z * c.y) - a.y * (b.x * c.z - b.z * c.x) +
           a.z * (b.x * c.y - b.y * c.x);
}

} // namespace tessera::oracle
