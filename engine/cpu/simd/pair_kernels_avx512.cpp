#include "engine/cpu/simd/pair_kernels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

#if defined(__x86_64__)
#include <immintrin.h>

// the compiler's own header leaves a register undefined on purpose
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512vl,avx512bw,avx2,fma,prefer-vector-width=512")

namespace tessera::with_avx512
{
namespace
{
// the lanes come first
// clang-format off
#include "engine/cpu/simd/lanes_avx512-inl.hpp"
#include "engine/cpu/simd/doubles_avx512-inl.hpp"
#include "engine/cpu/simd/pair_kernels-inl.hpp"
// clang-format on
} // namespace
} // namespace tessera::with_avx512

#pragma GCC pop_options

const tessera::PairKernels& tessera::pair_kernels_avx512()
{
    return with_avx512::kernels;
}
#else
const tessera::PairKernels& tessera::pair_kernels_avx512()
{
    return pair_kernels_baseline();
}
#endif
