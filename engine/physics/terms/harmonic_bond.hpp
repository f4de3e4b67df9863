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

/// Harmonic bond (GROMACS bonds 1 and 6).  U(r) = k/2 (r - r0)^2
struct HarmonicBond {
    static constexpr int atoms = 2;
    using Coordinates = TypeList<DistanceOf<0, 1>>;
    static constexpr std::string_view name = "harmonic_bond";
    static constexpr EnergyKind kind = EnergyKind::bond;

    double k, r0;
    static constexpr auto fields =
        std::tuple{Field{"k", &HarmonicBond::k, unit::energy_per_length2},
                   Field{"r0", &HarmonicBond::r0, unit::length}};
    static constexpr HarmonicBond typical() { return {250000, 0.1}; }
    friend bool operator==(const HarmonicBond&, const HarmonicBond&) = default;

    template <class R>
    TESSERA_FORMULA Response<R, 1> operator()(R r) const
    {
        const R stretch = r - R(r0);
        return {R(0.5 * k) * stretch * stretch, {R(k) * stretch}};
    }
};

} // namespace tessera
