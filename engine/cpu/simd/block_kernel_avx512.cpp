#include "engine/cpu/simd/block_kernel.hpp"

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
#include "engine/cpu/simd/block_kernel-inl.hpp"
// clang-format on
} // namespace
} // namespace tessera::with_avx512

#pragma GCC pop_options

tessera::BlockKernel tessera::block_kernel_avx512()
{
    return {with_avx512::add, with_avx512::add_wide};
}
#else
tessera::BlockKernel tessera::block_kernel_avx512()
{
    return block_kernel_baseline();
}
#endif
