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

/// For tests; `level` must be supported.
void use_simd_level(SimdLevel level);

} // namespace tessera
