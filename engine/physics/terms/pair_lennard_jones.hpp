#pragma once

#include "engine/base/real.hpp"
#include "engine/base/type_list.hpp"
#include "engine/geometry/internal_coordinates.hpp"
#include "engine/physics/energy_kind.hpp"
#include "engine/physics/field.hpp"
#include "engine/physics/terms/lennard_jones_14.hpp"

#include <string_view>
#include <tuple>

namespace tessera
{

/// Lennard-Jones of an explicit non-bonded pair (GROMACS pairs_nb).  U = c12/r^12 - c6/r^6, no
/// cut-off
struct PairLennardJones {
    static constexpr int atoms = 2;
    using Coordinates = TypeList<DistanceOf<0, 1>>;
    static constexpr std::string_view name = "pair_lennard_jones";
    static constexpr EnergyKind kind = EnergyKind::lj;
    static constexpr std::string_view domain = "atoms must not coincide";

    double c6, c12;
    static constexpr auto fields =
        std::tuple{Field{"c6", &PairLennardJones::c6, unit::energy_length6},
                   Field{"c12", &PairLennardJones::c12, unit::energy_length12}};
    static constexpr PairLennardJones typical() { return {0.001, 1e-06}; }
    friend bool operator==(const PairLennardJones&, const PairLennardJones&) = default;

    template <class R>
    TESSERA_FORMULA Response<R, 1> operator()(R r) const
    {
        return LennardJones14{c6, c12}(r);
    }
};

} // namespace tessera
