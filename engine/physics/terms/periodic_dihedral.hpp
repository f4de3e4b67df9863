#pragma once

#include "engine/base/real.hpp"
#include "engine/base/type_list.hpp"
#include "engine/geometry/internal_coordinates.hpp"
#include "engine/math/trigonometry.hpp"
#include "engine/physics/energy_kind.hpp"
#include "engine/physics/field.hpp"

#include <string_view>
#include <tuple>

namespace tessera
{

/// Periodic dihedral (GROMACS dihedrals 1 and 9; Amber, CHARMM propers).  U = k [1 + cos(n phi -
/// phi0)]
struct PeriodicDihedral {
    static constexpr int atoms = 4;
    using Coordinates = TypeList<DihedralOf<0, 1, 2, 3>>;
    static constexpr std::string_view name = "periodic_dihedral";
    static constexpr EnergyKind kind = EnergyKind::proper_dihedral;

    double k, phi0, multiplicity;
    static constexpr auto fields =
        std::tuple{Field{"k", &PeriodicDihedral::k, unit::energy},
                   Field{"phi0", &PeriodicDihedral::phi0, unit::angle},
                   Field{"multiplicity", &PeriodicDihedral::multiplicity, unit::none}};
    static constexpr PeriodicDihedral typical() { return {5, 0.7, 3}; }
    friend bool operator==(const PeriodicDihedral&, const PeriodicDihedral&) = default;

    template <class R>
    TESSERA_FORMULA Response<R, 1> operator()(R phi) const
    {
        const SineCosine<R> of = sine_and_cosine(R(multiplicity) * phi - R(phi0));
        return {R(k) * (R(1) + of.cosine), {R(-k * multiplicity) * of.sine}};
    }
};

} // namespace tessera
