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

/// Bond-bond cross term (GROMACS angles 3).  U = k (|r_ij| - r1)(|r_kj| - r2)
struct CrossBondBond {
    static constexpr int atoms = 3;
    using Coordinates = TypeList<DistanceOf<0, 1>, DistanceOf<2, 1>>;
    static constexpr std::string_view name = "cross_bond_bond";
    static constexpr EnergyKind kind = EnergyKind::angle;

    double k, r1, r2;
    static constexpr auto fields =
        std::tuple{Field{"k", &CrossBondBond::k, unit::energy_per_length2},
                   Field{"r1", &CrossBondBond::r1, unit::length},
                   Field{"r2", &CrossBondBond::r2, unit::length}};
    static constexpr CrossBondBond typical() { return {8000, 0.1, 0.11}; }
    friend bool operator==(const CrossBondBond&, const CrossBondBond&) = default;

    template <class R>
    TESSERA_FORMULA Response<R, 2> operator()(R r_ij, R r_kj) const
    {
        const R first = r_ij - R(r1);
        const R second = r_kj - R(r2);
        return {R(k) * first * second, {R(k) * second, R(k) * first}};
    }
};

} // namespace tessera
