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

/// Ryckaert-Bellemans dihedral (GROMACS dihedrals 3; 5 after conversion).  U = sum_n c_n cos^n(phi
/// - pi), n = 0..5
struct RyckaertBellemans {
    static constexpr int atoms = 4;
    using Coordinates = TypeList<DihedralOf<0, 1, 2, 3>>;
    static constexpr std::string_view name = "ryckaert_bellemans";
    static constexpr EnergyKind kind = EnergyKind::ryckaert_bellemans;

    double c0, c1, c2, c3, c4, c5;
    static constexpr auto fields = std::tuple{Field{"c0", &RyckaertBellemans::c0, unit::energy},
                                              Field{"c1", &RyckaertBellemans::c1, unit::energy},
                                              Field{"c2", &RyckaertBellemans::c2, unit::energy},
                                              Field{"c3", &RyckaertBellemans::c3, unit::energy},
                                              Field{"c4", &RyckaertBellemans::c4, unit::energy},
                                              Field{"c5", &RyckaertBellemans::c5, unit::energy}};
    static constexpr RyckaertBellemans typical() { return {9, 12, -13, -3, 26, -31}; }
    friend bool operator==(const RyckaertBellemans&, const RyckaertBellemans&) = default;

    template <class R>
    TESSERA_FORMULA Response<R, 1> operator()(R phi) const
    {
        const SineCosine<R> of = sine_and_cosine(phi);
        const R c = -of.cosine; // cos(phi - pi); dc/dphi = sin(phi)
        const R energy = R(c0) + c * (R(c1) + c * (R(c2) + c * (R(c3) + c * (R(c4) + c * R(c5)))));
        const R by_cosine =
            R(c1) + c * (R(2 * c2) + c * (R(3 * c3) + c * (R(4 * c4) + c * R(5 * c5))));
        return {energy, {by_cosine * of.sine}};
    }
};

} // namespace tessera
