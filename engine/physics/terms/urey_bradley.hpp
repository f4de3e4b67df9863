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

/// Urey-Bradley angle (GROMACS angles 5; CHARMM).  U = k/2 (th - th0)^2 + kUB/2 (r13 - r0)^2
struct UreyBradley {
    static constexpr int atoms = 3;
    using Coordinates = TypeList<AngleOf<0, 1, 2>, DistanceOf<0, 2>>;
    static constexpr std::string_view name = "urey_bradley";
    static constexpr EnergyKind kind = EnergyKind::urey_bradley;

    double k, theta0, k_ub, r13;
    static constexpr auto fields =
        std::tuple{Field{"k", &UreyBradley::k, unit::energy_per_angle2},
                   Field{"theta0", &UreyBradley::theta0, unit::angle},
                   Field{"k_ub", &UreyBradley::k_ub, unit::energy_per_length2},
                   Field{"r13", &UreyBradley::r13, unit::length}};
    static constexpr UreyBradley typical() { return {400, 1.9, 20000, 0.17}; }
    friend bool operator==(const UreyBradley&, const UreyBradley&) = default;

    template <class R>
    TESSERA_FORMULA Response<R, 2> operator()(R theta, R r) const
    {
        const R bend = theta - R(theta0);
        const R stretch = r - R(r13);
        return {R(0.5 * k) * bend * bend + R(0.5 * k_ub) * stretch * stretch,
                {R(k) * bend, R(k_ub) * stretch}};
    }
};

} // namespace tessera
