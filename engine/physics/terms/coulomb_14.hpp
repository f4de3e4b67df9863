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

/// Coulomb of a 1-4 pair, scaling included (GROMACS pairs 1 and 2).  U = strength/r, strength = ke
/// fudge q_i q_j
struct Coulomb14 {
    static constexpr int atoms = 2;
    using Coordinates = TypeList<DistanceOf<0, 1>>;
    static constexpr std::string_view name = "coulomb_14";
    static constexpr EnergyKind kind = EnergyKind::coulomb_14;
    static constexpr std::string_view domain = "atoms must not coincide";

    double strength;
    static constexpr auto fields =
        std::tuple{Field{"strength", &Coulomb14::strength, unit::energy_length}};
    static constexpr Coulomb14 typical() { return {5}; }
    friend bool operator==(const Coulomb14&, const Coulomb14&) = default;

    template <class R>
    TESSERA_FORMULA Response<R, 1> operator()(R r) const
    {
        const R inverse = R(1) / r;
        return {R(strength) * inverse, {R(-strength) * inverse * inverse}};
    }
};

} // namespace tessera
