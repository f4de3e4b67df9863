#include "engine/cpu/simd/block_kernel.hpp"

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
#include "engine/cpu/simd/block_kernel-inl.hpp"
// clang-format on
} // namespace
} // namespace tessera::with_avx2

#pragma GCC pop_options

tessera::BlockKernel tessera::block_kernel_avx2()
{
    return {with_avx2::add, with_avx2::add_wide};
}
#else
tessera::BlockKernel tessera::block_kernel_avx2()
{
    return block_kernel_baseline();
}
#endif
