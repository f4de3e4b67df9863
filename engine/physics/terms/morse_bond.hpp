#pragma once

#include "engine/base/real.hpp"
#include "engine/base/type_list.hpp"
#include "engine/geometry/internal_coordinates.hpp"
#include "engine/physics/energy_kind.hpp"
#include "engine/physics/field.hpp"

#include <cmath>
#include <string_view>
#include <tuple>

namespace tessera
{

/// Morse bond (GROMACS bonds 3).  U(r) = D [1 - exp(-a (r - r0))]^2     P. M. Morse, Phys. Rev. 34,
/// 57 (1929)
struct MorseBond {
    static constexpr int atoms = 2;
    using Coordinates = TypeList<DistanceOf<0, 1>>;
    static constexpr std::string_view name = "morse_bond";
    static constexpr EnergyKind kind = EnergyKind::bond;

    double depth, steepness, r0;
    static constexpr auto fields =
        std::tuple{Field{"depth", &MorseBond::depth, unit::energy},
                   Field{"steepness", &MorseBond::steepness, unit::inverse_length},
                   Field{"r0", &MorseBond::r0, unit::length}};
    static constexpr MorseBond typical() { return {400, 20, 0.1}; }
    friend bool operator==(const MorseBond&, const MorseBond&) = default;

    template <class R>
    TESSERA_FORMULA Response<R, 1> operator()(R r) const
    {
        using std::exp;
        const R e = exp(R(-steepness) * (r - R(r0)));
        const R s = R(1) - e;
        return {R(depth) * s * s, {R(2 * depth * steepness) * s * e}};
    }
};

} // namespace tessera
