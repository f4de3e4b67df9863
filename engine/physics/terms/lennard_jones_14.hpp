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

/// Lennard-Jones of a 1-4 pair (GROMACS pairs 1 and 2).  U = c12/r^12 - c6/r^6, no cut-off
struct LennardJones14 {
    static constexpr int atoms = 2;
    using Coordinates = TypeList<DistanceOf<0, 1>>;
    static constexpr std::string_view name = "lennard_jones_14";
    static constexpr EnergyKind kind = EnergyKind::lj_14;
    static constexpr std::string_view domain = "atoms must not coincide";

    double c6, c12;
    static constexpr auto fields =
        std::tuple{Field{"c6", &LennardJones14::c6, unit::energy_length6},
                   Field{"c12", &LennardJones14::c12, unit::energy_length12}};
    static constexpr LennardJones14 typical() { return {0.001, 1e-06}; }
    friend bool operator==(const LennardJones14&, const LennardJones14&) = default;

    template <class R>
    TESSERA_FORMULA Response<R, 1> operator()(R r) const
    {
        const R inverse = R(1) / r;
        const R inverse2 = inverse * inverse;
        const R inverse6 = inverse2 * inverse2 * inverse2;
        const R attraction = R(c6) * inverse6;
        const R repulsion = R(c12) * inverse6 * inverse6;
        return {repulsion - attraction, {(R(6) * attraction - R(12) * repulsion) * inverse}};
    }
};

} // namespace tessera
