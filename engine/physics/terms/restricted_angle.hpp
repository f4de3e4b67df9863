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

/// Restricted bending (GROMACS angles 10).  U = k/2 (cos th - cos th0)^2 / sin^2 th     M. Bulacu
/// et al., J. Chem. Theory Comput. 9, 3282 (2013)
struct RestrictedAngle {
    static constexpr int atoms = 3;
    using Coordinates = TypeList<CosAngleOf<0, 1, 2>>;
    static constexpr std::string_view name = "restricted_angle";
    static constexpr EnergyKind kind = EnergyKind::angle;
    static constexpr std::string_view domain = "angle must stay away from 0 and 180 degrees";

    double k, cos_theta0;
    static constexpr auto fields =
        std::tuple{Field{"k", &RestrictedAngle::k, unit::energy},
                   Field{"cos_theta0", &RestrictedAngle::cos_theta0, unit::none}};
    static constexpr RestrictedAngle typical() { return {40, -0.33}; }
    friend bool operator==(const RestrictedAngle&, const RestrictedAngle&) = default;

    template <class R>
    TESSERA_FORMULA Response<R, 1> operator()(R cosine) const
    {
        constexpr R smallest = R(1e-12);
        R sine2 = R(1) - cosine * cosine;
        sine2 = sine2 > smallest ? sine2 : R(0); // then the energy is not finite
        const R bend = cosine - R(cos_theta0);
        return {R(0.5 * k) * bend * bend / sine2,
                {R(k) * bend * (R(1) - R(cos_theta0) * cosine) / (sine2 * sine2)}};
    }
};

} // namespace tessera
