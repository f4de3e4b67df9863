// Eight FP64 or 64-bit lanes in one register. Read behind the lanes of FP32, in their namespace.

using Doubles = __m512d;
using Longs = __m512i;
using DoubleMask = __mmask8;

inline Doubles broadcast(double v)
{
    return _mm512_set1_pd(v);
}
inline Longs zero_longs()
{
    return _mm512_setzero_si512();
}
/// Four numbers from each place.
inline Doubles two_quads(const double* low, const double* high)
{
    return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_load_pd(low)), _mm256_load_pd(high), 1);
}
/// row[low[0..3]] and row[high[0..3]]
inline Doubles look_up(const double* row, const std::int32_t* low, const std::int32_t* high)
{
    const __m128i l = _mm_load_si128(reinterpret_cast<const __m128i*>(low));
    const __m128i h = _mm_load_si128(reinterpret_cast<const __m128i*>(high));
    return _mm512_i32gather_pd(_mm256_set_m128i(h, l), row, 8);
}
/// a b + c, rounded once
inline Doubles fused(Doubles a, Doubles b, Doubles c)
{
    return _mm512_fmadd_pd(a, b, c);
}
/// a b - c, rounded once
inline Doubles fused_minus(Doubles a, Doubles b, Doubles c)
{
    return _mm512_fmsub_pd(a, b, c);
}
inline Doubles reciprocal(Doubles v)
{
    return _mm512_div_pd(_mm512_set1_pd(1.0), v);
}
inline Doubles square_root(Doubles v)
{
    return _mm512_sqrt_pd(v);
}
inline DoubleMask is_less(Doubles a, Doubles b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ);
}
inline DoubleMask both(DoubleMask a, std::uint8_t bits)
{
    return static_cast<DoubleMask>(a & bits);
}
inline Doubles value_if(DoubleMask wanted, Doubles v)
{
    return _mm512_maskz_mov_pd(wanted, v);
}
/// Lanes that were true, or where |v| is not below the limit.
inline DoubleMask or_beyond(DoubleMask known, Doubles v, Doubles limit)
{
    return static_cast<DoubleMask>(known |
                                   _mm512_cmp_pd_mask(_mm512_abs_pd(v), limit, _CMP_NLT_UQ));
}
inline DoubleMask no_lanes()
{
    return 0;
}
inline bool is_any(DoubleMask m)
{
    return m != 0;
}
/// To the nearest whole number, |v| below 2^59.
inline Longs rounded(Doubles v)
{
    return _mm512_cvtpd_epi64(v);
}
inline Longs add_longs(Longs a, Longs b)
{
    return _mm512_add_epi64(a, b);
}
/// Takes the lower four lanes from one place, then the upper four from the other.
inline void subtract_quads(std::int64_t* low, std::int64_t* high, Longs v)
{
    auto* l = reinterpret_cast<__m256i*>(low);
    _mm256_store_si256(l, _mm256_sub_epi64(_mm256_load_si256(l), _mm512_castsi512_si256(v)));
    auto* h = reinterpret_cast<__m256i*>(high);
    _mm256_store_si256(h, _mm256_sub_epi64(_mm256_load_si256(h), _mm512_extracti64x4_epi64(v, 1)));
}
inline std::int64_t sum_of(Longs v)
{
    return _mm512_reduce_add_epi64(v);
}
inline void add_lanes(ExactSum& sum, Longs v)
{
    alignas(64) std::int64_t lane[8];
    _mm512_store_si512(lane, v);
    for (const std::int64_t one : lane) {
        sum.add_fixed(one);
    }
}
