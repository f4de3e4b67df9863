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

/// GROMOS-96 angle (GROMACS angles 2).  U = k/2 (cos th - cos th0)^2
struct G96Angle {
    static constexpr int atoms = 3;
    using Coordinates = TypeList<CosAngleOf<0, 1, 2>>;
    static constexpr std::string_view name = "g96_angle";
    static constexpr EnergyKind kind = EnergyKind::angle;

    double k, cos_theta0;
    static constexpr auto fields =
        std::tuple{Field{"k", &G96Angle::k, unit::energy},
                   Field{"cos_theta0", &G96Angle::cos_theta0, unit::none}};
    static constexpr G96Angle typical() { return {450, -0.33}; }
    friend bool operator==(const G96Angle&, const G96Angle&) = default;

    template <class R>
    TESSERA_FORMULA Response<R, 1> operator()(R cosine) const
    {
        const R bend = cosine - R(cos_theta0);
        return {R(0.5 * k) * bend * bend, {R(k) * bend}};
    }
};

} // namespace tessera
