#include "engine/cpu/pair_filter.hpp"

#include "engine/cpu/simd/simd_choice.hpp"

#include <bit>

#if defined(__x86_64__)
// GCC 12 takes the undefined lanes of its own header for a mistake (GCC bug 105593)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#endif

namespace tessera
{

namespace
{

constexpr int width = ClusterOrder::width;

using Column = ClusterPairList::Column;

std::size_t append_baseline(PairBatch& batch, const PackedRow& row, std::span<const Column> columns,
                            const PackedClusters& clusters, double cutoff2)
{
    std::size_t done = 0;
    for (; done < columns.size() && batch.size <= PairBatch::capacity - width * width; ++done) {
        const Column& column = columns[done];
        const double* other =
            clusters.xyzq + static_cast<std::ptrdiff_t>(column.cluster) * 4 * width;
        const std::int32_t* type =
            clusters.type + static_cast<std::ptrdiff_t>(column.cluster) * width;
        double dx[width * width], dy[width * width], dz[width * width], r2[width * width];
        for (int a = 0; a < width; ++a) {
            for (int b = 0; b < width; ++b) {
                const int k = width * a + b;
                dx[k] = row.x[a] - other[b];
                dy[k] = row.y[a] - other[width + b];
                dz[k] = row.z[a] - other[2 * width + b];
                r2[k] = dx[k] * dx[k] + dy[k] * dy[k] + dz[k] * dz[k];
            }
        }
        int n = batch.size;
        // every listed pair is written, but only pairs within the cut-off move the end: no branch
        // that cannot be foretold
        for (std::uint32_t mask = column.mask; mask != 0; mask &= mask - 1) {
            const int k = std::countr_zero(mask);
            const int a = k / width, b = k % width;
            batch.dx[n] = dx[k];
            batch.dy[n] = dy[k];
            batch.dz[n] = dz[k];
            batch.r2[n] = r2[k];
            batch.charge_product[n] = row.charge[a] * other[3 * width + b];
            batch.type_pair[n] = row.type_row[a] + type[b];
            batch.lane_i[n] = a;
            batch.slot_j[n] = column.cluster * width + b;
            n += static_cast<int>(r2[k] < cutoff2);
        }
        batch.size = n;
    }
    return done;
}

#if defined(__x86_64__)

#define TESSERA_AVX512_ gnu::target("avx512f,avx512vl,avx512dq,avx512bw")

/// v[0] four times, then v[1] four times.
[[TESSERA_AVX512_]] inline __m512d four_each(const double* v)
{
    return _mm512_set_pd(v[1], v[1], v[1], v[1], v[0], v[0], v[0], v[0]);
}
[[TESSERA_AVX512_]] inline void store(std::int32_t* to, __m256i v)
{
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), v);
}

// Compressed in registers and stored whole: a compressing store is slow on some processors. The
// arrays have room for one vector behind the last pair (PairBatch::capacity - 16 is the limit).
[[TESSERA_AVX512_]] std::size_t append_avx512(PairBatch& batch, const PackedRow& row,
                                              std::span<const Column> columns,
                                              const PackedClusters& clusters, double cutoff2)
{
    __m512d xi[2], yi[2], zi[2], qi[2];
    __m256i type_i[2], lane[2];
    for (int half = 0; half < 2; ++half) {
        const int a = 2 * half;
        xi[half] = four_each(row.x + a);
        yi[half] = four_each(row.y + a);
        zi[half] = four_each(row.z + a);
        qi[half] = four_each(row.charge + a);
        const std::int32_t t0 = row.type_row[a], t1 = row.type_row[a + 1];
        type_i[half] = _mm256_set_epi32(t1, t1, t1, t1, t0, t0, t0, t0);
        lane[half] = _mm256_set_epi32(a + 1, a + 1, a + 1, a + 1, a, a, a, a);
    }
    const __m512d limit = _mm512_set1_pd(cutoff2);
    const __m256i lane_j = _mm256_set_epi32(3, 2, 1, 0, 3, 2, 1, 0);

    std::size_t done = 0;
    int n = batch.size;
    for (; done < columns.size() && n <= PairBatch::capacity - width * width; ++done) {
        const Column& column = columns[done];
        const double* other =
            clusters.xyzq + static_cast<std::ptrdiff_t>(column.cluster) * 4 * width;
        const __m512d xj = _mm512_broadcast_f64x4(_mm256_loadu_pd(other));
        const __m512d yj = _mm512_broadcast_f64x4(_mm256_loadu_pd(other + width));
        const __m512d zj = _mm512_broadcast_f64x4(_mm256_loadu_pd(other + 2 * width));
        const __m512d qj = _mm512_broadcast_f64x4(_mm256_loadu_pd(other + 3 * width));
        const __m256i type_j =
            _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(
                clusters.type + std::ptrdiff_t{column.cluster} * width)));
        const __m256i slot = _mm256_add_epi32(_mm256_set1_epi32(column.cluster * width), lane_j);
        for (int half = 0; half < 2; ++half) {
            const __m512d dx = _mm512_sub_pd(xi[half], xj);
            const __m512d dy = _mm512_sub_pd(yi[half], yj);
            const __m512d dz = _mm512_sub_pd(zi[half], zj);
            const __m512d r2 = _mm512_add_pd(
                _mm512_add_pd(_mm512_mul_pd(dx, dx), _mm512_mul_pd(dy, dy)), _mm512_mul_pd(dz, dz));
            const __mmask8 listed = static_cast<__mmask8>(column.mask >> (8 * half));
            const __mmask8 near = _mm512_mask_cmp_pd_mask(listed, r2, limit, _CMP_LT_OQ);
            _mm512_storeu_pd(batch.dx + n, _mm512_maskz_compress_pd(near, dx));
            _mm512_storeu_pd(batch.dy + n, _mm512_maskz_compress_pd(near, dy));
            _mm512_storeu_pd(batch.dz + n, _mm512_maskz_compress_pd(near, dz));
            _mm512_storeu_pd(batch.r2 + n, _mm512_maskz_compress_pd(near, r2));
            _mm512_storeu_pd(batch.charge_product + n,
                             _mm512_maskz_compress_pd(near, _mm512_mul_pd(qi[half], qj)));
            store(batch.type_pair + n,
                  _mm256_maskz_compress_epi32(near, _mm256_add_epi32(type_i[half], type_j)));
            store(batch.lane_i + n, _mm256_maskz_compress_epi32(near, lane[half]));
            store(batch.slot_j + n, _mm256_maskz_compress_epi32(near, slot));
            n += std::popcount(static_cast<unsigned>(near));
        }
    }
    batch.size = n;
    return done;
}

#undef TESSERA_AVX512_
#endif

} // namespace

std::size_t append_pairs(PairBatch& batch, const PackedRow& row,
                         std::span<const ClusterPairList::Column> columns,
                         const PackedClusters& clusters, double cutoff2)
{
#if defined(__x86_64__)
    if (simd_level() == SimdLevel::avx512) {
        return append_avx512(batch, row, columns, clusters, cutoff2);
    }
#endif
    return append_baseline(batch, row, columns, clusters, cutoff2);
}

} // namespace tessera
