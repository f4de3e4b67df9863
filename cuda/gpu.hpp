#pragma once

/// What kernel code includes: the CUDA runtime under nvcc; under a plain C++ compiler the stand-in,
/// which runs the same source on the CPU (tests). Kernel code launches by gpu::launch instead of
/// <<<>>>, takes dynamic shared memory by GPU_DYNAMIC_SHARED and holds no inline PTX.
#if defined(__CUDACC__)

#include <cuda_runtime.h>
#include <tuple>
#include <type_traits>

#define GPU_DYNAMIC_SHARED(T, name)                                                                \
    extern __shared__ __align__(16) unsigned char gpu_dynamic_shared[];                            \
    T* name = reinterpret_cast<T*>(gpu_dynamic_shared)

namespace gpu
{

/// v += shuffle_xor(v, o) for o = high, high/2, ... low; every lane of the warp takes part.
template <class... T>
__device__ __forceinline__ void butterfly_add(unsigned mask, int high, int low, T&... v)
{
    for (int o = high; o >= low; o >>= 1) {
        ((v += __shfl_xor_sync(mask, v, o)), ...);
    }
}

template <class... P, class... A>
cudaError_t launch(void (*kernel)(P...), dim3 grid, dim3 block, std::size_t shared,
                   cudaStream_t stream, A&&... args)
{
    std::tuple<std::decay_t<P>...> pack(static_cast<A&&>(args)...);
    return std::apply(
        [&](auto&... a) {
            void* pointers[] = {static_cast<void*>(&a)..., nullptr};
            return cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid, block, pointers,
                                    shared, stream);
        },
        pack);
}

} // namespace gpu

#else
#include "tests/standin/cuda_standin.hpp"
#endif
