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

/// Restricted torsion (GROMACS dihedrals 10).  U = k/2 (cos phi - cos phi0)^2 / sin^2 phi     M.
/// Bulacu et al. (2013)
struct RestrictedDihedral {
    static constexpr int atoms = 4;
    using Coordinates = TypeList<DihedralOf<0, 1, 2, 3>>;
    static constexpr std::string_view name = "restricted_dihedral";
    static constexpr EnergyKind kind = EnergyKind::proper_dihedral;

    double k, cos_phi0;
    static constexpr auto fields =
        std::tuple{Field{"k", &RestrictedDihedral::k, unit::energy},
                   Field{"cos_phi0", &RestrictedDihedral::cos_phi0, unit::none}};
    static constexpr RestrictedDihedral typical() { return {10, 0.3}; }
    friend bool operator==(const RestrictedDihedral&, const RestrictedDihedral&) = default;
};

} // namespace tessera
