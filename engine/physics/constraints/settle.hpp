#pragma once

#include "engine/base/real.hpp"
#include "engine/math/select.hpp"
#include "engine/math/vec3.hpp"

#include <cmath>

namespace tessera
{

/// A rigid water's shape and masses. Units: nm, u.
///
///            O              ra: O to the centre of mass
///           /|\             rb: centre of mass to the line H-H
///          / | \            rc: half of H-H
///        H1--+--H2
struct SettleShape {
    double mass_o, mass_h;
    double ra, rb, rc;
    double inverse[3][3]; ///< of the constraint matrix, constraints O-H1, O-H2, H1-H2

    SettleShape(double o_mass, double h_mass, double d_oh, double d_hh)
        : mass_o(o_mass), mass_h(h_mass)
    {
        const double height = std::sqrt(d_oh * d_oh - 0.25 * d_hh * d_hh);
        ra = 2 * mass_h * height / (mass_o + 2 * mass_h);
        rb = height - ra;
        rc = 0.5 * d_hh;

        const double wo = 1 / mass_o, wh = 1 / mass_h;
        const double same = (wo + wh) * d_oh * d_oh;                 // O-H with itself
        const double other = wo * (d_oh * d_oh - 0.5 * d_hh * d_hh); // O-H1 with O-H2
        const double side = wh * 0.5 * d_hh * d_hh;                  // O-H with H1-H2
        const double base = 2 * wh * d_hh * d_hh;                    // H1-H2 with itself
        const double det = (same - other) * ((same + other) * base - 2 * side * side);
        inverse[0][0] = inverse[1][1] = (same * base - side * side) / det;
        inverse[0][1] = inverse[1][0] = (side * side - other * base) / det;
        inverse[0][2] = inverse[2][0] = inverse[1][2] = inverse[2][1] = side * (other - same) / det;
        inverse[2][2] = (same * same - other * other) / det;
    }
};

/// One vector for each atom of a water.
template <class R>
struct BasicWaterVectors {
    BasicVec3<R> o, h1, h2;
};
using WaterVectors = BasicWaterVectors<double>;

/// Puts a moved water back onto its shape by displacements along the old sides, in closed form.
/// S. Miyamoto, P. A. Kollman, J. Comput. Chem. 13, 952 (1992).
///
/// old_h1, old_h2: from O, where the shape was right. moved: positions after the drift, in any
/// common frame. On return `correction` is what to add to them. False, and nothing of worth in
/// `correction`: the molecule turned too far (more than a quarter turn) for a solution to exist.
/// R: double, or several at once; then what is returned has a truth for each.
template <class R>
TESSERA_FORMULA auto settle_positions(const SettleShape& s, const BasicVec3<R>& old_h1,
                                      const BasicVec3<R>& old_h2, const BasicWaterVectors<R>& moved,
                                      BasicWaterVectors<R>& correction)
{
    using std::sqrt;
    using Vec = BasicVec3<R>;
    const double inverse_mass = 1 / (s.mass_o + 2 * s.mass_h);
    // relative to O first: the centre lies within the molecule, no digits are lost
    const Vec h1 = moved.h1 - moved.o, h2 = moved.h2 - moved.o;
    const Vec a1 = R(-(s.mass_h * inverse_mass)) * (h1 + h2);
    const Vec b1 = h1 + a1, c1 = h2 + a1;

    Vec ez = cross(old_h1, old_h2);
    Vec ex = cross(a1, ez);
    Vec ey = cross(ez, ex);
    ex *= R(1) / norm(ex);
    ey *= R(1) / norm(ey);
    ez *= R(1) / norm(ez);

    const R b0x = dot(ex, old_h1), b0y = dot(ey, old_h1);
    const R c0x = dot(ex, old_h2), c0y = dot(ey, old_h2);
    const R a1z = dot(ez, a1);
    const R b1x = dot(ex, b1), b1y = dot(ey, b1), b1z = dot(ez, b1);
    const R c1x = dot(ex, c1), c1y = dot(ey, c1), c1z = dot(ez, c1);

    const R sin_phi = a1z / R(s.ra);
    const R cos2_phi = R(1) - sin_phi * sin_phi;
    const R cos_phi = sqrt(select(cos2_phi > R(0), cos2_phi, R(0)));
    const R sin_psi = (b1z - c1z) / (R(2 * s.rc) * cos_phi);
    const R cos2_psi = R(1) - sin_psi * sin_psi;
    const R cos_psi = sqrt(select(cos2_psi > R(0), cos2_psi, R(0)));

    const R ya = R(s.ra) * cos_phi;
    const R xb = R(-s.rc) * cos_psi;
    const R middle = R(-s.rb) * cos_phi, tilt = R(s.rc) * sin_psi * sin_phi;
    const R yb = middle - tilt, yc = middle + tilt;

    const R alpha = xb * (b0x - c0x) + b0y * yb + c0y * yc;
    const R beta = xb * (c0y - b0y) + b0x * yb + c0x * yc;
    const R gamma = b0x * b1y - b1x * b0y + c0x * c1y - c1x * c0y;
    const R square = alpha * alpha + beta * beta;
    const R root = square - gamma * gamma;
    const auto is_solved = (cos2_phi > R(0)) & (cos2_psi > R(0)) & (root > R(0));
    const R sin_theta = (alpha * gamma - beta * sqrt(select(is_solved, root, R(0)))) / square;
    const R cos_theta = sqrt(select(is_solved, R(1) - sin_theta * sin_theta, R(0)));

    const auto to_frame = [&](R x, R y, R z) { return x * ex + y * ey + z * ez; };
    correction.o = to_frame(-ya * sin_theta, ya * cos_theta, a1z) - a1;
    correction.h1 =
        to_frame(xb * cos_theta - yb * sin_theta, xb * sin_theta + yb * cos_theta, b1z) - b1;
    correction.h2 =
        to_frame(-xb * cos_theta - yc * sin_theta, -xb * sin_theta + yc * cos_theta, c1z) - c1;
    return is_solved;
}

/// Solves for the displacements along the sides that make side_k . (dv_i - dv_j) = -rate_k, where
/// side 0 = O-H1, 1 = O-H2, 2 = H1-H2 (i minus j). rate_k = side_k . (v_i - v_j) projects
/// velocities; adding |v_i - v_j|^2 and taking accelerations for v yields constraint accelerations.
TESSERA_FORMULA WaterVectors settle_rates(const SettleShape& s, const Vec3 (&side)[3],
                                          const double (&rate)[3])
{
    double lambda[3];
    for (int k = 0; k < 3; ++k) {
        lambda[k] =
            s.inverse[k][0] * rate[0] + s.inverse[k][1] * rate[1] + s.inverse[k][2] * rate[2];
    }
    const double wo = 1 / s.mass_o, wh = 1 / s.mass_h;
    return {-wo * (lambda[0] * side[0] + lambda[1] * side[1]),
            wh * (lambda[0] * side[0] - lambda[2] * side[2]),
            wh * (lambda[1] * side[1] + lambda[2] * side[2])};
}

} // namespace tessera
