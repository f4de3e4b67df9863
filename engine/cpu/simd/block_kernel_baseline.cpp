#include "engine/cpu/simd/block_kernel.hpp"

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
#include "engine/cpu/simd/block_kernel-inl.hpp"
// clang-format on
} // namespace
} // namespace tessera::without_simd

tessera::BlockKernel tessera::block_kernel_baseline()
{
    return {without_simd::add, without_simd::add_wide};
}

tessera::BlockKernel tessera::block_kernel(SimdLevel level)
{
    switch (level) {
    case SimdLevel::baseline:
        return block_kernel_baseline();
    case SimdLevel::avx2:
        return block_kernel_avx2();
    case SimdLevel::avx512:
        break;
    }
    return block_kernel_avx512();
}
