#pragma once

#include "engine/model/topology.hpp"
#include "engine/physics/pair/pair_formulas.hpp"
#include "engine/plans/settings.hpp"

#include <cstdint>

namespace tessera
{

enum class CoulombForm : std::uint8_t { none, reaction_field, ewald };

/// Everything a pair of atoms needs beside its distance and its own parameters: the settings turned
/// into constants. Cut-offs may be infinite.
struct PairForm {
    double lj_cutoff2 = 0, coulomb_cutoff2 = 0; ///< nm^2
    LjModifier lj = LjModifier::none;
    LjShift<double> shift{};
    ForceSwitch<double> force_switch{};
    PotentialSwitch<double> potential_switch{};

    bool lj_ewald = false; ///< LJ-PME: the mesh holds -cg/r^6
    double lj_beta2 = 0;
    double lj_ewald_shift = 0; ///< potential shift of its part, per cg

    CoulombForm coulomb = CoulombForm::none;
    double coulomb_constant = 0;
    ReactionField<double> field{};
    double beta = 0;
    double ewald_shift = 0;
};

/// Checks the settings as far as they need no cell; throws InputError.
PairForm make_pair_form(const NonbondedSettings& settings, double coulomb_constant);

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
