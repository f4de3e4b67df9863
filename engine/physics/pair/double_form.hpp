#pragma once

#include "engine/physics/pair/coulomb.hpp"

#include <array>
#include <cstdint>

namespace tessera
{

/// Constants of a pair's force and energy in FP64 (double_pair.inl).
struct DoubleForm {
    static constexpr int terms = 24;
    double cutoff2 = 0; ///< nm^2
    CoulombForm coulomb = CoulombForm::none;
    double charge_scale = 0;         ///< root of the Coulomb constant
    double field_k = 0, field_c = 0; ///< reaction field
    /// The smooth parts of an Ewald sum, both negative, of unit charges: force over distance, and
    /// energy; polynomials in r^2 * scale - 1, coefficients ascending.
    double scale = 0;
    std::array<double, terms> smooth_force{}, smooth_energy{};
    double ewald_shift = 0;
    double inv_rc6 = 0, inv_rc12 = 0; ///< potential shift of Lennard-Jones, or zero
    /// [types][types]: 6 c6 and 12 c12; and whether any pair of a type has either.
    const double *six_c6 = nullptr, *twelve_c12 = nullptr;
    const std::uint8_t* has_lj = nullptr; ///< [types]
    std::int32_t types = 0;

    /// A pair whose |force| over distance is below it is told exactly, on the grid of forces.
    double largest_force_over_r = 0;
    static constexpr double largest_energy = 32768; ///< kJ/mol: so many fit where energies meet
};

} // namespace tessera
