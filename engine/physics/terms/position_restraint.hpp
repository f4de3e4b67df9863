#pragma once

#include "engine/base/real.hpp"
#include "engine/base/type_list.hpp"
#include "engine/geometry/internal_coordinates.hpp"
#include "engine/physics/energy_kind.hpp"
#include "engine/physics/field.hpp"

#include <string_view>
#include <tuple>

namespace tessera
{

/// Position restraint (GROMACS position_restraints 1).  U = sum_d k_d/2 (x_d - x0_d)^2, nearest
/// image
struct PositionRestraint {
    static constexpr int atoms = 1;
    using Coordinates = TypeList<AbsolutePosition>;
    static constexpr std::string_view name = "position_restraint";
    static constexpr EnergyKind kind = EnergyKind::position_restraint;

    double kx, ky, kz, x0, y0, z0;
    static constexpr auto fields =
        std::tuple{Field{"kx", &PositionRestraint::kx, unit::energy_per_length2},
                   Field{"ky", &PositionRestraint::ky, unit::energy_per_length2},
                   Field{"kz", &PositionRestraint::kz, unit::energy_per_length2},
                   Field{"x0", &PositionRestraint::x0, unit::length},
                   Field{"y0", &PositionRestraint::y0, unit::length},
                   Field{"z0", &PositionRestraint::z0, unit::length}};
    static constexpr PositionRestraint typical() { return {1000, 1000, 1000, 0.1, 0.2, 0.3}; }
    friend bool operator==(const PositionRestraint&, const PositionRestraint&) = default;

    [[nodiscard]] TESSERA_FORMULA Vec3 reference() const { return {x0, y0, z0}; }

    /// d[0]: nearest image of the displacement from reference().
    template <class R>
    TESSERA_FORMULA VectorResponse<R, 1> operator()(const BasicVec3<R>* d) const
    {
        const BasicVec3<R> pull{R(kx) * d[0].x, R(ky) * d[0].y, R(kz) * d[0].z};
        return {R(0.5) * dot(pull, d[0]), {pull}};
    }
};

} // namespace tessera
