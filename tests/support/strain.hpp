#pragma once

#include "engine/geometry/box.hpp"
#include "engine/math/mat3.hpp"

#include <cmath>
#include <span>
#include <vector>

// A homogeneous strain, and derivatives by it: all nine components, whatever forms of cell an
// engine takes.
namespace tessera::support
{

/// 1 + e in element (k, l): x_l -> x_l + e x_k.
struct Strain {
    int k = 0, l = 0;
    double e = 0;

    [[nodiscard]] Vec3 operator()(Vec3 x) const
    {
        x[l] += e * x[k];
        return x;
    }
};

/// The strained cell, turned so that it is lower triangular again (no energy sees the turn; no
/// cell: no turn), and the turn that positions have to make after their strain.
struct StrainedCell {
    Box box;
    Mat3 turn;
};
inline StrainedCell strained_cell(const Box& box, const Strain& strain)
{
    if (!box.is_periodic()) {
        return {box, identity3()};
    }
    Mat3 h;
    for (int row = 0; row < 3; ++row) {
        h[row] = strain(box.vectors()[row]);
    }
    const RotatedCell rotated = rotated_to_lower_triangular(h);
    return {Box(rotated.vectors), rotated.rotation};
}

/// Whether the strained cell is described by the strained vectors: at the border of the reduced
/// cells (a rhombic dodecahedron) a strain may call for other vectors of the same lattice, and with
/// them comes another mesh.
inline bool keeps_its_vectors(const Box& box, const Strain& strain)
{
    Mat3 h;
    for (int row = 0; row < 3; ++row) {
        h[row] = strain(box.vectors()[row]);
    }
    return !box.is_periodic() || Box(rotated_to_lower_triangular(h).vectors).vectors() ==
                                     rotated_to_lower_triangular(h).vectors;
}

/// Half the derivative of an energy U(strain) by each component of the strain, at none: what a
/// virial -1/2 sum x outer F has to be. Central differences over h and 2h, extrapolated (L. F.
/// Richardson); where the cell's description would change on one side, five points of the other.
/// Both err by h^4 times the fifth derivative; strains reach 4 h.
template <class Energy>
Mat3 half_strain_derivative(const Box& box, const Energy& energy, double h)
{
    Mat3 out;
    for (int k = 0; k < 3; ++k) {
        for (int l = 0; l < 3; ++l) {
            const auto at = [&](double steps) { return energy(Strain{k, l, steps * h}); };
            const bool up = keeps_its_vectors(box, {k, l, 4 * h});
            const bool down = keeps_its_vectors(box, {k, l, -4 * h});
            if (up && down) {
                out[k][l] = 0.5 * (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h);
            } else {
                const double to = up ? 1 : -1;
                out[k][l] = 0.5 * to *
                            (-25 * at(0) + 48 * at(to) - 36 * at(2 * to) + 16 * at(3 * to) -
                             3 * at(4 * to)) /
                            (12 * h);
            }
        }
    }
    return out;
}

/// Whether a pair's nearest images lie within `margin` of a distance: strains smaller than margin
/// would carry it across.
inline bool has_pair_near(const Box& box, std::span<const Vec3> x, double distance, double margin)
{
    for (std::size_t a = 0; a < x.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b) {
            if (std::fabs(norm(box.shortest(x[a] - x[b])) - distance) < margin) {
                return true;
            }
        }
    }
    return false;
}

} // namespace tessera::support
