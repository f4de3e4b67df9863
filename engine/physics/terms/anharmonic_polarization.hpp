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

/// Shell on a spring that stiffens (GROMACS polarization 2, anharmonic).
/// U = k/2 r^2 + k_hyper (r - r_cut)^4 beyond r_cut, k = ke q_shell^2/alpha
struct AnharmonicPolarization {
    static constexpr int atoms = 2;
    using Coordinates = TypeList<DistanceOf<0, 1>>;
    static constexpr std::string_view name = "anharmonic_polarization";
    static constexpr EnergyKind kind = EnergyKind::polarization;

    double k, r_cut, k_hyper;
    static constexpr auto fields =
        std::tuple{Field{"k", &AnharmonicPolarization::k, unit::energy_per_length2},
                   Field{"r_cut", &AnharmonicPolarization::r_cut, unit::length},
                   Field{"k_hyper", &AnharmonicPolarization::k_hyper, unit::energy_per_length4}};
    static constexpr AnharmonicPolarization typical() { return {100000, 0.02, 16e8}; }
    friend bool operator==(const AnharmonicPolarization&, const AnharmonicPolarization&) = default;

    template <class R>
    TESSERA_FORMULA Response<R, 1> operator()(R r) const
    {
        const R excess = r > R(r_cut) ? r - R(r_cut) : R(0);
        const R cube = excess * excess * excess;
        return {R(0.5 * k) * r * r + R(k_hyper) * cube * excess,
                {R(k) * r + R(4 * k_hyper) * cube}};
    }
};

} // namespace tessera
