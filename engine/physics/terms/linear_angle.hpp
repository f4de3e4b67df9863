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
};

} // namespace tessera
