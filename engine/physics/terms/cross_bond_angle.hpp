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

/// Bond-angle cross term (GROMACS angles 4).  U = k (|r_ik| - r3)(|r_ij| - r1 + |r_kj| - r2)
struct CrossBondAngle {
    static constexpr int atoms = 3;
    using Coordinates = TypeList<DistanceOf<0, 1>, DistanceOf<2, 1>, DistanceOf<0, 2>>;
    static constexpr std::string_view name = "cross_bond_angle";
    static constexpr EnergyKind kind = EnergyKind::angle;

    double k, r1, r2, r3;
    static constexpr auto fields =
        std::tuple{Field{"k", &CrossBondAngle::k, unit::energy_per_length2},
                   Field{"r1", &CrossBondAngle::r1, unit::length},
                   Field{"r2", &CrossBondAngle::r2, unit::length},
                   Field{"r3", &CrossBondAngle::r3, unit::length}};
    static constexpr CrossBondAngle typical() { return {8000, 0.1, 0.11, 0.17}; }
    friend bool operator==(const CrossBondAngle&, const CrossBondAngle&) = default;

    template <class R>
    TESSERA_FORMULA Response<R, 3> operator()(R r_ij, R r_kj, R r_ik) const
    {
        const R outer = r_ik - R(r3);
        const R inner = r_ij - R(r1) + r_kj - R(r2);
        return {R(k) * outer * inner, {R(k) * outer, R(k) * outer, R(k) * inner}};
    }
};

} // namespace tessera
