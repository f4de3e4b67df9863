#pragma once

#include "engine/cpu/simd/block_kernel.hpp"

// What the pair kernel is measured against.
namespace tessera
{

/// The kernel of AVX-512 with sums in FP32, which depend on their order and are no part of the
/// engine; null where the compiler's target has no AVX-512.
const BlockKernel* kernel_of_float_sums();

/// Fused multiplications and additions of whole vectors a second, on this thread: the most that any
/// kernel could do. 16 lanes a vector (AVX-512) or 8.
double fused_vectors_per_second(SimdLevel level);

} // namespace tessera
