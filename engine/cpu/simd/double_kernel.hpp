#pragma once

#include "engine/base/fixed_point.hpp"
#include "engine/cpu/simd/block_kernel.hpp"

#include <array>
#include <cstdint>

namespace tessera
{

/// A pair's force and energy in FP64.
struct DoubleForm {
    static constexpr int terms = 24;
    double cutoff2 = 0; ///< nm^2
    BlockCoulomb coulomb = BlockCoulomb::none;
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

/// As BlockTask, for FP64.
struct DoubleTask {
    const double* xyzq;       ///< [clusters][4][4]: x y z (nm), charge (e)
    const std::int32_t* type; ///< [slots]
    const std::int32_t* cluster;
    const std::uint32_t* offset;
    const double* shift;          ///< [shifts][4]: what an entry subtracts, nm
    std::array<double, 3> origin; ///< nm; near all entries, reaches no bit
    std::int64_t entries;
    const BlockRow* rows;
    std::int64_t row_count;
    const BlockTile* tiles;
};

/// Room for one block.
struct DoubleWorkspace {
    float* near;          ///< [entries][16]: x4 y4 z4 and zeros, relative to the origin
    double* position;     ///< [entries][16]: x4 y4 z4 q4
    std::int32_t* type;   ///< [entries][4]
    std::int64_t* force;  ///< [entries][3][4]
    std::uint32_t* units; ///< [4][tiles of a row, and two]
};

struct DoubleSums {
    ExactSum lj, coulomb;
};

/// Forces and energies of the pairs of a block within the cut-off, in FP64: each component of each
/// pair is rounded to the grid of forces, each energy to that of energies, and added as an integer.
/// A function of the displacement and of products of both atoms' parameters, odd in the
/// displacement. All operations are IEEE's, so every instruction set gives the same bits.
///
/// A tile's sixteen pairs are first looked at in FP32, with a margin: of an atom of the row only
/// those columns are kept that have an atom near it. Two such units of 1x4 pairs fill a vector.
struct DoubleKernel {
    using Add = bool (*)(const DoubleTask&, const DoubleForm&, const DoubleWorkspace&, DoubleSums&);
    /// Fills workspace.force; energies are added to the sums. False: some pair is out of range, and
    /// all sums are worthless.
    Add forces, energies, both;
};
} // namespace tessera
