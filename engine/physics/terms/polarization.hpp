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

/// Shell on a spring (GROMACS polarization 1).  U = k/2 r^2, k = ke q_shell^2/alpha
struct Polarization {
    static constexpr int atoms = 2;
    using Coordinates = TypeList<DistanceOf<0, 1>>;
    static constexpr std::string_view name = "polarization";
    static constexpr EnergyKind kind = EnergyKind::polarization;

    double k;
    static constexpr auto fields =
        std::tuple{Field{"k", &Polarization::k, unit::energy_per_length2}};
    static constexpr Polarization typical() { return {100000}; }
    friend bool operator==(const Polarization&, const Polarization&) = default;

    template <class R>
    TESSERA_FORMULA Response<R, 1> operator()(R r) const
    {
        return {R(0.5 * k) * r * r, {R(k) * r}};
    }
};

} // namespace tessera
