#include "engine/cpu/simd/double_kernel.hpp"

#include <algorithm>
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
#include "engine/cpu/simd/double_kernel-inl.hpp"
// clang-format on
} // namespace
} // namespace tessera::with_avx512

#pragma GCC pop_options

tessera::DoubleKernel tessera::double_kernel_avx512()
{
    using namespace with_avx512;
    return {add_doubles<true, false>, add_doubles<false, true>, add_doubles<true, true>};
}
#else
tessera::DoubleKernel tessera::double_kernel_avx512()
{
    return double_kernel_baseline();
}
#endif
