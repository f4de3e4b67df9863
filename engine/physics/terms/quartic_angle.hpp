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

/// Quartic angle (GROMACS angles 6).  U = sum_n c_n (th - th0)^n, n = 0..4
struct QuarticAngle {
    static constexpr int atoms = 3;
    using Coordinates = TypeList<AngleOf<0, 1, 2>>;
    static constexpr std::string_view name = "quartic_angle";
    static constexpr EnergyKind kind = EnergyKind::angle;

    double theta0, c0, c1, c2, c3, c4;
    static constexpr auto fields =
        std::tuple{Field{"theta0", &QuarticAngle::theta0, unit::angle},
                   Field{"c0", &QuarticAngle::c0, unit::energy},
                   Field{"c1", &QuarticAngle::c1, unit::energy_per_angle},
                   Field{"c2", &QuarticAngle::c2, unit::energy_per_angle2},
                   Field{"c3", &QuarticAngle::c3, unit::energy_per_angle3},
                   Field{"c4", &QuarticAngle::c4, unit::energy_per_angle4}};
    static constexpr QuarticAngle typical() { return {1.9, 1, 2, 300, 20, 30}; }
    friend bool operator==(const QuarticAngle&, const QuarticAngle&) = default;

    template <class R>
    TESSERA_FORMULA Response<R, 1> operator()(R theta) const
    {
        const R d = theta - R(theta0);
        return {R(c0) + d * (R(c1) + d * (R(c2) + d * (R(c3) + d * R(c4)))),
                {R(c1) + d * (R(2 * c2) + d * (R(3 * c3) + d * R(4 * c4)))}};
    }
};

} // namespace tessera
