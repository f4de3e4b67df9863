#pragma once

#include "engine/base/error.hpp"
#include "engine/geometry/minimum_image.hpp"
#include "engine/math/mat3.hpp"

#include <string>

namespace tessera
{

/// A periodic cell (any triclinic one), or no cell at all. Rows of `vectors()` are the cell
/// vectors, lower triangular: a = (a_x, 0, 0), b = (b_x, b_y, 0), c = (c_x, c_y, c_z), with
/// positive diagonal and |b_x| <= a_x/2, |c_x| <= a_x/2, |c_y| <= b_y/2 within 1e-6 relative.
/// Immutable: a new cell is a new value. Unit: nm.
class Box {
public:
    /// No cell: open space.
    Box() = default;

    /// Takes a lower-triangular matrix and reduces its off-diagonals. Throws InputError if the
    /// diagonal is not positive or finite, or an element above it is not zero (rotate first: see
    /// rotated_to_lower_triangular).
    explicit Box(const Mat3& vectors);

    /// Cell from edge lengths (nm) and angles (degrees; alpha between b and c). A right angle gives
    /// an exact zero.
    static Box from_lengths_and_angles(const Vec3& lengths, const Vec3& angles_degree);

    [[nodiscard]] bool is_periodic() const { return periodic_; }
    [[nodiscard]] bool is_rectangular() const { return rectangular_; }
    [[nodiscard]] const Mat3& vectors() const { return h_; }
    [[nodiscard]] double volume() const { return h_[0].x * h_[1].y * h_[2].z; }

    /// Fractions of the cell vectors, and back. Row-vector convention: x = s H.
    [[nodiscard]] Vec3 to_fraction(const Vec3& x) const
    {
        const double sz = x.z * inverse_[2].z;
        const double sy = x.y * inverse_[1].y + x.z * inverse_[2].y;
        const double sx = x.x * inverse_[0].x + x.y * inverse_[1].x + x.z * inverse_[2].x;
        return {sx, sy, sz};
    }
    [[nodiscard]] Vec3 to_cartesian(const Vec3& s) const { return row_times(s, h_); }
    /// H^-1, lower triangular: s = x H^-1.
    [[nodiscard]] const Mat3& inverse() const { return inverse_; }

    /// k_x a + k_y b + k_z c
    [[nodiscard]] Vec3 shift(int kx, int ky, int kz) const
    {
        return row_times(
            {static_cast<double>(kx), static_cast<double>(ky), static_cast<double>(kz)}, h_);
    }

    /// Distances between opposite faces (perpendicular heights). A cut-off must not exceed half the
    /// least of them.
    [[nodiscard]] Vec3 heights() const { return heights_; }
    [[nodiscard]] double shortest_height() const;

    /// The image of d nearest to the origin: exact for every reduced triclinic cell. Open space
    /// returns d.
    [[nodiscard]] Vec3 shortest(const Vec3& d) const;

    /// What shortest() uses, as plain data: for kernels.
    [[nodiscard]] const ImageSearch& images() const { return images_; }

    /// The image of x in the brick of the diagonal: 0 <= x_k < h_kk, also after rounding (not the
    /// cell itself: its fractions are in [0, 1) only where it is rectangular). Open space returns
    /// x.
    [[nodiscard]] Vec3 wrap(const Vec3& x) const;

    friend bool operator==(const Box& a, const Box& b)
    {
        return a.periodic_ == b.periodic_ && a.h_ == b.h_;
    }

private:
    Mat3 h_{};
    Mat3 inverse_{};
    Vec3 heights_{};
    ImageSearch images_{};
    bool periodic_ = false;
    bool rectangular_ = true;
};

/// A cell that is not lower triangular, turned: returns the rotation R (columns of new axes) such
/// that `cell * R` is lower triangular, and the rotated cell. Positions and velocities turn with
/// row_times(x, rotation). Throws InputError when the vectors are (nearly) coplanar or left-handed.
struct RotatedCell {
    Mat3 vectors;
    Mat3 rotation;
};
RotatedCell rotated_to_lower_triangular(const Mat3& cell);

} // namespace tessera
