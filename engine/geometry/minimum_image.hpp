#pragma once

#include "engine/base/real.hpp"
#include "engine/math/mat3.hpp"

#include <cmath>

namespace tessera
{

/// What the search for the nearest image needs of a cell: plain data, for host and device. Made by
/// Box.
struct ImageSearch {
    Mat3 h;                   ///< lower-triangular cell vectors, nm
    Vec3 inverse_diagonal;    ///< 1/h_kk
    double safe2 = 0;         ///< (half the shortest height)^2: within it no other image is nearer
    int reach[3] = {1, 1, 1}; ///< images per direction that must be tried beyond it
    bool is_periodic = false;
    bool is_rectangular = true;
};

/// The image of d nearest to the origin: exact for every reduced triclinic cell. Open space returns
/// d.
TESSERA_FORMULA Vec3 nearest_image(const ImageSearch& cell, const Vec3& d)
{
    using std::rint;
    if (!cell.is_periodic) {
        return d;
    }
    Vec3 r = d;
    r -= rint(r.z * cell.inverse_diagonal.z) * cell.h[2];
    r -= rint(r.y * cell.inverse_diagonal.y) * cell.h[1];
    r -= rint(r.x * cell.inverse_diagonal.x) * cell.h[0];
    if (cell.is_rectangular) {
        return r;
    }
    double best2 = norm2(r);
    if (best2 < cell.safe2) {
        return r;
    }
    Vec3 best = r;
    for (int kz = -cell.reach[2]; kz <= cell.reach[2]; ++kz) {
        for (int ky = -cell.reach[1]; ky <= cell.reach[1]; ++ky) {
            for (int kx = -cell.reach[0]; kx <= cell.reach[0]; ++kx) {
                const Vec3 image = r + row_times({static_cast<double>(kx), static_cast<double>(ky),
                                                  static_cast<double>(kz)},
                                                 cell.h);
                const double image2 = norm2(image);
                if (image2 < best2) {
                    best2 = image2;
                    best = image;
                }
            }
        }
    }
    return best;
}

} // namespace tessera
