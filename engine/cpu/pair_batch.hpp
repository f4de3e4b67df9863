#pragma once

#include "engine/plans/pair_form.hpp"

#include <cstdint>

namespace tessera
{

/// Up to `capacity` pairs of atoms within the larger cut-off, side by side, so that formulas run on
/// whole vectors. Cost a pair (Ewald, plain LJ): 6 loads, 5 stores, about 110 flops, 2 divisions,
/// 1 square root.
struct PairBatch {
    static constexpr int capacity = 128;
    static constexpr int lanes = 8; ///< the arrays are evaluated in whole groups of so many

    int size = 0;
    alignas(64) double dx[capacity], dy[capacity], dz[capacity]; ///< x_i - x_j, nm
    alignas(64) double r2[capacity];
    alignas(64) double charge_product[capacity]; ///< e^2
    alignas(64) double c6[capacity], c12[capacity], c4[capacity], cg[capacity];

    // results
    alignas(64) double r[capacity], inv_r[capacity];
    alignas(64) double force_over_r[capacity];
    alignas(64) double lj_energy[capacity], coulomb_energy[capacity];
    /// Force on i on the force grid (2^-36 kJ/mol/nm); fits_grid tells whether all could be told.
    alignas(64) std::int64_t fx[capacity], fy[capacity], fz[capacity];
    bool fits_grid = true;

    alignas(64) std::int32_t type_pair[capacity]; ///< index into the table of pairs of types
    alignas(64) std::int32_t lane_i[capacity];    ///< 0..3: which atom of the row's cluster
    alignas(64) std::int32_t slot_j[capacity];
};

/// Fills the results of the batch. Every instruction set gives the same bits (no fused operations,
/// no approximate reciprocals); which one runs is chosen once, by the CPU.
void evaluate(PairBatch& batch, const PairForm& form);

} // namespace tessera
