#pragma once

#include "cuda/gpu.hpp"
#include "engine/backend/sums.hpp"
#include "engine/base/fixed_point.hpp"

#include <span>

namespace tessera
{

/// A sum in memory that threads of a GPU add to: two's complement, so additions wrap and commute.
using DeviceInteger = unsigned long long;

__device__ __forceinline__ void add_integer(DeviceInteger* to, long long value)
{
    atomicAdd(to, static_cast<DeviceInteger>(value));
}

/// Adds a force (kJ/mol/nm) to three neighbouring sums, on the force grid. False: it does not fit.
__device__ __forceinline__ bool add_force(DeviceInteger* to, const Vec3& f)
{
    const bool fits = fabs(f.x) < fixed::largest_force && fabs(f.y) < fixed::largest_force &&
                      fabs(f.z) < fixed::largest_force; // false for NaN
    if (fits) {
        add_integer(to, to_fixed(f.x, fixed::force_scale));
        add_integer(to + 1, to_fixed(f.y, fixed::force_scale));
        add_integer(to + 2, to_fixed(f.z, fixed::force_scale));
    }
    return fits;
}

/// An energy or virial on the energy grid, in two parts that are summed apart, so that sums beyond
/// int64 (8.4e6 kJ/mol) stay exact: value = high 2^32 + low. Fits 2^31 addends.
struct SplitSum {
    long long low = 0, high = 0;

    /// `value` (kJ/mol) must be below largest_addend in size.
    static constexpr double largest_addend = 8.0e6;
    __device__ void add(double value) { add_fixed(to_fixed(value, fixed::energy_scale)); }
    /// A number that is already on the grid.
    __device__ void add_fixed(long long value)
    {
        low += value & 0xffffffffll;
        high += value >> 32;
    }
};
/// In memory: low, high.
inline constexpr int words_of_split_sum = 2;

/// Joins the sums of a warp, all of whose lanes must call it, and adds the result to memory.
__device__ __forceinline__ void add_warp(SplitSum sum, DeviceInteger* to)
{
    gpu::butterfly_add(0xffffffffu, 16, 1, sum.low, sum.high);
    if (threadIdx.x % 32 == 0) {
        add_integer(to, sum.low);
        add_integer(to + 1, sum.high);
    }
}

/// The two parts as exact addends for the host: both are doubles without rounding.
struct SplitValue {
    double high, low;
};
inline SplitValue split_value(const DeviceInteger* words)
{
    const auto low = static_cast<std::int64_t>(words[0]);
    const std::int64_t carry = low >> 32;
    return {static_cast<double>(static_cast<std::int64_t>(words[1]) + carry) *
                (4294967296.0 / fixed::energy_scale),
            from_fixed(low & 0xffffffffll, fixed::energy_scale)};
}

/// Adds integer forces [atoms][3] of the GPU to those of the host (exact mode).
void merge_forces(std::span<const DeviceInteger> from, ForceSums& forces);

} // namespace tessera
