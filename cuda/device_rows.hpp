#pragma once

#include "cuda/integer_sums.hpp"

namespace tessera
{

/// An atom in the order of slots. The charge is in e, or holds the root of the Coulomb constant:
/// each kernel says which.
struct DeviceAtom {
    double x, y, z, charge;
};
/// As ClusterPairList::Row and Column.
struct DeviceRow {
    int cluster, shift;
    long long begin, end;
};
struct DeviceColumn {
    int cluster;
    unsigned mask;
};

/// What the kernels of pairs read and add to: a row of the list is the work of one warp.
struct RowsOnDevice {
    const DeviceRow* rows;
    int row_count;
    const DeviceColumn* columns;
    const DeviceAtom* atoms; ///< [slots]
    const int* type;         ///< [slots]
    const Vec3* shifts;      ///< nm
    DeviceInteger* forces;   ///< [clusters][3][4]
    DeviceInteger* sums;     ///< split: lj, coulomb
    int* fault;              ///< -1 before; what it then is, each kernel says
};

inline constexpr unsigned whole_warp = 0xffffffffu;

/// Adds a force on the force grid to that on a slot.
__device__ __forceinline__ void add_to_slot(const RowsOnDevice& list, int slot, long long x,
                                            long long y, long long z)
{
    DeviceInteger* to = list.forces + 3 * static_cast<long long>(slot - slot % 4) + slot % 4;
    add_integer(to, x);
    add_integer(to + 4, y);
    add_integer(to + 8, z);
}

} // namespace tessera
