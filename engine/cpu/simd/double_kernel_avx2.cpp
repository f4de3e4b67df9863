#include "engine/cpu/simd/double_kernel.hpp"

#include <algorithm>
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
#include "engine/cpu/simd/double_kernel-inl.hpp"
// clang-format on
} // namespace
} // namespace tessera::with_avx2

#pragma GCC pop_options

tessera::DoubleKernel tessera::double_kernel_avx2()
{
    using namespace with_avx2;
    return {add_doubles<true, false>, add_doubles<false, true>, add_doubles<true, true>};
}
#else
tessera::DoubleKernel tessera::double_kernel_avx2()
{
    return double_kernel_baseline();
}
#endif
