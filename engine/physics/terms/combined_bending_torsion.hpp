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

    /// The factors sin^3 outweigh the 1/sin of the dihedral's gradient: forces vanish at linear
    /// angles.
    template <class R>
    TESSERA_FORMULA Response<R, 3> operator()(R cos1, R cos2, R phi) const
    {
        using std::cos;
        using std::sin;
        using std::sqrt;
        const R square1 = R(1) - cos1 * cos1;
        const R square2 = R(1) - cos2 * cos2;
        const R sin1 = sqrt(square1);
        const R sin2 = sqrt(square2);
        const R cube1 = square1 * sin1;
        const R cube2 = square2 * sin2;
        const R c = cos(phi);
        const R series = R(p0) * (R(p1) + c * (R(p2) + c * (R(p3) + c * (R(p4) + c * R(p5)))));
        const R by_cosine = R(p0) * (R(p2) + c * (R(2 * p3) + c * (R(3 * p4) + c * R(4 * p5))));
        return {cube1 * cube2 * series,
                {R(-3) * sin1 * cos1 * cube2 * series, R(-3) * sin2 * cos2 * cube1 * series,
                 -cube1 * cube2 * by_cosine * sin(phi)}};
    }
};

} // namespace tessera
