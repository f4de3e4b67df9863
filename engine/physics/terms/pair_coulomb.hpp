#pragma once

#include "engine/base/real.hpp"
#include "engine/base/type_list.hpp"
#include "engine/geometry/internal_coordinates.hpp"
#include "engine/physics/energy_kind.hpp"
#include "engine/physics/field.hpp"
#include "engine/physics/terms/coulomb_14.hpp"

#include <string_view>
#include <tuple>

namespace tessera
{

/// Coulomb of an explicit non-bonded pair (GROMACS pairs_nb).  U = strength/r, strength = ke q_i
/// q_j
struct PairCoulomb {
    static constexpr int atoms = 2;
    using Coordinates = TypeList<DistanceOf<0, 1>>;
    static constexpr std::string_view name = "pair_coulomb";
    static constexpr EnergyKind kind = EnergyKind::coulomb_real;
    static constexpr std::string_view domain = "atoms must not coincide";

    double strength;
    static constexpr auto fields =
        std::tuple{Field{"strength", &PairCoulomb::strength, unit::energy_length}};
    static constexpr PairCoulomb typical() { return {5}; }
    friend bool operator==(const PairCoulomb&, const PairCoulomb&) = default;

    template <class R>
    TESSERA_FORMULA Response<R, 1> operator()(R r) const
    {
        return Coulomb14{strength}(r);
    }
};

} // namespace tessera
