#pragma once

#include "engine/base/real.hpp"
#include "engine/base/type_list.hpp"
#include "engine/geometry/internal_coordinates.hpp"
#include "engine/physics/energy_kind.hpp"
#include "engine/physics/field.hpp"

#include <cmath>
#include <string_view>
#include <tuple>

namespace tessera
{

/// Anisotropic shell of a water model (GROMACS water_polarization): atoms O, H1, H2, D, S.
/// U = 1/2 sum_d k_d (S - D).e_d^2 in the molecule's frame: e_z = (D - O)/|D - O|, e_x the normal
/// of the plane O H1 H2, e_y = (H2 - H1)/r_hh; k_d = ke q_S^2/alpha_d
///
/// As in the model's definition the force acts on S and D alone: the turning of the frame is left
/// out, so the force is the gradient with respect to S (D takes the reaction), and O, H1, H2 feel
/// nothing. The gradient it is where the frame is orthogonal: H1 and H2 mirror each other in D - O.
///     P. J. van Maaren, D. van der Spoel, J. Phys. Chem. B 105, 2618 (2001)
struct WaterPolarization {
    static constexpr int atoms = 5;
    using Coordinates = TypeList<DisplacementsOf<5>>;
    static constexpr std::string_view name = "water_polarization";
    static constexpr EnergyKind kind = EnergyKind::polarization;
    static constexpr std::string_view domain =
        "D must not coincide with O, and O, H1, H2 must span a plane";
    static constexpr bool frame_is_rigid =
        true; ///< forces are no gradient with respect to O, H1, H2

    double k_x, k_y, k_z, r_hh;
    static constexpr auto fields =
        std::tuple{Field{"k_x", &WaterPolarization::k_x, unit::energy_per_length2},
                   Field{"k_y", &WaterPolarization::k_y, unit::energy_per_length2},
                   Field{"k_z", &WaterPolarization::k_z, unit::energy_per_length2},
                   Field{"r_hh", &WaterPolarization::r_hh, unit::length}};
    static constexpr WaterPolarization typical() { return {150000, 120000, 180000, 0.152}; }
    friend bool operator==(const WaterPolarization&, const WaterPolarization&) = default;

    /// d: H1, H2, D, S from O.
    template <class R>
    TESSERA_FORMULA VectorResponse<R, 4> operator()(const BasicVec3<R>* d) const
    {
        const BasicVec3<R> normal = cross(d[0], d[1]);
        const BasicVec3<R> e_x = (R(1) / norm(normal)) * normal;
        const BasicVec3<R> e_y = R(1 / r_hh) * (d[1] - d[0]);
        const BasicVec3<R> e_z = (R(1) / norm(d[2])) * d[2];
        BasicVec3<R> rest = d[3] - d[2];
        const R z = dot(rest, e_z);
        rest -= z * e_z;
        const R x = dot(rest, e_x);
        rest -= x * e_x;
        const R y = dot(rest, e_y);
        const BasicVec3<R> pull = R(k_x) * x * e_x + R(k_y) * y * e_y + R(k_z) * z * e_z;
        return {R(0.5) * (R(k_x) * x * x + R(k_y) * y * y + R(k_z) * z * z),
                {BasicVec3<R>{}, BasicVec3<R>{}, -pull, pull}};
    }
};

} // namespace tessera
