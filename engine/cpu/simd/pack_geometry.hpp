#pragma once

#include "engine/cpu/simd/pack.hpp"
#include "engine/geometry/minimum_image.hpp"

namespace tessera
{

/// Positions of eight atoms.
inline PackVec3 gathered(const Vec3* from, const std::int32_t* atom)
{
    PackVec3 out;
    for (int l = 0; l < Pack::lanes; ++l) {
        const Vec3& x = from[atom[l]];
        out.x.v[l] = x.x;
        out.y.v[l] = x.y;
        out.z.v[l] = x.z;
    }
    return out;
}

/// The lanes that a reduction by rows may have left at an image that is not the nearest.
[[gnu::noinline]] inline void search_images(const ImageSearch& cell, double (&x)[3][Pack::lanes])
{
    for (int l = 0; l < Pack::lanes; ++l) {
        const Vec3 best = nearest_image(cell, {x[0][l], x[1][l], x[2][l]});
        x[0][l] = best.x;
        x[1][l] = best.y;
        x[2][l] = best.z;
    }
}

/// nearest_image() of eight, with its bits.
inline PackVec3 nearest_image(const ImageSearch& cell, const PackVec3& d)
{
    if (!cell.is_periodic) {
        return d;
    }
    PackVec3 r = d;
    const auto take = [&r](const Pack& n, const Vec3& row) {
        r.x -= n * Pack(row.x);
        r.y -= n * Pack(row.y);
        r.z -= n * Pack(row.z);
    };
    take(rint(r.z * Pack(cell.inverse_diagonal.z)), cell.h[2]);
    take(rint(r.y * Pack(cell.inverse_diagonal.y)), cell.h[1]);
    take(rint(r.x * Pack(cell.inverse_diagonal.x)), cell.h[0]);
    if (!cell.is_rectangular && any(!(norm2(r) < Pack(cell.safe2)))) {
        alignas(64) double x[3][Pack::lanes];
        d.x.store(x[0]);
        d.y.store(x[1]);
        d.z.store(x[2]);
        search_images(cell, x);
        r = {Pack::load(x[0]), Pack::load(x[1]), Pack::load(x[2])};
    }
    return r;
}

} // namespace tessera
