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

/// GROMOS-96 bond (GROMACS bonds 2).  U(r) = k/4 (r^2 - r0^2)^2
struct G96Bond {
    static constexpr int atoms = 2;
    using Coordinates = TypeList<DistanceOf<0, 1>>;
    static constexpr std::string_view name = "g96_bond";
    static constexpr EnergyKind kind = EnergyKind::bond;

    double k, r0;
    static constexpr auto fields = std::tuple{Field{"k", &G96Bond::k, unit::energy_per_length4},
                                              Field{"r0", &G96Bond::r0, unit::length}};
    static constexpr G96Bond typical() { return {12000000.0, 0.1}; }
    friend bool operator==(const G96Bond&, const G96Bond&) = default;

    template <class R>
    TESSERA_FORMULA Response<R, 1> operator()(R r) const
    {
        const R excess = r * r - R(r0 * r0);
        return {R(0.25 * k) * excess * excess, {R(k) * excess * r}};
    }
};

} // namespace tessera
