#include "engine/cpu/simd/pair_kernels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

#if defined(__x86_64__)
#include <immintrin.h>

#pragma GCC push_options
#pragma GCC target("avx2,fma")

namespace tessera::with_avx2
{
namespace
{
// the lanes come first
// clang-format off
#include "engine/cpu/simd/lanes_avx2-inl.hpp"
#include "engine/cpu/simd/doubles_avx2-inl.hpp"
#include "engine/cpu/simd/pair_kernels-inl.hpp"
// clang-format on
} // namespace
} // namespace tessera::with_avx2

#pragma GCC pop_options

const tessera::PairKernels& tessera::pair_kernels_avx2()
{
    return with_avx2::kernels;
}
#else
const tessera::PairKernels& tessera::pair_kernels_avx2()
{
    return pair_kernels_baseline();
}
#endif
