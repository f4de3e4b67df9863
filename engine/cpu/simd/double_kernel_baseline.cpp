#include "engine/cpu/simd/double_kernel.hpp"

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
#include "engine/cpu/simd/double_kernel-inl.hpp"
// clang-format on
} // namespace
} // namespace tessera::without_simd

tessera::DoubleKernel tessera::double_kernel_baseline()
{
    using namespace without_simd;
    return {add_doubles<true, false>, add_doubles<false, true>, add_doubles<true, true>};
}

tessera::DoubleKernel tessera::double_kernel(SimdLevel level)
{
    switch (level) {
    case SimdLevel::baseline:
        return double_kernel_baseline();
    case SimdLevel::avx2:
        return double_kernel_avx2();
    case SimdLevel::avx512:
        break;
    }
    return double_kernel_avx512();
}
