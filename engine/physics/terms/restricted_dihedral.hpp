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

/// Restricted torsion (GROMACS dihedrals 10).  U = k/2 (cos phi - cos phi0)^2 / sin^2 phi     M.
/// Bulacu et al. (2013)
struct RestrictedDihedral {
    static constexpr int atoms = 4;
    using Coordinates = TypeList<DihedralOf<0, 1, 2, 3>>;
    static constexpr std::string_view name = "restricted_dihedral";
    static constexpr EnergyKind kind = EnergyKind::proper_dihedral;
    static constexpr std::string_view domain = "dihedral must stay away from 0 and 180 degrees";

    double k, cos_phi0;
    static constexpr auto fields =
        std::tuple{Field{"k", &RestrictedDihedral::k, unit::energy},
                   Field{"cos_phi0", &RestrictedDihedral::cos_phi0, unit::none}};
    static constexpr RestrictedDihedral typical() { return {10, 0.3}; }
    friend bool operator==(const RestrictedDihedral&, const RestrictedDihedral&) = default;

    template <class R>
    TESSERA_FORMULA Response<R, 1> operator()(R phi) const
    {
        using std::cos;
        using std::sin;
        constexpr R smallest = R(1e-6);
        const R cosine = cos(phi);
        R sine = sin(phi);
        sine = sine > smallest || sine < -smallest ? sine : R(0); // then the energy is not finite
        const R bend = cosine - R(cos_phi0);
        return {R(0.5 * k) * bend * bend / (sine * sine),
                {R(-k) * bend * (R(1) - R(cos_phi0) * cosine) / (sine * sine * sine)}};
    }
};

} // namespace tessera
