#include "engine/plans/near_mask.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#pragma GCC diagnostic ignored "-Wuninitialized" // the compiler's own header, on purpose
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace tessera
{

namespace
{

constexpr std::size_t width = ClusterOrder::width;
using Candidates = std::span<const std::int32_t>;
using Column = ClusterPairList::Column;

std::size_t find_near_baseline(const double* x, Candidates candidates, const double* packed,
                               double radius2, Column* out)
{
    std::size_t count = 0;
    for (const std::int32_t c : candidates) {
        const double* other = packed + static_cast<std::size_t>(c) * 3 * width;
        std::uint32_t mask = 0;
        for (std::size_t a = 0; a < width; ++a) {
            for (std::size_t b = 0; b < width; ++b) {
                const double dx = x[a] - other[b], dy = x[width + a] - other[width + b],
                             dz = x[2 * width + a] - other[2 * width + b];
                mask |= static_cast<std::uint32_t>(dx * dx + dy * dy + dz * dz < radius2)
                        << (width * a + b);
            }
        }
        out[count] = {c, mask};
        count += mask != 0 ? 1 : 0; // no branch: it could not be foretold
    }
    return count;
}

#if defined(__x86_64__)

/// Two vectors hold the 16 pairs, two atoms of the row each.
[[gnu::target("avx512f,avx512dq,prefer-vector-width=512")]] std::size_t
find_near_avx512(const double* x, Candidates candidates, const double* packed, double radius2,
                 Column* out)
{
    __m512d own[3][2];
    for (std::size_t k = 0; k < 3; ++k) {
        for (std::size_t half = 0; half < 2; ++half) {
            const double* a = x + k * width + 2 * half;
            own[k][half] = _mm512_setr_pd(a[0], a[0], a[0], a[0], a[1], a[1], a[1], a[1]);
        }
    }
    const __m512d limit = _mm512_set1_pd(radius2);
    std::size_t count = 0;
    for (const std::int32_t c : candidates) {
        const double* other = packed + static_cast<std::size_t>(c) * 3 * width;
        const __m512d ox = _mm512_broadcast_f64x4(_mm256_loadu_pd(other));
        const __m512d oy = _mm512_broadcast_f64x4(_mm256_loadu_pd(other + width));
        const __m512d oz = _mm512_broadcast_f64x4(_mm256_loadu_pd(other + 2 * width));
        std::uint32_t mask = 0;
        for (std::size_t half = 0; half < 2; ++half) {
            const __m512d dx = own[0][half] - ox, dy = own[1][half] - oy, dz = own[2][half] - oz;
            const __m512d r2 = dx * dx + dy * dy + dz * dz;
            mask |= static_cast<std::uint32_t>(_mm512_cmp_pd_mask(r2, limit, _CMP_LT_OQ))
                    << (8 * half);
        }
        out[count] = {c, mask};
        count += mask != 0 ? 1 : 0;
    }
    return count;
}

[[gnu::target("avx2")]] std::size_t find_near_avx2(const double* x, Candidates candidates,
                                                   const double* packed, double radius2,
                                                   Column* out)
{
    __m256d own[3][width];
    for (std::size_t k = 0; k < 3; ++k) {
        for (std::size_t a = 0; a < width; ++a) {
            own[k][a] = _mm256_set1_pd(x[k * width + a]);
        }
    }
    const __m256d limit = _mm256_set1_pd(radius2);
    std::size_t count = 0;
    for (const std::int32_t c : candidates) {
        const double* other = packed + static_cast<std::size_t>(c) * 3 * width;
        const __m256d ox = _mm256_loadu_pd(other), oy = _mm256_loadu_pd(other + width),
                      oz = _mm256_loadu_pd(other + 2 * width);
        std::uint32_t mask = 0;
        for (std::size_t a = 0; a < width; ++a) {
            const __m256d dx = own[0][a] - ox, dy = own[1][a] - oy, dz = own[2][a] - oz;
            const __m256d r2 = dx * dx + dy * dy + dz * dz;
            mask |=
                static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_cmp_pd(r2, limit, _CMP_LT_OQ)))
                << (width * a);
        }
        out[count] = {c, mask};
        count += mask != 0 ? 1 : 0;
    }
    return count;
}

#endif

auto choose()
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) {
        return find_near_avx512;
    }
    if (__builtin_cpu_supports("avx2")) {
        return find_near_avx2;
    }
#endif
    return find_near_baseline;
}

} // namespace

std::size_t find_near(const double* x, Candidates candidates, const double* packed, double radius2,
                      Column* out)
{
    static const auto chosen = choose();
    return chosen(x, candidates, packed, radius2, out);
}

} // namespace tessera
