// Sixteen FP32 or 32-bit lanes in two registers: the row's first and second atom, third and fourth.
// Read inside a namespace of code for AVX2.

struct Floats {
    __m256 low, high;
};
struct Ints {
    __m256i low, high;
};
using Mask = Ints;

inline Floats operator+(const Floats& a, const Floats& b)
{
    return {a.low + b.low, a.high + b.high};
}
inline Floats operator-(const Floats& a, const Floats& b)
{
    return {a.low - b.low, a.high - b.high};
}
inline Floats operator*(const Floats& a, const Floats& b)
{
    return {a.low * b.low, a.high * b.high};
}
inline Floats broadcast(float v)
{
    return {_mm256_set1_ps(v), _mm256_set1_ps(v)};
}
inline Ints broadcast_int(std::int32_t v)
{
    return {_mm256_set1_epi32(v), _mm256_set1_epi32(v)};
}
inline Ints zero()
{
    return {_mm256_setzero_si256(), _mm256_setzero_si256()};
}
/// The four numbers at `from`, for each of the row's four atoms.
inline Floats quad(const float* from)
{
    const __m256 v = _mm256_broadcast_ps(reinterpret_cast<const __m128*>(from));
    return {v, v};
}
/// The four numbers at `from`, each for four lanes.
inline Floats four_times(const float* from)
{
    const __m256 v = _mm256_broadcast_ps(reinterpret_cast<const __m128*>(from));
    return {_mm256_permutevar8x32_ps(v, _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1)),
            _mm256_permutevar8x32_ps(v, _mm256_setr_epi32(2, 2, 2, 2, 3, 3, 3, 3))};
}
inline Ints load(const void* from)
{
    const auto* p = static_cast<const __m256i*>(from);
    return {_mm256_load_si256(p), _mm256_load_si256(p + 1)};
}
inline void store(std::int32_t* to, const Ints& v)
{
    auto* p = reinterpret_cast<__m256i*>(to);
    _mm256_store_si256(p, v.low);
    _mm256_store_si256(p + 1, v.high);
}
inline void store_line(float* to, const Ints& v)
{
    store(reinterpret_cast<std::int32_t*>(to), v);
}
inline void copy8(float* to, const float* from)
{
    _mm256_store_ps(to, _mm256_load_ps(from));
}
inline Ints as_ints(const Floats& v)
{
    return {_mm256_castps_si256(v.low), _mm256_castps_si256(v.high)};
}
inline Floats as_floats(const Ints& v)
{
    return {_mm256_castsi256_ps(v.low), _mm256_castsi256_ps(v.high)};
}
inline Floats to_float(const Ints& v)
{
    return {_mm256_cvtepi32_ps(v.low), _mm256_cvtepi32_ps(v.high)};
}
inline Ints rounded(const Floats& v)
{
    return {_mm256_cvtps_epi32(v.low), _mm256_cvtps_epi32(v.high)};
}
inline Ints add(const Ints& a, const Ints& b)
{
    return {_mm256_add_epi32(a.low, b.low), _mm256_add_epi32(a.high, b.high)};
}
inline Ints subtract(const Ints& a, const Ints& b)
{
    return {_mm256_sub_epi32(a.low, b.low), _mm256_sub_epi32(a.high, b.high)};
}
/// Unsigned.
inline Ints larger(const Ints& a, const Ints& b)
{
    return {_mm256_max_epu32(a.low, b.low), _mm256_max_epu32(a.high, b.high)};
}
inline Floats load_floats(const float* from)
{
    return {_mm256_load_ps(from), _mm256_load_ps(from + 8)};
}
inline Floats larger_of(const Floats& a, const Floats& b)
{
    return {_mm256_max_ps(a.low, b.low), _mm256_max_ps(a.high, b.high)};
}
/// a b + c, rounded once
inline Floats fused(const Floats& a, const Floats& b, const Floats& c)
{
    return {_mm256_fmadd_ps(a.low, b.low, c.low), _mm256_fmadd_ps(a.high, b.high, c.high)};
}
/// a b - c, rounded once
inline Floats fused_minus(const Floats& a, const Floats& b, const Floats& c)
{
    return {_mm256_fmsub_ps(a.low, b.low, c.low), _mm256_fmsub_ps(a.high, b.high, c.high)};
}
inline Floats reciprocal(const Floats& v)
{
    const __m256 one = _mm256_set1_ps(1.0F);
    return {_mm256_div_ps(one, v.low), _mm256_div_ps(one, v.high)};
}
inline Floats square_root(const Floats& v)
{
    return {_mm256_sqrt_ps(v.low), _mm256_sqrt_ps(v.high)};
}
inline Mask is_less(const Floats& a, const Floats& b)
{
    return as_ints(
        {_mm256_cmp_ps(a.low, b.low, _CMP_LT_OQ), _mm256_cmp_ps(a.high, b.high, _CMP_LT_OQ)});
}
inline Mask both(const Mask& a, std::uint16_t bits)
{
    const __m256i bit = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const auto chosen = [&](int from) {
        return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(from), bit), bit);
    };
    return {_mm256_and_si256(a.low, chosen(bits)), _mm256_and_si256(a.high, chosen(bits >> 8))};
}
inline std::uint32_t bits_of(const Mask& m)
{
    return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(m.low))) |
           static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(m.high))) << 8;
}
inline Floats value_if(const Mask& wanted, const Floats& v)
{
    const Floats m = as_floats(wanted);
    return {_mm256_and_ps(m.low, v.low), _mm256_and_ps(m.high, v.high)};
}
/// v with zeros where the charges stand.
inline Ints positions_of(const Ints& v)
{
    return {v.low, _mm256_blend_epi32(v.high, _mm256_setzero_si256(), 0xF0)};
}
inline Ints with_charge(const Floats& position, const Ints& line)
{
    const Ints x = as_ints(position);
    return {x.low, _mm256_blend_epi32(x.high, line.high, 0xF0)};
}
/// Whether all lanes, doubled bits of |f|, are below those of `limit`.
inline bool all_below(const Ints& doubled, float limit)
{
    const __m256i bits = _mm256_castps_si256(_mm256_set1_ps(limit));
    const __m256i bound = _mm256_add_epi32(bits, bits);
    const __m256i most = _mm256_max_epu32(doubled.low, doubled.high);
    const __m256i too_large = _mm256_cmpeq_epi32(_mm256_max_epu32(most, bound), most);
    return _mm256_testz_si256(too_large, too_large) != 0;
}

inline __m128i sum_over_row(const Ints& v)
{
    const __m256i half = _mm256_add_epi32(v.low, v.high);
    return _mm_add_epi32(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
}
inline __m128i sum_over_column(const Ints& v)
{
    const __m256i pairs = _mm256_hadd_epi32(v.low, v.high); // by 128 bits: atoms 0 2 | 1 3, twice
    const __m256i all = _mm256_hadd_epi32(pairs, pairs);    // 0 2 0 2 | 1 3 1 3
    return _mm_unpacklo_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
}
/// Sums of x, y and z over the four atoms of the row: lanes [x4|y4|z4|0].
inline Ints sum_over_row(const Ints& x, const Ints& y, const Ints& z)
{
    return {_mm256_set_m128i(sum_over_row(y), sum_over_row(x)),
            _mm256_set_m128i(_mm_setzero_si128(), sum_over_row(z))};
}
/// The same over the four atoms of the column.
inline Ints sum_over_column(const Ints& x, const Ints& y, const Ints& z)
{
    return {_mm256_set_m128i(sum_over_column(y), sum_over_column(x)),
            _mm256_set_m128i(_mm_setzero_si128(), sum_over_column(z))};
}

/// Adds x4, y4 and z4 of a line to the first lanes of three lines.
inline void add_to_lines(std::int32_t* lines, const Ints& v)
{
    const auto add4 = [](std::int32_t* to, __m128i w) {
        auto* p = reinterpret_cast<__m128i*>(to);
        _mm_store_si128(p, _mm_add_epi32(_mm_load_si128(p), w));
    };
    add4(lines, _mm256_castsi256_si128(v.low));
    add4(lines + 16, _mm256_extracti128_si256(v.low, 1));
    add4(lines + 32, _mm256_castsi256_si128(v.high));
}

struct CubicTable {
    alignas(64) float c[BlockForm::cells][4];
    explicit CubicTable(const float (&coefficients)[4][BlockForm::cells])
    {
        for (int cell = 0; cell < BlockForm::cells; ++cell) {
            for (int k = 0; k < 4; ++k) {
                c[cell][k] = coefficients[k][cell];
            }
        }
    }
    /// Eight lanes: the coefficients of each lane's cell are loaded at once, then turned.
    [[gnu::always_inline]] __m256 value(__m256i cell, __m256 x) const
    {
        alignas(32) std::uint32_t n[8];
        _mm256_store_si256(reinterpret_cast<__m256i*>(n),
                           _mm256_and_si256(cell, _mm256_set1_epi32(BlockForm::cells - 1)));
        const auto rows = [&](int k) {
            return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(c[n[k]])),
                                        _mm_load_ps(c[n[k + 4]]), 1);
        };
        const __m256 r0 = rows(0), r1 = rows(1), r2 = rows(2), r3 = rows(3);
        const __m256 a = _mm256_unpacklo_ps(r0, r1), b = _mm256_unpackhi_ps(r0, r1);
        const __m256 d = _mm256_unpacklo_ps(r2, r3), e = _mm256_unpackhi_ps(r2, r3);
        const __m256 c0 = _mm256_shuffle_ps(a, d, 0x44), c1 = _mm256_shuffle_ps(a, d, 0xEE);
        const __m256 c2 = _mm256_shuffle_ps(b, e, 0x44), c3 = _mm256_shuffle_ps(b, e, 0xEE);
        return _mm256_fmadd_ps(_mm256_fmadd_ps(_mm256_fmadd_ps(c3, x, c2), x, c1), x, c0);
    }
    [[gnu::always_inline]] Floats value(const Ints& cell, const Floats& x) const
    {
        return {value(cell.low, x.low), value(cell.high, x.high)};
    }
};
