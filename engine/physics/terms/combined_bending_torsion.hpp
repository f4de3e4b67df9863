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

/// Combined bending-torsion (GROMACS dihedrals 11).  U = sin^3 th1 sin^3 th2 p0 sum_n p_(n+1) cos^n
/// phi, n = 0..4     M. Bulacu et al. (2013)
struct CombinedBendingTorsion {
    static constexpr int atoms = 4;
    using Coordinates = TypeList<CosAngleOf<0, 1, 2>, CosAngleOf<1, 2, 3>, DihedralOf<0, 1, 2, 3>>;
    static constexpr std::string_view name = "combined_bending_torsion";
    static constexpr EnergyKind kind = EnergyKind::proper_dihedral;

    double p0, p1, p2, p3, p4, p5;
    static constexpr auto fields =
        std::tuple{Field{"p0", &CombinedBendingTorsion::p0, unit::none},
                   Field{"p1", &CombinedBendingTorsion::p1, unit::energy},
                   Field{"p2", &CombinedBendingTorsion::p2, unit::energy},
                   Field{"p3", &CombinedBendingTorsion::p3, unit::energy},
                   Field{"p4", &CombinedBendingTorsion::p4, unit::energy},
                   Field{"p5", &CombinedBendingTorsion::p5, unit::energy}};
    static constexpr CombinedBendingTorsion typical() { return {1, 5, 3, -2, 1, 0.5}; }
    friend bool operator==(const CombinedBendingTorsion&, const CombinedBendingTorsion&) = default;
};

} // namespace tessera
