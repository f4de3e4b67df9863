#pragma once

#include "engine/base/real.hpp"
#include "engine/base/type_list.hpp"
#include "engine/geometry/internal_coordinates.hpp"
#include "engine/math/constants.hpp"
#include "engine/physics/energy_kind.hpp"
#include "engine/physics/field.hpp"

#include <cmath>
#include <string_view>

namespace tessera
{

/// A correction map made ready (cmap_nodes): a view of its nodes, trivially copyable, that
/// interpolates bicubically. `node[4 (i size + j)]` holds f, h f_phi, h f_psi, h^2 f_phipsi at
/// phi = -pi + i h, psi = -pi + j h, h = 2 pi/size. Unit: kJ/mol.
template <class Stored>
struct CmapSurface {
    static constexpr int atoms = 5;
    using Coordinates = TypeList<DihedralOf<0, 1, 2, 3>, DihedralOf<1, 2, 3, 4>>;
    static constexpr std::string_view name = "cmap";
    static constexpr EnergyKind kind = EnergyKind::cmap;

    const Stored* node;
    int size;

    /// In the cell's fractions u, v: U = sum over corners and derivatives of node values times
    /// products of cubic Hermite polynomials.
    template <class R>
    TESSERA_FORMULA Response<R, 2> operator()(R phi, R psi) const
    {
        const Along<R> u = along(phi);
        const Along<R> v = along(psi);
        R energy{}, by_u{}, by_v{};
        for (int a = 0; a < 2; ++a) {
            for (int b = 0; b < 2; ++b) {
                const Stored* f = node + 4 * (u.index[a] * size + v.index[b]);
                const R value_v = R(f[0]) * v.value[b] + R(f[2]) * v.slope[b];
                const R twist_v = R(f[1]) * v.value[b] + R(f[3]) * v.slope[b];
                energy += u.value[a] * value_v + u.slope[a] * twist_v;
                by_u += u.d_value[a] * value_v + u.d_slope[a] * twist_v;
                by_v += u.value[a] * (R(f[0]) * v.d_value[b] + R(f[2]) * v.d_slope[b]) +
                        u.slope[a] * (R(f[1]) * v.d_value[b] + R(f[3]) * v.d_slope[b]);
            }
        }
        const R cells_per_radian = R(size) * R(0.5 / constants::pi);
        return {energy, {by_u * cells_per_radian, by_v * cells_per_radian}};
    }

private:
    /// The two nodes around an angle and their Hermite weights, with derivatives by the fraction.
    template <class R>
    struct Along {
        int index[2];
        R value[2], slope[2], d_value[2], d_slope[2];
    };

    template <class R>
    TESSERA_FORMULA Along<R> along(R angle) const
    {
        using std::floor;
        const R t = (angle + R(constants::pi)) * (R(size) * R(0.5 / constants::pi));
        const R below = floor(t);
        const R u = t - below;
        const R w = R(1) - u;
        int i = static_cast<int>(below);
        i = i < 0 ? i + size : (i >= size ? i - size : i); // -pi and pi are the same node
        return {{i, i + 1 < size ? i + 1 : 0},
                {(R(1) + R(2) * u) * w * w, (R(1) + R(2) * w) * u * u},
                {u * w * w, -u * u * w},
                {R(-6) * u * w, R(6) * u * w},
                {w * (R(1) - R(3) * u), u * (R(3) * u - R(2))}};
    }
};

} // namespace tessera
