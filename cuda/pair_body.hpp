#pragma once

#include "cuda/device_rows.hpp"
#include "engine/math/erfc.hpp"
#include "engine/physics/pair/pair_formulas.hpp"

namespace tessera
{

// --- Coulomb policies: what a pair at distance r adds. strength = ke q_i q_j

struct NoCoulomb {
    __device__ PairResult<double> operator()(double, double, double, double) const
    {
        return {0, 0};
    }
};
struct ReactionFieldCoulomb {
    ReactionField<double> field;
    __device__ PairResult<double> operator()(double strength, double r2, double, double inv_r) const
    {
        return reaction_field(strength, r2, inv_r, field);
    }
};
struct EwaldCoulomb {
    double beta, shift;
    __device__ PairResult<double> operator()(double strength, double, double r, double inv_r) const
    {
        const ErfcAndGauss e = erfc_and_gauss(beta * r);
        return ewald_real(strength, inv_r, beta, Screening<double>{e.erfc, e.gauss}, shift);
    }
};

/// Charges of atoms are in e; `fault` becomes a slot whose pair does not fit the grid.
template <class Coulomb>
struct PairArgs {
    RowsOnDevice list;
    const LjPair<double>* pairs; ///< [types][types]
    int types;
    double lj_cutoff2, coulomb_cutoff2;
    LjShift<double> lj_shift; ///< zeros: plain
    double coulomb_constant;
    Coulomb coulomb;
    bool energies;
};

/// Pairs as the CPU's batches evaluate them (engine/cpu/pair_batch.hpp), bit for bit: with erfc
/// itself, any two cut-offs, and forces up to what a sum can hold.
///
/// One row by one warp, two columns at a time. Lane 16 h + 4 a + b holds atom a of the row's
/// cluster and atom b of the h-th column: that is also the bit 4 a + b of the column's mask.
///
///     bits of the lane   4: column h    3-2: a, atom of the row    1-0: b, atom of the column
///     force on a         summed over the row in registers, then over bits 4, 1, 0
///     force on b         summed over bits 3, 2, then added to memory by a = 0
///
/// Cost a column: 4 atoms (32 bytes), 12 integer additions to memory; sums are integers, so their
/// order is free.
template <class Coulomb>
class PairsOfRow {
public:
    __device__ PairsOfRow(const PairArgs<Coulomb>& args, int row, int lane)
        : args_(args), row_(args.list.rows[row]), half_(lane / 16), a_(lane / 4 % 4), b_(lane % 4)
    {
    }

    __device__ void operator()()
    {
        const int slot = 4 * row_.cluster + a_;
        const Vec3 shift = args_.list.shifts[row_.shift];
        DeviceAtom own = args_.list.atoms[slot];
        own.x += shift.x;
        own.y += shift.y;
        own.z += shift.z;
        const int type_row = args_.list.type[slot] * args_.types;

        long long force[3] = {0, 0, 0};
        for (long long first = row_.begin; first < row_.end; first += 2) {
            const bool exists = first + half_ < row_.end;
            const DeviceColumn column = args_.list.columns[exists ? first + half_ : first];
            const bool listed = exists && (column.mask >> (4 * a_ + b_) & 1u) != 0;
            const int other_slot = 4 * column.cluster + b_;

            long long pair[3] = {0, 0, 0};
            if (listed) {
                add_pair(own, type_row, other_slot, pair);
            }
            for (int k = 0; k < 3; ++k) {
                force[k] += pair[k];
            }
            gpu::butterfly_add(whole_warp, 8, 4, pair[0], pair[1], pair[2]);
            if (exists && a_ == 0) {
                add_to_slot(args_.list, other_slot, -pair[0], -pair[1], -pair[2]);
            }
        }

        gpu::butterfly_add(whole_warp, 16, 16, force[0], force[1], force[2]);
        gpu::butterfly_add(whole_warp, 2, 1, force[0], force[1], force[2]);
        if (half_ == 0 && b_ == 0) {
            add_to_slot(args_.list, slot, force[0], force[1], force[2]);
        }
        if (args_.energies) {
            add_warp(lj_, args_.list.sums);
            add_warp(coulomb_, args_.list.sums + words_of_split_sum);
        }
    }

private:
    __device__ void add_pair(const DeviceAtom& own, int type_row, int other_slot,
                             long long (&force)[3])
    {
        const DeviceAtom other = args_.list.atoms[other_slot];
        const Vec3 d{own.x - other.x, own.y - other.y, own.z - other.z};
        const double r2 = norm2(d);
        const double r = sqrt(r2);
        const double inv_r = 1.0 / r;

        double force_over_r = 0;
        double lj_energy = 0;
        double coulomb_energy = 0;
        if (r2 < args_.lj_cutoff2) {
            const auto lj = lennard_jones_shifted(
                args_.pairs[type_row + args_.list.type[other_slot]], inv_r * inv_r, args_.lj_shift);
            force_over_r = lj.force_over_r;
            lj_energy = lj.energy;
        }
        if (r2 < args_.coulomb_cutoff2) {
            const double strength = args_.coulomb_constant * (own.charge * other.charge);
            const auto coulomb = args_.coulomb(strength, r2, r, inv_r);
            force_over_r += coulomb.force_over_r;
            coulomb_energy = coulomb.energy;
        }
        constexpr double largest = 8388608.0; // 2^23 kJ/mol/nm: eight such still fit a sum
        const Vec3 f = force_over_r * d;
        if (fabs(f.x) < largest && fabs(f.y) < largest && fabs(f.z) < largest) {
            force[0] = to_fixed(f.x, fixed::force_scale);
            force[1] = to_fixed(f.y, fixed::force_scale);
            force[2] = to_fixed(f.z, fixed::force_scale);
            lj_.add(lj_energy); // such a force has an energy far inside the range
            coulomb_.add(coulomb_energy);
        } else { // also NaN
            atomicMax(args_.list.fault, other_slot);
        }
    }

    const PairArgs<Coulomb>& args_;
    const DeviceRow row_;
    int half_, a_, b_;
    SplitSum lj_, coulomb_;
};

} // namespace tessera
