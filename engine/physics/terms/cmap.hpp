#pragma once

#include "engine/base/type_list.hpp"
#include "engine/geometry/internal_coordinates.hpp"
#include "engine/physics/cmap_surface.hpp"
#include "engine/physics/energy_kind.hpp"

#include <string_view>
#include <vector>

namespace tessera
{

/// Correction map over two consecutive dihedrals phi(0,1,2,3), psi(1,2,3,4) (CHARMM22/27/36,
/// ff19SB). `values[i * size + j]` (kJ/mol) is the energy at phi = -pi + 2 pi i/size, psi = -pi + 2
/// pi j/size; bicubic in between with derivatives from periodic splines.   A. D. MacKerell, M.
/// Feig, C. L. Brooks, J. Comput. Chem. 25, 1400 (2004)
///
/// Loops evaluate a CmapSurface over cmap_nodes(map), made once per map.
struct Cmap {
    static constexpr int atoms = 5;
    using Coordinates = TypeList<DihedralOf<0, 1, 2, 3>, DihedralOf<1, 2, 3, 4>>;
    static constexpr std::string_view name = "cmap";
    static constexpr EnergyKind kind = EnergyKind::cmap;

    int size = 0;
    std::vector<double> values; ///< [size][size], phi slowest

    /// A smooth map without symmetry, 12 x 12.
    static Cmap typical();
    friend bool operator==(const Cmap&, const Cmap&) = default;
};

/// The nodes of CmapSurface for a map: values and the derivatives of its periodic cubic splines,
/// the cross derivative along psi of the derivative along phi.
std::vector<double> cmap_nodes(const Cmap& map);

} // namespace tessera
