#pragma once

#include <cstdint>

namespace tessera
{

/// Instruction sets for which vector kernels are compiled; chosen at run time. No value depends on
/// the choice.
enum class SimdLevel : std::uint8_t { baseline, avx2, avx512 };

/// The best this processor has.
inline SimdLevel best_simd_level()
{
    static const SimdLevel level = [] {
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")) {
            return SimdLevel::avx512;
        }
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
                   ? SimdLevel::avx2
                   : SimdLevel::baseline;
    }();
    return level;
}

} // namespace tessera
