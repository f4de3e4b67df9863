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

/// Cubic bond (GROMACS bonds 4).  U(r) = k d^2 + k kc d^3, d = r - r0 (no factor 1/2)
struct CubicBond {
    static constexpr int atoms = 2;
    using Coordinates = TypeList<DistanceOf<0, 1>>;
    static constexpr std::string_view name = "cubic_bond";
    static constexpr EnergyKind kind = EnergyKind::bond;

    double k, k_cubic, r0;
    static constexpr auto fields =
        std::tuple{Field{"k", &CubicBond::k, unit::energy_per_length2},
                   Field{"k_cubic", &CubicBond::k_cubic, unit::inverse_length},
                   Field{"r0", &CubicBond::r0, unit::length}};
    static constexpr CubicBond typical() { return {250000, -20, 0.1}; }
    friend bool operator==(const CubicBond&, const CubicBond&) = default;

    template <class R>
    TESSERA_FORMULA Response<R, 1> operator()(R r) const
    {
        const R stretch = r - R(r0);
        return {R(k) * stretch * stretch * (R(1) + R(k_cubic) * stretch),
                {R(k) * stretch * (R(2) + R(3 * k_cubic) * stretch)}};
    }
};

} // namespace tessera
