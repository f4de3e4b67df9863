#pragma once

#include "engine/base/real.hpp"
#include "engine/base/type_list.hpp"
#include "engine/geometry/internal_coordinates.hpp"
#include "engine/math/constants.hpp"
#include "engine/physics/energy_kind.hpp"
#include "engine/physics/field.hpp"

#include <cmath>
#include <string_view>
#include <tuple>

namespace tessera
{

/// Harmonic improper (GROMACS dihedrals 2; CHARMM impropers).  U = k/2 wrap(xi - xi0)^2, wrapped to
/// (-pi, pi]
struct HarmonicImproper {
    static constexpr int atoms = 4;
    using Coordinates = TypeList<DihedralOf<0, 1, 2, 3>>;
    static constexpr std::string_view name = "harmonic_improper";
    static constexpr EnergyKind kind = EnergyKind::improper;

    double k, xi0;
    static constexpr auto fields =
        std::tuple{Field{"k", &HarmonicImproper::k, unit::energy_per_angle2},
                   Field{"xi0", &HarmonicImproper::xi0, unit::angle}};
    static constexpr HarmonicImproper typical() { return {150, 0.3}; }
    friend bool operator==(const HarmonicImproper&, const HarmonicImproper&) = default;

    template <class R>
    TESSERA_FORMULA Response<R, 1> operator()(R xi) const
    {
        using std::rint;
        constexpr double turn = 2 * constants::pi;
        R d = xi - R(xi0);
        d -= R(turn) * rint(d * R(1 / turn));
        return {R(0.5 * k) * d * d, {R(k) * d}};
    }
};

} // namespace tessera
