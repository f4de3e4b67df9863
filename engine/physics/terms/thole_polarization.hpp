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

/// Damped dipole-dipole interaction of two shells (GROMACS thole_polarization): atoms core 1, shell
/// 1, core 2, shell 2.  U = sum of +-strength/r [1 - (1 + s/2) exp(-s)], s = r screening, over the
/// four pairs; strength = ke q_shell1 q_shell2, negative sign for core-shell,
/// screening = a/(alpha1 alpha2)^(1/6)     B. T. Thole, Chem. Phys. 59, 341 (1981)
struct TholePolarization {
    static constexpr int atoms = 4;
    using Coordinates =
        TypeList<DistanceOf<0, 2>, DistanceOf<1, 2>, DistanceOf<0, 3>, DistanceOf<1, 3>>;
    static constexpr std::string_view name = "thole_polarization";
    static constexpr EnergyKind kind = EnergyKind::polarization;
    static constexpr std::string_view domain = "atoms must not coincide";

    double strength, screening;
    static constexpr auto fields =
        std::tuple{Field{"strength", &TholePolarization::strength, unit::energy_length},
                   Field{"screening", &TholePolarization::screening, unit::inverse_length}};
    static constexpr TholePolarization typical() { return {130, 15}; }
    friend bool operator==(const TholePolarization&, const TholePolarization&) = default;

    template <class R>
    TESSERA_FORMULA Response<R, 4> operator()(R r02, R r12, R r03, R r13) const
    {
        const Response<R, 1> p02 = damped(r02);
        const Response<R, 1> p12 = damped(r12);
        const Response<R, 1> p03 = damped(r03);
        const Response<R, 1> p13 = damped(r13);
        return {p02.energy - p12.energy - p03.energy + p13.energy,
                {p02.slope[0], -p12.slope[0], -p03.slope[0], p13.slope[0]}};
    }

private:
    template <class R>
    TESSERA_FORMULA Response<R, 1> damped(R r) const
    {
        using std::exp;
        const R s = r * R(screening);
        const R e = exp(-s);
        const R inverse = R(1) / r;
        const R energy = R(strength) * inverse * (R(1) - (R(1) + R(0.5) * s) * e);
        return {energy, {inverse * (R(0.5 * strength * screening) * (R(1) + s) * e - energy)}};
    }
};

} // namespace tessera
