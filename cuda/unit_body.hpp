#pragma once

#include "cuda/device_rows.hpp"
#include "cuda/one_lane.hpp"

namespace tessera
{

/// Charges of atoms hold the root of the Coulomb constant. Where a pair is beyond the range of the
/// grids, `fault` becomes 0 and the sums are worthless.
struct UnitArgs {
    RowsOnDevice list;
    DoubleForm form; ///< with tables of the GPU
};

/// Units found and not yet evaluated, of each atom of a row; in shared memory.
struct UnitLists {
    static constexpr int room = 64;
    DeviceColumn of_atom[4][room + 2]; ///< two more, so that the four stand in other banks
};

/// One row by one warp, in units of an atom and the four of a column, as the CPU has them
/// (engine/cpu/simd/double_kernel.hpp): eight lanes an atom of the row, two units at a time, so a
/// warp is four of the CPU's vectors.
///
///     bits of the lane   4-3: a, atom of the row    2: h, which unit    1-0: b, atom of the column
///     force on a         summed over the row in registers, then over bits 2, 1, 0
///     force on b         no sum: each lane adds to memory
///
/// First a column's sixteen distances are looked at, two columns at once; those four of a column
/// that have an atom in range of a are a unit of a. Where a list is full, and at the end, the lists
/// are walked. The arithmetic of a pair is one text with the CPU's (double_pair.inl) and sums are
/// integers, so neither the order of units nor that of lanes reaches the bits.
///
/// Cost a column: 16 distances in FP64 (9 operations each), 4 atoms. Cost a unit: 4 pairs, 4 atoms,
/// 12 integer additions to memory, four of them neighbours.
template <CoulombForm Coulomb, bool Energies>
class UnitsOfRow {
public:
    __device__ UnitsOfRow(const UnitArgs& args, int row, int lane, UnitLists& units)
        : list_(args.list), form_(args.form), row_(args.list.rows[row]), units_(units),
          a_(lane / 8), h_(lane / 4 % 2), b_(lane % 4)
    {
    }

    __device__ void operator()()
    {
        const int slot = 4 * row_.cluster + a_;
        own_ = list_.atoms[slot];
        shift_ = list_.shifts[row_.shift];
        const int type = list_.type[slot];
        six_c6_ = form_.six_c6 + static_cast<long long>(type) * form_.types;
        twelve_c12_ = form_.twelve_c12 + static_cast<long long>(type) * form_.types;
        const bool has_lj = form_.has_lj[type] != 0;
        has_forces_ = has_lj || Coulomb != CoulombForm::none;
        // an atom without parameters finds zeros in the tables
        if (__any_sync(whole_warp, has_lj ? 1 : 0) != 0) {
            walk<true>();
        } else {
            walk<false>();
        }
        gpu::butterfly_add(whole_warp, 4, 1, force_[0], force_[1], force_[2]);
        if (h_ == 0 && b_ == 0) {
            add_to_slot(list_, slot, force_[0], force_[1], force_[2]);
        }
        if constexpr (Energies) {
            add_warp(lj_, list_.sums);
            add_warp(coulomb_, list_.sums + words_of_split_sum);
        }
        if (beyond_) {
            atomicMax(list_.fault, 0);
        }
    }

private:
    template <bool Lj>
    __device__ void walk()
    {
        long long first = row_.begin;
        while (true) { // one place that evaluates, as its code is long
            const bool is_over = first >= row_.end;
            if (is_over || __any_sync(whole_warp, count_ > UnitLists::room - 2 ? 1 : 0) != 0) {
                add_units<Lj>();
            }
            if (is_over) {
                break;
            }
            find_units(first);
            first += 2;
        }
    }

    /// Of the columns `first` and, where there is one, the next.
    __device__ void find_units(long long first)
    {
        const bool exists = first + h_ < row_.end;
        const DeviceColumn column = list_.columns[exists ? first + h_ : first];
        const bool listed = exists && has_forces_ && (column.mask >> (4 * a_ + b_) & 1u) != 0;
        const bool near = listed && one_lane::is_less(one_lane::squared_distance(pair_with(
                                                          list_.atoms[4 * column.cluster + b_])),
                                                      form_.cutoff2);
        const unsigned of_atom = __ballot_sync(whole_warp, near ? 1 : 0) >> (8 * a_) & 0xffu;
        const unsigned four = of_atom >> (4 * h_) & 0xfu;
        const int in_first = (of_atom & 0xfu) != 0 ? 1 : 0;
        if (b_ == 0 && four != 0) {
            units_.of_atom[a_][count_ + h_ * in_first] = {column.cluster, four};
        }
        count_ += in_first + (of_atom > 0xfu ? 1 : 0);
    }

    /// Evaluates the lists and empties them.
    template <bool Lj>
    __device__ void add_units()
    {
        __syncwarp();
        for (int k = h_; __any_sync(whole_warp, k < count_ ? 1 : 0) != 0; k += 2) {
            const DeviceColumn no_pairs{row_.cluster, 0};
            add_unit<Lj>(k < count_ ? units_.of_atom[a_][k] : no_pairs);
        }
        count_ = 0;
        __syncwarp();
    }

    template <bool Lj>
    __device__ void add_unit(const DeviceColumn& unit)
    {
        const int slot = 4 * unit.cluster + b_;
        const DeviceAtom other = list_.atoms[slot];
        one_lane::DoublePair pair = pair_with(other);
        if constexpr (Coulomb != CoulombForm::none) {
            pair.strength = own_.charge * other.charge;
        }
        if constexpr (Lj) {
            const int type = list_.type[slot];
            pair.six_c6 = six_c6_[type];
            pair.twelve_c12 = twelve_c12_[type];
        }
        const auto listed = static_cast<std::uint8_t>(unit.mask >> b_ & 1u);
        const one_lane::DoublePairResult f =
            one_lane::double_pair<Coulomb, Lj, true, Energies>(form_, pair, listed, beyond_);
        if (listed != 0) {
            add_to_slot(list_, slot, -f.x, -f.y, -f.z);
        }
        force_[0] += f.x;
        force_[1] += f.y;
        force_[2] += f.z;
        if constexpr (Energies) {
            lj_.add_fixed(f.lj);
            coulomb_.add_fixed(f.coulomb);
        }
    }

    /// The column stands at its position minus the shift, as an entry of the CPU's blocks does.
    __device__ one_lane::DoublePair pair_with(const DeviceAtom& other) const
    {
        return {own_.x - (other.x - shift_.x),
                own_.y - (other.y - shift_.y),
                own_.z - (other.z - shift_.z),
                0,
                0,
                0};
    }

    const RowsOnDevice& list_;
    const DoubleForm& form_;
    const DeviceRow row_;
    UnitLists& units_;
    int a_, h_, b_;
    DeviceAtom own_;
    Vec3 shift_;
    const double *six_c6_, *twelve_c12_; ///< rows of the tables
    bool has_forces_;
    int count_ = 0; ///< units on the list of the atom
    long long force_[3] = {0, 0, 0};
    SplitSum lj_, coulomb_;
    bool beyond_ = false;
};

} // namespace tessera
