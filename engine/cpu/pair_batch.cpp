#include "engine/cpu/pair_batch.hpp"

#include "engine/base/fixed_point.hpp"
#include "engine/cpu/simd/simd_choice.hpp"
#include "engine/math/erfc.hpp"

#include <bit>
#include <cmath>

namespace tessera
{

namespace
{

#define TESSERA_INLINE_ [[gnu::always_inline]] inline

constexpr double to_integer = 6755399441055744.0; // 1.5 * 2^52
constexpr double largest_on_fast_path = 8192.0;   // kJ/mol/nm: times 2^36 is below 2^51

/// Loops over the batch with a formula that returns the PairResult of lane k.
template <class Formula>
TESSERA_INLINE_ void add_lj(PairBatch& b, int n, double cutoff2, Formula formula)
{
#pragma omp simd
    for (int k = 0; k < n; ++k) {
        const PairResult<double> pair = formula(k);
        const bool near = b.r2[k] < cutoff2;
        b.force_over_r[k] = near ? pair.force_over_r : 0.0;
        b.lj_energy[k] = near ? pair.energy : 0.0;
    }
}

template <class Formula>
TESSERA_INLINE_ void add_coulomb(PairBatch& b, int n, double cutoff2, Formula formula)
{
#pragma omp simd
    for (int k = 0; k < n; ++k) {
        const PairResult<double> pair = formula(k);
        const bool near = b.r2[k] < cutoff2;
        b.force_over_r[k] += near ? pair.force_over_r : 0.0;
        b.coulomb_energy[k] = near ? pair.energy : 0.0;
    }
}

TESSERA_INLINE_ void add_lennard_jones(PairBatch& b, int n, const PairForm& form)
{
    const double cutoff2 = form.lj_cutoff2;
    const auto pair = [&b](int k) { return LjPair<double>{b.c6[k], b.c12[k], b.c4[k]}; };
    switch (form.lj) {
    case LjModifier::none:
        add_lj(b, n, cutoff2,
               [&](int k) { return lennard_jones(pair(k), b.inv_r[k] * b.inv_r[k]); });
        break;
    case LjModifier::potential_shift: {
        const LjShift<double> shift = form.shift;
        add_lj(b, n, cutoff2, [&](int k) {
            return lennard_jones_shifted(pair(k), b.inv_r[k] * b.inv_r[k], shift);
        });
        break;
    }
    case LjModifier::force_switch: {
        const ForceSwitch<double> s = form.force_switch;
        add_lj(b, n, cutoff2,
               [&](int k) { return lennard_jones_force_switch(pair(k), b.r[k], b.inv_r[k], s); });
        break;
    }
    case LjModifier::potential_switch: {
        const PotentialSwitch<double> s = form.potential_switch;
        add_lj(b, n, cutoff2, [&](int k) {
            return lennard_jones_potential_switch(pair(k), b.r[k], b.inv_r[k], s);
        });
        break;
    }
    }
}

TESSERA_INLINE_ void add_lj_ewald(PairBatch& b, int n, const PairForm& form)
{
    const double beta2 = form.lj_beta2;
    const double beta = std::sqrt(beta2);
    const double shift = form.lj_ewald_shift;
    const double cutoff2 = form.lj_cutoff2;
#pragma omp simd
    for (int k = 0; k < n; ++k) {
        const double gauss = erfc_and_gauss(beta * b.r[k]).gauss;
        const PairResult<double> pair =
            lj_ewald_real(b.cg[k], b.r2[k], b.inv_r[k] * b.inv_r[k], beta2, gauss);
        const bool near = b.r2[k] < cutoff2;
        b.force_over_r[k] += near ? pair.force_over_r : 0.0;
        b.lj_energy[k] += near ? pair.energy - b.cg[k] * shift : 0.0;
    }
}

TESSERA_INLINE_ void add_electrostatics(PairBatch& b, int n, const PairForm& form)
{
    const double cutoff2 = form.coulomb_cutoff2;
    const double ke = form.coulomb_constant;
    switch (form.coulomb) {
    case CoulombForm::none:
        for (int k = 0; k < n; ++k) {
            b.coulomb_energy[k] = 0.0;
        }
        break;
    case CoulombForm::reaction_field: {
        const ReactionField<double> field = form.field;
        add_coulomb(b, n, cutoff2, [&](int k) {
            return reaction_field(ke * b.charge_product[k], b.r2[k], b.inv_r[k], field);
        });
        break;
    }
    case CoulombForm::ewald: {
        const double beta = form.beta;
        const double shift = form.ewald_shift;
        add_coulomb(b, n, cutoff2, [&](int k) {
            const ErfcAndGauss e = erfc_and_gauss(beta * b.r[k]);
            return ewald_real(ke * b.charge_product[k], b.inv_r[k], beta,
                              Screening<double>{e.erfc, e.gauss}, shift);
        });
        break;
    }
    }
}

/// Forces onto the grid by adding a large number (rounds to nearest even as llrint does).
TESSERA_INLINE_ void round_forces(PairBatch& b, int n)
{
    int too_large = 0;
#pragma omp simd reduction(| : too_large)
    for (int k = 0; k < n; ++k) {
        const double f = b.force_over_r[k];
        const double x = f * b.dx[k], y = f * b.dy[k], z = f * b.dz[k];
        const auto rounded = [](double v) {
            return std::bit_cast<std::int64_t>(v * fixed::force_scale + to_integer) -
                   std::bit_cast<std::int64_t>(to_integer);
        };
        b.fx[k] = rounded(x);
        b.fy[k] = rounded(y);
        b.fz[k] = rounded(z);
        // written so that NaN counts as too large
        too_large |= (std::fabs(x) < largest_on_fast_path ? 0 : 1) |
                     (std::fabs(y) < largest_on_fast_path ? 0 : 1) |
                     (std::fabs(z) < largest_on_fast_path ? 0 : 1);
    }
    b.fits_grid = too_large == 0;
}

TESSERA_INLINE_ void evaluate_body(PairBatch& b, const PairForm& form)
{
    const int n = (b.size + PairBatch::lanes - 1) / PairBatch::lanes * PairBatch::lanes;
    for (int k = b.size; k < n; ++k) { // lanes without a pair: far apart, no parameters
        b.dx[k] = b.dy[k] = b.dz[k] = 0.0;
        b.r2[k] = 1.0;
        b.charge_product[k] = b.c6[k] = b.c12[k] = b.c4[k] = b.cg[k] = 0.0;
    }
#pragma omp simd
    for (int k = 0; k < n; ++k) {
        const double r = std::sqrt(b.r2[k]);
        b.r[k] = r;
        b.inv_r[k] = 1.0 / r;
    }
    add_lennard_jones(b, n, form);
    if (form.lj_ewald) {
        add_lj_ewald(b, n, form);
    }
    add_electrostatics(b, n, form);
    round_forces(b, n);
}

// One copy an instruction set; `flatten` pulls the formulas in, so that they are compiled for it.
[[gnu::flatten, gnu::target("avx512f,avx512dq,avx512vl,avx512bw,fma,prefer-vector-width=512")]] void
evaluate_avx512(PairBatch& batch, const PairForm& form)
{
    evaluate_body(batch, form);
}
[[gnu::flatten, gnu::target("avx2,fma")]] void evaluate_avx2(PairBatch& batch, const PairForm& form)
{
    evaluate_body(batch, form);
}
[[gnu::flatten]] void evaluate_baseline(PairBatch& batch, const PairForm& form)
{
    evaluate_body(batch, form);
}

#undef TESSERA_INLINE_

} // namespace

void evaluate(PairBatch& batch, const PairForm& form)
{
    for_simd_level(evaluate_baseline, evaluate_avx2, evaluate_avx512)(batch, form);
}

} // namespace tessera
