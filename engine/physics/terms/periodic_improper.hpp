#pragma once

#include "engine/base/real.hpp"
#include "engine/base/type_list.hpp"
#include "engine/geometry/internal_coordinates.hpp"
#include "engine/physics/energy_kind.hpp"
#include "engine/physics/field.hpp"
#include "engine/physics/terms/periodic_dihedral.hpp"

#include <string_view>
#include <tuple>

namespace tessera
{

/// Periodic improper (GROMACS dihedrals 4; Amber impropers): the formula of PeriodicDihedral,
/// booked apart
struct PeriodicImproper {
    static constexpr int atoms = 4;
    using Coordinates = TypeList<DihedralOf<0, 1, 2, 3>>;
    static constexpr std::string_view name = "periodic_improper";
    static constexpr EnergyKind kind = EnergyKind::periodic_improper;

    double k, phi0, multiplicity;
    static constexpr auto fields =
        std::tuple{Field{"k", &PeriodicImproper::k, unit::energy},
                   Field{"phi0", &PeriodicImproper::phi0, unit::angle},
                   Field{"multiplicity", &PeriodicImproper::multiplicity, unit::none}};
    static constexpr PeriodicImproper typical() { return {5, 3.141592653589793, 2}; }
    friend bool operator==(const PeriodicImproper&, const PeriodicImproper&) = default;

    template <class R>
    TESSERA_FORMULA Response<R, 1> operator()(R phi) const
    {
        return PeriodicDihedral{k, phi0, multiplicity}(phi);
    }
};

} // namespace tessera
