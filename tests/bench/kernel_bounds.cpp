#include "tests/bench/kernel_bounds.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>

#if defined(__x86_64__)
#include <immintrin.h>

// the compiler's own header leaves a register undefined on purpose
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC push_options
#pragma GCC target("avx512f,avx512dq,avx512vl,avx512bw,avx2,fma,prefer-vector-width=512")

namespace tessera::with_float_sums
{
namespace
{
#include "engine/cpu/simd/lanes_avx512-inl.hpp"

// in place of exact_sums-inl.hpp
inline Floats as_floats(Ints v)
{
    return _mm512_castsi512_ps(v);
}
inline Ints summand(const Floats& force)
{
    return as_ints(force);
}
inline Ints plus(Ints a, Ints b)
{
    return as_ints(as_floats(a) + as_floats(b));
}
inline Ints minus(Ints a, Ints b)
{
    return as_ints(as_floats(a) - as_floats(b));
}
inline Ints larger_of(Ints largest, const Floats&)
{
    return largest; // nothing can leave the range
}
inline Ints summed_over_row(Ints x, Ints y, Ints z)
{
    const Ints xy = plus(_mm512_mask_mov_epi32(x, 0xFF00, y), _mm512_shuffle_i32x4(x, y, 0x4E));
    const Ints zz = plus(z, _mm512_shuffle_i32x4(z, z, 0x4E));
    return plus(_mm512_shuffle_i32x4(xy, zz, 0x88), _mm512_shuffle_i32x4(xy, zz, 0xDD));
}
inline Ints summed_over_column(Ints x, Ints y, Ints z)
{
    const Ints turn = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return summed_over_row(_mm512_permutexvar_epi32(turn, x), _mm512_permutexvar_epi32(turn, y),
                           _mm512_permutexvar_epi32(turn, z));
}
inline void plus_lines(std::int32_t* lines, Ints v)
{
    const auto add4 = [](std::int32_t* to, __m128i w) {
        auto* p = reinterpret_cast<float*>(to);
        _mm_store_ps(p, _mm_add_ps(_mm_load_ps(p), _mm_castsi128_ps(w)));
    };
    add4(lines, _mm512_castsi512_si128(v));
    add4(lines + 16, _mm512_extracti32x4_epi32(v, 1));
    add4(lines + 32, _mm512_extracti32x4_epi32(v, 2));
}

#include "engine/cpu/simd/block_kernel-inl.hpp"

constexpr BlockKernel kernel = {add, add_wide};

constexpr int chains = 12; // more than latency times throughput

double fused_per_call(float* keep, int rounds)
{
    __m512 sum[chains];
    for (int k = 0; k < chains; ++k) {
        sum[k] = _mm512_set1_ps(static_cast<float>(k));
    }
    const __m512 factor = _mm512_set1_ps(keep[0]), term = _mm512_set1_ps(keep[1]);
    for (int r = 0; r < rounds; ++r) {
        for (auto& s : sum) {
            s = _mm512_fmadd_ps(s, factor, term);
        }
    }
    for (const auto& s : sum) {
        keep[2] += _mm512_reduce_add_ps(s);
    }
    return 1.0 * rounds * chains;
}
} // namespace
} // namespace tessera::with_float_sums
#pragma GCC pop_options

#pragma GCC push_options
#pragma GCC target("avx2,fma")
namespace tessera::with_avx2_alone
{
namespace
{
constexpr int chains = 12;

double fused_per_call(float* keep, int rounds)
{
    __m256 sum[chains];
    for (int k = 0; k < chains; ++k) {
        sum[k] = _mm256_set1_ps(static_cast<float>(k));
    }
    const __m256 factor = _mm256_set1_ps(keep[0]), term = _mm256_set1_ps(keep[1]);
    for (int r = 0; r < rounds; ++r) {
        for (auto& s : sum) {
            s = _mm256_fmadd_ps(s, factor, term);
        }
    }
    for (const auto& s : sum) {
        keep[2] += _mm256_cvtss_f32(s);
    }
    return 1.0 * rounds * chains;
}
} // namespace
} // namespace tessera::with_avx2_alone
#pragma GCC pop_options

const tessera::BlockKernel* tessera::kernel_of_float_sums()
{
    return &with_float_sums::kernel;
}

double tessera::fused_vectors_per_second(SimdLevel level)
{
    using Clock = std::chrono::steady_clock;
    const auto measure = level == SimdLevel::avx512 ? with_float_sums::fused_per_call
                                                    : with_avx2_alone::fused_per_call;
    float keep[3] = {0.999F, 0.001F, 0};
    double best = 0;
    for (int k = 0; k < 20; ++k) { // others may have the processor for a while
        const auto begin = Clock::now();
        const double count = measure(keep, 100000);
        best = std::max(best, count / std::chrono::duration<double>(Clock::now() - begin).count());
    }
    return std::isfinite(keep[2]) ? best : 0;
}
#else
const tessera::BlockKernel* tessera::kernel_of_float_sums()
{
    return nullptr;
}

double tessera::fused_vectors_per_second(SimdLevel)
{
    return 0;
}
#endif
