// Sixteen FP32 or 32-bit lanes in one register. Read inside a namespace of code for AVX-512.

using Floats = __m512;
using Ints = __m512i;
using Mask = __mmask16;

inline Floats broadcast(float v)
{
    return _mm512_set1_ps(v);
}
inline Ints broadcast_int(std::int32_t v)
{
    return _mm512_set1_epi32(v);
}
inline Ints zero()
{
    return _mm512_setzero_si512();
}
/// The four numbers at `from`, for each of the row's four atoms.
inline Floats quad(const float* from)
{
    return _mm512_broadcast_f32x4(_mm_load_ps(from));
}
/// The four numbers at `from`, each for four lanes.
inline Floats four_times(const float* from)
{
    const Ints which = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    return _mm512_permutexvar_ps(which, quad(from));
}
inline Ints load(const void* from)
{
    return _mm512_load_si512(from);
}
inline void store(std::int32_t* to, Ints v)
{
    _mm512_store_si512(to, v);
}
inline void store_line(float* to, Ints v)
{
    _mm512_store_si512(to, v);
}
inline void copy8(float* to, const float* from)
{
    _mm256_store_ps(to, _mm256_load_ps(from));
}
inline Ints as_ints(Floats v)
{
    return _mm512_castps_si512(v);
}
inline Floats to_float(Ints v)
{
    return _mm512_cvtepi32_ps(v);
}
inline Ints rounded(Floats v)
{
    return _mm512_cvtps_epi32(v);
}
inline Ints add(Ints a, Ints b)
{
    return _mm512_add_epi32(a, b);
}
inline Ints subtract(Ints a, Ints b)
{
    return _mm512_sub_epi32(a, b);
}
/// Unsigned.
inline Ints larger(Ints a, Ints b)
{
    return _mm512_max_epu32(a, b);
}
inline Floats load_floats(const float* from)
{
    return _mm512_load_ps(from);
}
inline Floats larger_of(Floats a, Floats b)
{
    return _mm512_max_ps(a, b);
}
/// a b + c, rounded once
inline Floats fused(Floats a, Floats b, Floats c)
{
    return _mm512_fmadd_ps(a, b, c);
}
/// a b - c, rounded once
inline Floats fused_minus(Floats a, Floats b, Floats c)
{
    return _mm512_fmsub_ps(a, b, c);
}
inline Floats reciprocal(Floats v)
{
    return _mm512_div_ps(_mm512_set1_ps(1.0F), v);
}
inline Floats square_root(Floats v)
{
    return _mm512_sqrt_ps(v);
}
inline Mask is_less(Floats a, Floats b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
}
inline Mask both(Mask a, std::uint16_t bits)
{
    return static_cast<Mask>(a & bits);
}
inline std::uint32_t bits_of(Mask m)
{
    return m;
}
inline Floats value_if(Mask wanted, Floats v)
{
    return _mm512_maskz_mov_ps(wanted, v);
}
/// v with zeros where the charges stand.
inline Ints positions_of(Ints v)
{
    return _mm512_maskz_mov_epi32(0x0FFF, v);
}
inline Ints with_charge(Floats position, Ints line)
{
    return _mm512_mask_mov_epi32(as_ints(position), 0xF000, line);
}
/// Whether all lanes, doubled bits of |f|, are below those of `limit`.
inline bool all_below(Ints doubled, float limit)
{
    const Ints bound = as_ints(broadcast(limit));
    return _mm512_cmplt_epu32_mask(doubled, add(bound, bound)) == 0xFFFF;
}

/// Sums of x, y and z over the four atoms of the row: lanes [x4|y4|z4|z4]. Eight operations,
/// because the halves of two vectors are added at once.
inline Ints sum_over_row(Ints x, Ints y, Ints z)
{
    const Ints xy = add(_mm512_mask_mov_epi32(x, 0xFF00, y), _mm512_shuffle_i32x4(x, y, 0x4E));
    const Ints zz = add(z, _mm512_shuffle_i32x4(z, z, 0x4E));
    return add(_mm512_shuffle_i32x4(xy, zz, 0x88), _mm512_shuffle_i32x4(xy, zz, 0xDD));
}
/// The same over the four atoms of the column.
inline Ints sum_over_column(Ints x, Ints y, Ints z)
{
    const Ints turn = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return sum_over_row(_mm512_permutexvar_epi32(turn, x), _mm512_permutexvar_epi32(turn, y),
                        _mm512_permutexvar_epi32(turn, z));
}

/// Adds x4, y4 and z4 of a line to the first lanes of three lines.
inline void add_to_lines(std::int32_t* lines, Ints v)
{
    const auto add4 = [](std::int32_t* to, __m128i w) {
        auto* p = reinterpret_cast<__m128i*>(to);
        _mm_store_si128(p, _mm_add_epi32(_mm_load_si128(p), w));
    };
    add4(lines, _mm512_castsi512_si128(v));
    add4(lines + 16, _mm512_extracti32x4_epi32(v, 1));
    add4(lines + 32, _mm512_extracti32x4_epi32(v, 2));
}

/// 32 cubics whose coefficients stay in eight registers.
struct CubicTable {
    Floats low[4], high[4];
    explicit CubicTable(const float (&c)[4][BlockForm::cells])
    {
        for (int k = 0; k < 4; ++k) {
            low[k] = _mm512_load_ps(c[k]);
            high[k] = _mm512_load_ps(c[k] + 16);
        }
    }
    [[gnu::always_inline]] Floats coefficient(int k, Ints cell) const
    {
        return _mm512_permutex2var_ps(low[k], cell, high[k]); // reads the five lowest bits
    }
    [[gnu::always_inline]] Floats value(Ints cell, Floats x) const
    {
        return fused(
            fused(fused(coefficient(3, cell), x, coefficient(2, cell)), x, coefficient(1, cell)), x,
            coefficient(0, cell));
    }
};
