#pragma once

#include <cstdint>

namespace tessera
{

/// Instruction sets for which vector kernels are compiled; chosen at run time. No value depends on
/// the choice.
enum class SimdLevel : std::uint8_t { baseline, avx2, avx512 };

} // namespace tessera
