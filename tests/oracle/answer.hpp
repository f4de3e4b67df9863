#pragma once

#include "engine/math/mat3.hpp"
#include "engine/model/topology.hpp"
#include "tests/oracle/dual.hpp"
#include "tests/oracle/lattice.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace tessera::oracle
{

/// Energies (kJ/mol) by kind, forces (kJ/mol/nm) and virial -1/2 sum r outer F = 1/2 dU/d(strain).
struct Answer {
    std::array<double, energy_kind_count> energy{};
    std::vector<Vec3> gradient; ///< dU/dx, virtual sites not yet spread
    Mat3 virial{};

    explicit Answer(std::size_t atoms) : gradient(atoms) {}
    [[nodiscard]] double of(EnergyKind kind) const
    {
        return energy[static_cast<std::size_t>(kind)];
    }
    [[nodiscard]] double total() const
    {
        double sum = 0;
        for (const double e : energy) {
            sum += e;
        }
        return sum;
    }
    [[nodiscard]] Vec3 force(std::size_t atom) const
    {
        return {-gradient[atom].x, -gradient[atom].y, -gradient[atom].z};
    }
};

/// x with x_l -> x_l + e_kl x_k: nine strain directions behind the first `offset` ones.
template <int N>
Point<Dual<N>> strained(const Vec3& x, int offset)
{
    Point<Dual<N>> y{Dual<N>(x.x), Dual<N>(x.y), Dual<N>(x.z)};
    for (int k = 0; k < 3; ++k) {
        for (int l = 0; l < 3; ++l) {
            y[l].d[static_cast<std::size_t>(offset + 3 * k + l)] = x[k];
        }
    }
    return y;
}

/// Adds one interaction of `Atoms` atoms, given where they are (images chosen by the caller): its
/// energy is `energy(points)`, everything else follows by differentiation.
template <std::size_t Atoms, class Energy>
void add_interaction(Answer& answer, EnergyKind kind, const std::array<std::int32_t, Atoms>& atom,
                     const std::array<Vec3, Atoms>& at, const Energy& energy)
{
    constexpr int own = 3 * static_cast<int>(Atoms);
    using D = Dual<own + 9>;
    std::array<Point<D>, Atoms> x;
    for (std::size_t a = 0; a < Atoms; ++a) {
        x[a] = strained<own + 9>(at[a], own);
        for (int k = 0; k < 3; ++k) {
            x[a][k].d[3 * a + static_cast<std::size_t>(k)] = 1;
        }
    }
    const D u = energy(x);
    answer.energy[static_cast<std::size_t>(kind)] += u.v;
    for (std::size_t a = 0; a < Atoms; ++a) {
        auto& g = answer.gradient[static_cast<std::size_t>(atom[a])];
        for (int k = 0; k < 3; ++k) {
            g[k] += u.d[3 * a + static_cast<std::size_t>(k)];
        }
    }
    for (int k = 0; k < 3; ++k) {
        for (int l = 0; l < 3; ++l) {
            answer.virial[k][l] += 0.5 * u.d[static_cast<std::size_t>(own + 3 * k + l)];
        }
    }
}

} // namespace tessera::oracle
