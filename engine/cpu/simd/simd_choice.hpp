#pragma once

#include "engine/cpu/simd_level.hpp"

#include <string_view>
#include <vector>

namespace tessera
{

[[nodiscard]] std::string_view name_of(SimdLevel level);

/// Those the CPU has, ascending.
[[nodiscard]] const std::vector<SimdLevel>& supported_simd_levels();

/// The level in use: the highest the CPU has; lower if the environment variable TESSERA_SIMD says
/// so (baseline, avx2, avx512: to look for faults; a level the CPU lacks is ignored).
[[nodiscard]] SimdLevel simd_level();

/// The one of three that is made for the level in use.
template <class F>
[[nodiscard]] F* for_simd_level(F& baseline, F& avx2, F& avx512)
{
    switch (simd_level()) {
    case SimdLevel::baseline:
        return &baseline;
    case SimdLevel::avx2:
        return &avx2;
    case SimdLevel::avx512:
        break;
    }
    return &avx512;
}

/// For tests; `level` must be supported.
void use_simd_level(SimdLevel level);

} // namespace tessera
