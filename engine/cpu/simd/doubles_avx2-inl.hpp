// Eight FP64 or 64-bit lanes in two registers. Read behind the lanes of FP32, in their namespace.

struct Doubles {
    __m256d low, high;
};
struct Longs {
    __m256i low, high;
};
using DoubleMask = Doubles;

inline Doubles operator+(const Doubles& a, const Doubles& b)
{
    return {a.low + b.low, a.high + b.high};
}
inline Doubles operator-(const Doubles& a, const Doubles& b)
{
    return {a.low - b.low, a.high - b.high};
}
inline Doubles operator*(const Doubles& a, const Doubles& b)
{
    return {a.low * b.low, a.high * b.high};
}
inline Doubles broadcast(double v)
{
    return {_mm256_set1_pd(v), _mm256_set1_pd(v)};
}
inline Longs zero_longs()
{
    return {_mm256_setzero_si256(), _mm256_setzero_si256()};
}
/// Four numbers from each place.
inline Doubles two_quads(const double* low, const double* high)
{
    return {_mm256_load_pd(low), _mm256_load_pd(high)};
}
/// row[low[0..3]] and row[high[0..3]]
inline Doubles look_up(const double* row, const std::int32_t* low, const std::int32_t* high)
{
    return {_mm256_setr_pd(row[low[0]], row[low[1]], row[low[2]], row[low[3]]),
            _mm256_setr_pd(row[high[0]], row[high[1]], row[high[2]], row[high[3]])};
}
/// a b + c, rounded once
inline Doubles fused(const Doubles& a, const Doubles& b, const Doubles& c)
{
    return {_mm256_fmadd_pd(a.low, b.low, c.low), _mm256_fmadd_pd(a.high, b.high, c.high)};
}
/// a b - c, rounded once
inline Doubles fused_minus(const Doubles& a, const Doubles& b, const Doubles& c)
{
    return {_mm256_fmsub_pd(a.low, b.low, c.low), _mm256_fmsub_pd(a.high, b.high, c.high)};
}
inline Doubles reciprocal(const Doubles& v)
{
    const __m256d one = _mm256_set1_pd(1.0);
    return {_mm256_div_pd(one, v.low), _mm256_div_pd(one, v.high)};
}
inline Doubles square_root(const Doubles& v)
{
    return {_mm256_sqrt_pd(v.low), _mm256_sqrt_pd(v.high)};
}
inline DoubleMask is_less(const Doubles& a, const Doubles& b)
{
    return {_mm256_cmp_pd(a.low, b.low, _CMP_LT_OQ), _mm256_cmp_pd(a.high, b.high, _CMP_LT_OQ)};
}
inline DoubleMask both(const DoubleMask& a, std::uint8_t bits)
{
    const __m256i low = _mm256_setr_epi64x(1, 2, 4, 8), high = _mm256_setr_epi64x(16, 32, 64, 128);
    const __m256i all = _mm256_set1_epi64x(bits);
    const __m256i l = _mm256_cmpeq_epi64(_mm256_and_si256(all, low), low);
    const __m256i h = _mm256_cmpeq_epi64(_mm256_and_si256(all, high), high);
    return {_mm256_and_pd(a.low, _mm256_castsi256_pd(l)),
            _mm256_and_pd(a.high, _mm256_castsi256_pd(h))};
}
inline Doubles value_if(const DoubleMask& wanted, const Doubles& v)
{
    return {_mm256_and_pd(wanted.low, v.low), _mm256_and_pd(wanted.high, v.high)};
}
/// Lanes that were true, or where |v| is not below the limit.
inline DoubleMask or_beyond(const DoubleMask& known, const Doubles& v, const Doubles& limit)
{
    const __m256d sign = _mm256_set1_pd(-0.0);
    return {_mm256_or_pd(known.low,
                         _mm256_cmp_pd(_mm256_andnot_pd(sign, v.low), limit.low, _CMP_NLT_UQ)),
            _mm256_or_pd(known.high,
                         _mm256_cmp_pd(_mm256_andnot_pd(sign, v.high), limit.high, _CMP_NLT_UQ))};
}
inline DoubleMask no_lanes()
{
    return broadcast(0.0);
}
inline bool is_any(const DoubleMask& m)
{
    return _mm256_movemask_pd(_mm256_or_pd(m.low, m.high)) != 0;
}
/// To the nearest whole number, |v| below 2^59: the part above 32 bits, then the rest, each by a
/// sum in which it stands in the lowest bits.
inline __m256i rounded(__m256d v)
{
    const __m256d shifter = _mm256_set1_pd(6755399441055744.0); // 1.5 2^52
    const __m256d high = _mm256_fmadd_pd(v, _mm256_set1_pd(0x1p-32), shifter);
    const __m256d low =
        _mm256_fmadd_pd(_mm256_sub_pd(high, shifter), _mm256_set1_pd(-0x1p32), v) + shifter;
    return _mm256_add_epi64(
        _mm256_slli_epi64(_mm256_castpd_si256(high), 32),
        _mm256_sub_epi64(_mm256_castpd_si256(low), _mm256_castpd_si256(shifter)));
}
inline Longs rounded(const Doubles& v)
{
    return {rounded(v.low), rounded(v.high)};
}
inline Longs add_longs(const Longs& a, const Longs& b)
{
    return {_mm256_add_epi64(a.low, b.low), _mm256_add_epi64(a.high, b.high)};
}
/// Takes the lower four lanes from one place, then the upper four from the other.
inline void subtract_quads(std::int64_t* low, std::int64_t* high, const Longs& v)
{
    auto* l = reinterpret_cast<__m256i*>(low);
    _mm256_store_si256(l, _mm256_sub_epi64(_mm256_load_si256(l), v.low));
    auto* h = reinterpret_cast<__m256i*>(high);
    _mm256_store_si256(h, _mm256_sub_epi64(_mm256_load_si256(h), v.high));
}
inline std::int64_t sum_of(const Longs& v)
{
    alignas(32) std::int64_t lane[4];
    _mm256_store_si256(reinterpret_cast<__m256i*>(lane), _mm256_add_epi64(v.low, v.high));
    return lane[0] + lane[1] + lane[2] + lane[3];
}
inline void add_lanes(ExactSum& sum, const Longs& v)
{
    alignas(32) std::int64_t lane[8];
    _mm256_store_si256(reinterpret_cast<__m256i*>(lane), v.low);
    _mm256_store_si256(reinterpret_cast<__m256i*>(lane + 4), v.high);
    for (const std::int64_t one : lane) {
        sum.add_fixed(one);
    }
}
