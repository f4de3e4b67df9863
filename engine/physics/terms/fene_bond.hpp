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

/// FENE bond (GROMACS bonds 7).  U(r) = -k/2 rm^2 ln(1 - r^2/rm^2); r >= rm is an error
struct FeneBond {
    static constexpr int atoms = 2;
    using Coordinates = TypeList<DistanceOf<0, 1>>;
    static constexpr std::string_view name = "fene_bond";
    static constexpr EnergyKind kind = EnergyKind::bond;
    static constexpr std::string_view domain = "distance must stay below r_max";

    double k, r_max;
    static constexpr auto fields = std::tuple{Field{"k", &FeneBond::k, unit::energy_per_length2},
                                              Field{"r_max", &FeneBond::r_max, unit::length}};
    static constexpr FeneBond typical() { return {20000, 0.25}; }
    friend bool operator==(const FeneBond&, const FeneBond&) = default;

    template <class R>
    TESSERA_FORMULA Response<R, 1> operator()(R r) const
    {
        using std::log;
        const R rest = R(1) - r * r * R(1 / (r_max * r_max)); // not positive: log is not finite
        return {R(-0.5 * k * r_max * r_max) * log(rest), {R(k) * r / rest}};
    }
};

} // namespace tessera
