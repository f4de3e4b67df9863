// Runs CUDA kernel source on the CPU, for tests on machines without a GPU.
//
// A kernel file includes this header when it is compiled by a plain C++ compiler and
// <cuda_runtime.h> + <mma.h> when it is compiled by nvcc; it launches through gpu::launch(...)
// (never <<<>>>) and takes dynamic shared memory through GPU_DYNAMIC_SHARED(T, name).
//
// Model: one OS worker thread runs one block at a time; each CUDA thread of the block is a fiber
// that runs until it blocks in __syncthreads or a warp collective (*_sync). Nothing runs in
// lockstep, so a kernel that leans on implicit warp synchrony fails here as it may on Volta and
// later. Checked at run time: deadlock/divergence, a caller absent from its own mask, mixed
// intrinsics under one mask,
// __syncthreads reached from two places, launch limits. Streams are lazy on demand: work runs only
// when something waits for it, so a missing event or synchronise shows as a wrong answer.
//
// Environment: STANDIN_WORKERS=n, STANDIN_SEED=n (0: fixed order; else random thread/block order),
//              STANDIN_STREAMS=eager|lazy (default lazy).
#pragma once
#pragma GCC system_header // its names and casts are CUDA's, not the house's
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <source_location>
#include <tuple>
#include <type_traits>
#include <utility>

#define CUDA_STANDIN 1
#define __global__
#define __device__
#define __host__
#define __constant__ inline
#define __forceinline__ inline __attribute__((always_inline))
// __noinline__ is left alone: libstdc++ spells its own attributes that way.
#define STANDIN_NOTSAN __attribute__((no_sanitize("thread")))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#if defined(STANDIN_SINGLE_WORKER) // ASan cannot red-zone thread_local arrays; plain statics it
                                   // can.
#define __shared__ static
#else
#define __shared__ static thread_local
#endif
#define GPU_DYNAMIC_SHARED(T, name) T* name = reinterpret_cast<T*>(::standin::dynamicShared())

// ---------------------------------------------------------------- vector types
struct uint3 {
    unsigned x, y, z;
};
struct dim3 {
    unsigned x = 1, y = 1, z = 1;
    constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
#define STANDIN_VEC(T, N)                                                                          \
    struct alignas(2 * sizeof(T)) N##2                                                             \
    {                                                                                              \
        T x, y;                                                                                    \
    };                                                                                             \
    struct N##3                                                                                    \
    {                                                                                              \
        T x, y, z;                                                                                 \
    };                                                                                             \
    struct alignas(4 * sizeof(T) > 16 ? 16 : 4 * sizeof(T)) N##4                                   \
    {                                                                                              \
        T x, y, z, w;                                                                              \
    };                                                                                             \
    inline N##2 make_##N##2(T x, T y)                                                              \
    {                                                                                              \
        return {x, y};                                                                             \
    }                                                                                              \
    inline N##3 make_##N##3(T x, T y, T z)                                                         \
    {                                                                                              \
        return {x, y, z};                                                                          \
    }                                                                                              \
    inline N##4 make_##N##4(T x, T y, T z, T w)                                                    \
    {                                                                                              \
        return {x, y, z, w};                                                                       \
    }
STANDIN_VEC(float, float)
STANDIN_VEC(double, double)
STANDIN_VEC(int, int)
#undef STANDIN_VEC
struct alignas(8) uint2 {
    unsigned x, y;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};

inline constinit thread_local uint3 threadIdx{}, blockIdx{};
inline constinit thread_local dim3 blockDim{}, gridDim{};
inline constexpr int warpSize = 32;

// ---------------------------------------------------------------- scheduler entry points
// (cuda_standin.cpp)
namespace standin
{
enum class Op : int { syncwarp, shfl, ballot, any, all, match, reduce, mma };
using Finish = void (*)(void* const (&ptr)[32], unsigned lanes,
                        void* ctx); // run once, by the last lane to arrive
void syncthreads(const std::source_location& where, int pred, int* count, int* andAll, int* orAny);
// Deposits `mine` for this lane, waits for every live lane of mask, runs finish once, returns.
void collective(unsigned mask, Op op, void* mine, Finish finish, void* ctx = nullptr);
unsigned laneId();
unsigned liveLanes();
void* dynamicShared();
[[noreturn]] void fail(const char* fmt, ...) __attribute__((format(printf, 1, 2)));
} // namespace standin

// ---------------------------------------------------------------- barriers and warp collectives
inline void __syncthreads(std::source_location w = std::source_location::current())
{
    standin::syncthreads(w, 0, nullptr, nullptr, nullptr);
}
inline int __syncthreads_count(int p, std::source_location w = std::source_location::current())
{
    int r;
    standin::syncthreads(w, p, &r, nullptr, nullptr);
    return r;
}
inline int __syncthreads_or(int p, std::source_location w = std::source_location::current())
{
    int r;
    standin::syncthreads(w, p, nullptr, nullptr, &r);
    return r;
}
inline int __syncthreads_and(int p, std::source_location w = std::source_location::current())
{
    int r;
    standin::syncthreads(w, p, nullptr, &r, nullptr);
    return r;
}
inline void __syncwarp(unsigned mask = 0xffffffffu)
{
    standin::collective(mask, standin::Op::syncwarp, nullptr, nullptr);
}
inline void __threadfence()
{
    std::atomic_thread_fence(std::memory_order_seq_cst);
}
inline void __threadfence_block() {}

namespace standin
{
template <class T>
struct Shuffle {
    T in, out;
    int src;
};
template <class T>
inline T shuffle(unsigned mask, T v, int src)
{
    static_assert(sizeof(T) <= 8 && std::is_trivially_copyable_v<T>);
    Shuffle<T> me{v, v, src};
    collective(mask, Op::shfl, &me, [](void* const(&p)[32], unsigned lanes, void*) STANDIN_NOTSAN {
        for (unsigned m = lanes; m; m &= m - 1) {
            auto* s = static_cast<Shuffle<T>*>(p[std::countr_zero(m)]);
            if (lanes >> s->src & 1u)
                s->out = static_cast<Shuffle<T>*>(p[s->src])->in;
            else
                std::memset(static_cast<void*>(&s->out), 0xFF,
                            sizeof(T)); // inactive source: undefined in CUDA, NaN here
        }
    });
    return me.out;
}
struct Vote {
    unsigned pred, out;
};
inline unsigned vote(unsigned mask, Op op, unsigned pred)
{
    Vote v{pred ? 1u : 0u, 0u};
    collective(mask, op, &v, [](void* const(&p)[32], unsigned lanes, void*) STANDIN_NOTSAN {
        unsigned b = 0;
        for (unsigned m = lanes; m; m &= m - 1) {
            int l = std::countr_zero(m);
            b |= static_cast<Vote*>(p[l])->pred << l;
        }
        for (unsigned m = lanes; m; m &= m - 1)
            static_cast<Vote*>(p[std::countr_zero(m)])->out = b;
    });
    return v.out;
}
template <class F>
inline unsigned reduceU(unsigned mask, unsigned v, F)
{
    Vote me{v, 0};
    collective(mask, Op::reduce, &me,
               [](void* const(&p)[32], unsigned lanes, void*) STANDIN_NOTSAN {
                   unsigned r = static_cast<Vote*>(p[std::countr_zero(lanes)])->pred;
                   for (unsigned m = lanes & (lanes - 1); m; m &= m - 1)
                       r = F{}(r, static_cast<Vote*>(p[std::countr_zero(m)])->pred);
                   for (unsigned m = lanes; m; m &= m - 1)
                       static_cast<Vote*>(p[std::countr_zero(m)])->out = r;
               });
    return me.out;
}
} // namespace standin
template <class T>
inline T __shfl_sync(unsigned m, T v, int src, int w = 32)
{
    int l = standin::laneId();
    return standin::shuffle(m, v, (l & ~(w - 1)) | (src & (w - 1)));
}
template <class T>
inline T __shfl_xor_sync(unsigned m, T v, int x, int w = 32)
{
    int l = standin::laneId(), s = l ^ x;
    return standin::shuffle(m, v, s < ((l & ~(w - 1)) + w) ? s : l);
}
template <class T>
inline T __shfl_down_sync(unsigned m, T v, unsigned d, int w = 32)
{
    int l = standin::laneId(), s = l + int(d);
    return standin::shuffle(m, v, s < ((l & ~(w - 1)) + w) ? s : l);
}
template <class T>
inline T __shfl_up_sync(unsigned m, T v, unsigned d, int w = 32)
{
    int l = standin::laneId(), s = l - int(d);
    return standin::shuffle(m, v, s >= (l & ~(w - 1)) ? s : l);
}
inline unsigned __ballot_sync(unsigned m, int p)
{
    return standin::vote(m, standin::Op::ballot, p);
}
inline int __any_sync(unsigned m, int p)
{
    return standin::vote(m, standin::Op::any, p) != 0;
}
inline int __all_sync(unsigned m, int p)
{
    return standin::vote(m, standin::Op::all, !p) == 0;
}
inline unsigned __reduce_add_sync(unsigned m, unsigned v)
{
    return standin::reduceU(m, v, std::plus<unsigned>{});
}
inline unsigned __reduce_or_sync(unsigned m, unsigned v)
{
    return standin::reduceU(m, v, std::bit_or<unsigned>{});
}
inline unsigned __activemask()
{
    return standin::liveLanes();
}

// ---------------------------------------------------------------- atomics and intrinsics
template <class T>
inline T standinRmwAdd(T* p, T v)
{
    return std::atomic_ref<T>(*p).fetch_add(v, std::memory_order_relaxed);
}
inline float atomicAdd(float* p, float v)
{
    return standinRmwAdd(p, v);
}
inline double atomicAdd(double* p, double v)
{
    return standinRmwAdd(p, v);
}
inline int atomicAdd(int* p, int v)
{
    return standinRmwAdd(p, v);
}
inline unsigned atomicAdd(unsigned* p, unsigned v)
{
    return standinRmwAdd(p, v);
}
inline unsigned long long atomicAdd(unsigned long long* p, unsigned long long v)
{
    return standinRmwAdd(p, v);
}
template <class T>
inline T atomicCAS(T* p, T cmp, T v)
{
    std::atomic_ref<T>(*p).compare_exchange_strong(cmp, v, std::memory_order_relaxed);
    return cmp;
}
template <class T>
inline T atomicExch(T* p, T v)
{
    return std::atomic_ref<T>(*p).exchange(v, std::memory_order_relaxed);
}
template <class T>
inline T atomicMax(T* p, T v)
{
    std::atomic_ref<T> a(*p);
    T o = a.load(std::memory_order_relaxed);
    while (o < v && !a.compare_exchange_weak(o, v, std::memory_order_relaxed)) {
    }
    return o;
}
template <class T>
inline T atomicMin(T* p, T v)
{
    std::atomic_ref<T> a(*p);
    T o = a.load(std::memory_order_relaxed);
    while (v < o && !a.compare_exchange_weak(o, v, std::memory_order_relaxed)) {
    }
    return o;
}
template <class T>
inline T atomicOr(T* p, T v)
{
    return std::atomic_ref<T>(*p).fetch_or(v, std::memory_order_relaxed);
}
template <class T>
inline T __ldg(const T* p)
{
    return *p;
}
inline int __popc(unsigned v)
{
    return std::popcount(v);
}
inline int __ffs(int v)
{
    return __builtin_ffs(v);
}
inline int __clz(int v)
{
    return v ? __builtin_clz(unsigned(v)) : 32;
}
inline float rsqrtf(float x)
{
    return 1.0f / sqrtf(x);
}
inline float __fdividef(float a, float b)
{
    return a / b;
}
inline float __expf(float x)
{
    return expf(x);
}
inline float __fmaf_rn(float a, float b, float c)
{
    return fmaf(a, b, c);
}
inline int __float_as_int(float x)
{
    return std::bit_cast<int>(x);
}
inline float __int_as_float(int x)
{
    return std::bit_cast<float>(x);
}
inline long long __double2ll_rn(double x)
{
    return llrint(x);
}
inline long long __float2ll_rn(float x)
{
    return llrintf(x);
}

// ---------------------------------------------------------------- runtime API
enum cudaError_t {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorNotReady = 600
};
enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};
enum {
    cudaStreamDefault = 0,
    cudaStreamNonBlocking = 1,
    cudaEventDisableTiming = 2,
    cudaStreamCaptureModeThreadLocal = 1
};
namespace standin
{
struct Stream;
struct Event;
struct Graph;
} // namespace standin
using cudaStream_t = standin::Stream*;
using cudaEvent_t = standin::Event*;
using cudaGraph_t = standin::Graph*;
using cudaGraphExec_t = standin::Graph*;
const char* cudaGetErrorName(cudaError_t);
cudaError_t cudaGetLastError();
cudaError_t cudaGetDeviceCount(int*);
cudaError_t standinMalloc(void**, size_t);
template <class T>
cudaError_t cudaMalloc(T** p, size_t n)
{
    return standinMalloc(reinterpret_cast<void**>(p), n);
}
cudaError_t cudaFree(void*);
cudaError_t standinMallocHost(void**, size_t);
template <class T>
cudaError_t cudaMallocHost(T** p, size_t n)
{
    return standinMallocHost(reinterpret_cast<void**>(p), n);
}
cudaError_t cudaFreeHost(void*);
cudaError_t cudaMemcpyAsync(void*, const void*, size_t, cudaMemcpyKind, cudaStream_t = nullptr);
cudaError_t cudaMemcpy(void*, const void*, size_t, cudaMemcpyKind);
cudaError_t cudaMemsetAsync(void*, int, size_t, cudaStream_t = nullptr);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t*, unsigned);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaEventCreateWithFlags(cudaEvent_t*, unsigned);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t = nullptr);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventQuery(cudaEvent_t);
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned = 0);
cudaError_t cudaStreamBeginCapture(cudaStream_t, int mode);
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t*);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t*, cudaGraph_t, unsigned long long = 0);
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t);

namespace standin
{
struct Call {
    void (*fn)(void*);
    void* ctx;
}; // the kernel of one CUDA thread
void runGrid(dim3 grid, dim3 block, size_t shmem, Call call);
cudaError_t enqueueKernel(dim3 grid, dim3 block, size_t shmem, cudaStream_t s,
                          std::function<void()> run);
struct Stats {
    unsigned long long threads, switches, collectives, barriers;
};
Stats takeStats();
void set_seed(unsigned seed); // as STANDIN_SEED, from now on
} // namespace standin

namespace gpu
{
// v += shfl_xor(v, o) for o = hi, hi/2, ... lo: the same sums in the same order as the shuffles,
// one rendezvous instead of many.
template <class... T>
inline void butterfly_add(unsigned mask, int hi, int lo, T&... v)
{
    using F = std::common_type_t<T...>;
    constexpr int n = sizeof...(T);
    struct Me {
        F* p[n];
        int hi, lo;
    } me{{&v...}, hi, lo};
    standin::collective(mask, standin::Op::shfl, &me,
                        [](void* const(&p)[32], unsigned lanes, void*) STANDIN_NOTSAN {
                            if (lanes != 0xffffffffu)
                                standin::fail("butterfly_add by a partial warp (lanes %08x)",
                                              lanes);
                            Me* m0 = static_cast<Me*>(p[0]);
                            for (int k = 0; k < n; ++k) {
                                F a[32], b[32];
                                for (int l = 0; l < 32; ++l)
                                    a[l] = *static_cast<Me*>(p[l])->p[k];
                                for (int o = m0->hi; o >= m0->lo; o >>= 1) {
                                    for (int l = 0; l < 32; ++l)
                                        b[l] = a[l] + a[l ^ o];
                                    std::memcpy(a, b, sizeof a);
                                }
                                for (int l = 0; l < 32; ++l)
                                    *static_cast<Me*>(p[l])->p[k] = a[l];
                            }
                        });
}
template <class... P, class... A>
cudaError_t launch(void (*kernel)(P...), dim3 grid, dim3 block, size_t shmem, cudaStream_t stream,
                   A&&... args)
{
    using Pack = std::tuple<std::decay_t<P>...>;
    return standin::enqueueKernel(grid, block, shmem, stream,
                                  [=, pack = Pack(std::forward<A>(args)...)]() {
                                      struct Ctx {
                                          void (*k)(P...);
                                          const Pack* p;
                                      } ctx{kernel, &pack};
                                      standin::runGrid(grid, block, shmem,
                                                       {[](void* c) {
                                                            auto* x = static_cast<Ctx*>(c);
                                                            std::apply(x->k, *x->p);
                                                        },
                                                        &ctx});
                                  });
}
} // namespace gpu

#include "tests/standin/cuda_standin_wmma.hpp"
