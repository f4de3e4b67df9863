#include "engine/cpu/simd/pair_kernels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>

namespace tessera::without_simd
{
namespace
{
// the lanes come first
// clang-format off
#include "engine/cpu/simd/lanes_baseline-inl.hpp"
#include "engine/cpu/simd/doubles_baseline-inl.hpp"
#include "engine/cpu/simd/pair_kernels-inl.hpp"
// clang-format on
} // namespace
} // namespace tessera::without_simd

const tessera::PairKernels& tessera::pair_kernels_baseline()
{
    return without_simd::kernels;
}

const tessera::PairKernels& tessera::pair_kernels()
{
    return for_simd_level(pair_kernels_baseline, pair_kernels_avx2, pair_kernels_avx512)();
}
