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

/// Linear angle (GROMACS angles 9).  U = k/2 |a (x_i - x_j) + (1 - a)(x_k - x_j)|^2
struct LinearAngle {
    static constexpr int atoms = 3;
    using Coordinates = TypeList<DisplacementsOf<3>>;
    static constexpr std::string_view name = "linear_angle";
    static constexpr EnergyKind kind = EnergyKind::angle;

    double a, k;
    static constexpr auto fields =
        std::tuple{Field{"a", &LinearAngle::a, unit::none},
                   Field{"k", &LinearAngle::k, unit::energy_per_length2}};
    static constexpr LinearAngle typical() { return {0.4, 5000}; }
    friend bool operator==(const LinearAngle&, const LinearAngle&) = default;

    /// With i, j, k = atoms 0, 1, 2 the bracket is (1 - a)(x_2 - x_0) - (x_1 - x_0).
    template <class R>
    TESSERA_FORMULA VectorResponse<R, 2> operator()(const BasicVec3<R>* d) const
    {
        const BasicVec3<R> offset = R(1 - a) * d[1] - d[0];
        return {R(0.5 * k) * norm2(offset), {R(-k) * offset, R((1 - a) * k) * offset}};
    }
};

} // namespace tessera
