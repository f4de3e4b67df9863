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

/// Flat-bottomed bond (GROMACS bonds 10).  0 between low and up1, harmonic outside, linear beyond
/// up2
struct RestraintBond {
    static constexpr int atoms = 2;
    using Coordinates = TypeList<DistanceOf<0, 1>>;
    static constexpr std::string_view name = "restraint_bond";
    static constexpr EnergyKind kind = EnergyKind::bond;

    double k, low, up1, up2;
    static constexpr auto fields =
        std::tuple{Field{"k", &RestraintBond::k, unit::energy_per_length2},
                   Field{"low", &RestraintBond::low, unit::length},
                   Field{"up1", &RestraintBond::up1, unit::length},
                   Field{"up2", &RestraintBond::up2, unit::length}};
    static constexpr RestraintBond typical() { return {1000, 0.05, 0.08, 0.2}; }
    friend bool operator==(const RestraintBond&, const RestraintBond&) = default;

    template <class R>
    TESSERA_FORMULA Response<R, 1> operator()(R r) const
    {
        if (r < R(low)) {
            return {R(0.5 * k) * (r - R(low)) * (r - R(low)), {R(k) * (r - R(low))}};
        }
        if (r < R(up1)) {
            return {R(0), {R(0)}};
        }
        if (r < R(up2)) {
            return {R(0.5 * k) * (r - R(up1)) * (r - R(up1)), {R(k) * (r - R(up1))}};
        }
        return {R(0.5 * k * (up2 - up1)) * (R(2) * r - R(up1 + up2)), {R(k * (up2 - up1))}};
    }
};

} // namespace tessera
