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

/// Harmonic angle (GROMACS angles 1).  U(th) = k/2 (th - th0)^2
struct HarmonicAngle {
    static constexpr int atoms = 3;
    using Coordinates = TypeList<AngleOf<0, 1, 2>>;
    static constexpr std::string_view name = "harmonic_angle";
    static constexpr EnergyKind kind = EnergyKind::angle;

    double k, theta0;
    static constexpr auto fields =
        std::tuple{Field{"k", &HarmonicAngle::k, unit::energy_per_angle2},
                   Field{"theta0", &HarmonicAngle::theta0, unit::angle}};
    static constexpr HarmonicAngle typical() { return {400, 1.9}; }
    friend bool operator==(const HarmonicAngle&, const HarmonicAngle&) = default;

    template <class R>
    TESSERA_FORMULA Response<R, 1> operator()(R theta) const
    {
        const R bend = theta - R(theta0);
        return {R(0.5 * k) * bend * bend, {R(k) * bend}};
    }
};

} // namespace tessera
