#pragma once

#include "engine/cpu/simd/line_fft.hpp"

// Compiled once an instruction set, in a namespace of its own (TESSERA_FFT_LEVEL).

#pragma GCC diagnostic ignored "-Wpsabi"
#if defined(__AVX512F__)
#include <immintrin.h>
// the compiler's own header leaves a register undefined on purpose
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace tessera::TESSERA_FFT_LEVEL
{

namespace
{

#define TESSERA_INLINE_ [[gnu::always_inline]] inline

using std::size_t;

template <class T, int Lanes>
struct VectorOf {
    typedef T Type __attribute__((vector_size(Lanes * sizeof(T))));
};
template <class R>
constexpr size_t lanes = 64 / sizeof(R);
template <class R>
using Vector = typename VectorOf<R, lanes<R>>::Type;

template <class V, class R>
TESSERA_INLINE_ V load(const R* from)
{
    V v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
}
template <class V, class R>
TESSERA_INLINE_ void store(R* to, const V& v)
{
    __builtin_memcpy(to, &v, sizeof v);
}

template <class R>
struct Complex {
    Vector<R> re, im;
};
template <class R>
TESSERA_INLINE_ Complex<R> operator+(const Complex<R>& a, const Complex<R>& b)
{
    return {a.re + b.re, a.im + b.im};
}
template <class R>
TESSERA_INLINE_ Complex<R> operator-(const Complex<R>& a, const Complex<R>& b)
{
    return {a.re - b.re, a.im - b.im};
}
template <class R>
TESSERA_INLINE_ Complex<R> times(const Complex<R>& a, const R* w)
{
    return {a.re * w[0] - a.im * w[1], a.re * w[1] + a.im * w[0]};
}
/// a + i b and a - i b
template <class R>
TESSERA_INLINE_ Complex<R> plus_i(const Complex<R>& a, const Complex<R>& b)
{
    return {a.re - b.im, a.im + b.re};
}
template <class R>
TESSERA_INLINE_ Complex<R> minus_i(const Complex<R>& a, const Complex<R>& b)
{
    return {a.re + b.im, a.im - b.re};
}

template <class R>
TESSERA_INLINE_ void four(Complex<R>& a, Complex<R>& b, Complex<R>& c, Complex<R>& d)
{
    const Complex<R> e0 = a + c, e1 = a - c, o0 = b + d, o1 = b - d;
    a = e0 + o0;
    b = minus_i(e1, o1);
    c = e0 - o0;
    d = plus_i(e1, o1);
}

/// Transform of Radix elements; roots as in FftStage.
template <int Radix, class R>
TESSERA_INLINE_ void butterfly(Complex<R>* a, const R* roots)
{
    if constexpr (Radix == 2) {
        const Complex<R> b = a[0] - a[1];
        a[0] = a[0] + a[1];
        a[1] = b;
    } else if constexpr (Radix == 4) {
        four(a[0], a[1], a[2], a[3]);
    } else if constexpr (Radix == 8) {
        const R half = roots[1]; // cos(pi/4)
        four(a[0], a[2], a[4], a[6]);
        four(a[1], a[3], a[5], a[7]);
        const Complex<R> e0 = a[0], e1 = a[2], e2 = a[4], e3 = a[6], o0 = a[1], o2 = a[5];
        const Complex<R> o1{(a[3].re + a[3].im) * half, (a[3].im - a[3].re) * half};
        const Complex<R> o3{(a[7].im - a[7].re) * half, (a[7].re + a[7].im) * half}; // conjugate
        a[0] = e0 + o0;
        a[1] = e1 + o1;
        a[2] = minus_i(e2, o2);
        a[3] = {e3.re + o3.re, e3.im - o3.im};
        a[4] = e0 - o0;
        a[5] = e1 - o1;
        a[6] = plus_i(e2, o2);
        a[7] = {e3.re - o3.re, e3.im + o3.im};
    } else if constexpr (Radix == 6) { // 2 x 3 without twiddles: n = 3 n1 + 2 n2, k = 3 k1 + 4 k2
        const R three[6] = {R(1), roots[2], roots[4], R(0), roots[8], roots[10]};
        Complex<R> e[3] = {a[0], a[2], a[4]}, o[3] = {a[3], a[5], a[1]};
        butterfly<3>(e, three);
        butterfly<3>(o, three);
        a[0] = e[0] + o[0];
        a[3] = e[0] - o[0];
        a[4] = e[1] + o[1];
        a[1] = e[1] - o[1];
        a[2] = e[2] + o[2];
        a[5] = e[2] - o[2];
    } else { // odd: sums and differences of opposite elements
        constexpr int half = (Radix - 1) / 2;
        Complex<R> sum[half + 1], difference[half + 1];
        Complex<R> all = a[0];
        for (int k = 1; k <= half; ++k) {
            sum[k] = a[k] + a[Radix - k];
            difference[k] = a[k] - a[Radix - k];
            all = all + sum[k];
        }
        for (int j = 1; j <= half; ++j) {
            Complex<R> u = a[0], v;
            for (int k = 1; k <= half; ++k) {
                const R c = roots[j * k % Radix], s = roots[Radix + j * k % Radix];
                const Complex<R> part{difference[k].re * s, difference[k].im * s};
                u = {u.re + sum[k].re * c, u.im + sum[k].im * c};
                v = k == 1 ? part : v + part;
            }
            a[j] = minus_i(u, v);
            a[Radix - j] = plus_i(u, v);
        }
        a[0] = all;
    }
}

template <int Radix, class R>
TESSERA_INLINE_ void pass(const FftStage<R>& stage, const FftLines<R>& in, const FftLines<R>& out)
{
    using V = Vector<R>;
    const size_t m = stage.m, s = stage.s;
    const size_t apart_in = s * m * in.stride, apart_out = s * out.stride;
    for (size_t p = 0; p < m; ++p) {
        const R* w = stage.twiddle + p * (Radix - 1) * 2;
        for (size_t q = 0; q < s; ++q) {
            const size_t from = (q + s * p) * in.stride, to = (q + s * Radix * p) * out.stride;
            Complex<R> a[Radix];
            for (int k = 0; k < Radix; ++k) {
                a[k] = {load<V>(in.re + from + k * apart_in), load<V>(in.im + from + k * apart_in)};
            }
            butterfly<Radix>(a, stage.roots);
            if (p > 0) {
                for (int j = 1; j < Radix; ++j) {
                    a[j] = times(a[j], w + 2 * (j - 1));
                }
            }
            for (int j = 0; j < Radix; ++j) {
                store(out.re + to + j * apart_out, a[j].re);
                store(out.im + to + j * apart_out, a[j].im);
            }
        }
    }
}

/// Any odd radix, as `butterfly`; `room` holds 2 radix vectors.
template <class R>
[[gnu::noinline]] void any_pass(const FftStage<R>& stage, const FftLines<R>& in,
                                const FftLines<R>& out, R* room)
{
    using V = Vector<R>;
    const size_t m = stage.m, s = stage.s, radix = stage.radix, half = (radix - 1) / 2;
    const size_t apart_in = s * m * in.stride, apart_out = s * out.stride;
    const auto put = [&](size_t to, size_t p, size_t j, const Complex<R>& b) {
        const Complex<R> c =
            p > 0 && j > 0 ? times(b, stage.twiddle + 2 * (p * (radix - 1) + j - 1)) : b;
        store(out.re + to + j * apart_out, c.re);
        store(out.im + to + j * apart_out, c.im);
    };
    for (size_t p = 0; p < m; ++p) {
        for (size_t q = 0; q < s; ++q) {
            const size_t from = (q + s * p) * in.stride, to = (q + s * radix * p) * out.stride;
            const auto get = [&](size_t k) {
                return Complex<R>{load<V>(in.re + from + k * apart_in),
                                  load<V>(in.im + from + k * apart_in)};
            };
            const Complex<R> first = get(0);
            Complex<R> all = first;
            for (size_t k = 1; k <= half; ++k) {
                const Complex<R> a = get(k), b = get(radix - k);
                const Complex<R> sum = a + b, difference = a - b;
                all = all + sum;
                R* const at = room + 4 * (k - 1) * lanes<R>;
                store(at, sum.re);
                store(at + lanes<R>, sum.im);
                store(at + 2 * lanes<R>, difference.re);
                store(at + 3 * lanes<R>, difference.im);
            }
            put(to, p, 0, all);
            for (size_t j = 1; j <= half; ++j) {
                Complex<R> u = first, v = {};
                for (size_t k = 1; k <= half; ++k) {
                    const R c = stage.roots[j * k % radix], d = stage.roots[radix + j * k % radix];
                    const R* const at = room + 4 * (k - 1) * lanes<R>;
                    u = {u.re + load<V>(at) * c, u.im + load<V>(at + lanes<R>) * c};
                    v = {v.re + load<V>(at + 2 * lanes<R>) * d,
                         v.im + load<V>(at + 3 * lanes<R>) * d};
                }
                put(to, p, j, minus_i(u, v));
                put(to, p, radix - j, plus_i(u, v));
            }
        }
    }
}

/// `in` and `out` may be the same; room for 6 n vectors.
template <class R>
[[gnu::noinline]] void transform(const FftPlan<R>& plan, const FftLines<R>& in,
                                 const FftLines<R>& out, R* room)
{
    const size_t block = plan.n * lanes<R>;
    const FftLines<R> scratch[2] = {{room, room + block, lanes<R>},
                                    {room + 2 * block, room + 3 * block, lanes<R>}};
    R* const rest = room + 4 * block;
    FftLines<R> from = in;
    // a single pass of a generic radix reads what it has overwritten
    const bool is_alone = plan.stages <= 1;
    for (size_t t = 0; t < plan.stages; ++t) {
        const FftStage<R>& stage = plan.stage[t];
        const bool is_last = t + 1 == plan.stages && !is_alone;
        const FftLines<R> to = is_last ? out : scratch[t % 2];
        switch (stage.radix) {
        case 2:
            pass<2>(stage, from, to);
            break;
        case 3:
            pass<3>(stage, from, to);
            break;
        case 4:
            pass<4>(stage, from, to);
            break;
        case 5:
            pass<5>(stage, from, to);
            break;
        case 6:
            pass<6>(stage, from, to);
            break;
        case 7:
            pass<7>(stage, from, to);
            break;
        case 8:
            pass<8>(stage, from, to);
            break;
        default:
            any_pass(stage, from, to, rest);
        }
        from = to;
    }
    if (is_alone) {
        for (size_t k = 0; k < plan.n; ++k) {
            const auto re = load<Vector<R>>(from.re + k * from.stride);
            const auto im = load<Vector<R>>(from.im + k * from.stride);
            store(out.re + k * out.stride, re);
            store(out.im + k * out.stride, im);
        }
    }
}

/// exp(+...) is exp(-...) with real and imaginary parts exchanged.
template <class R>
TESSERA_INLINE_ FftLines<R> exchanged(const FftLines<R>& lines)
{
    return {lines.im, lines.re, lines.stride};
}

template <class R>
void lines(const FftPlan<R>& plan, const FftLines<R>& l, bool backward, R* room)
{
    const FftLines<R> way = backward ? exchanged(l) : l;
    transform(plan, way, way, room);
}

template <class R>
void filter(const FftPlan<R>& plan, const FftLines<R>& l, const R* factor, size_t factor_stride,
            R* room)
{
    using V = Vector<R>;
    const size_t block = plan.n * lanes<R>;
    const FftLines<R> here{room, room + block, lanes<R>};
    transform(plan, l, here, room + 2 * block);
    for (size_t k = 0; k < plan.n; ++k) {
        const auto f = load<V>(factor + k * factor_stride);
        R* const re = here.re + k * lanes<R>;
        R* const im = here.im + k * lanes<R>;
        store(re, load<V>(re) * f);
        store(im, load<V>(im) * f);
    }
    transform(plan, exchanged(here), exchanged(l), room + 2 * block);
}

/// to[c * to_stride + r] = from[r * from_stride + c], in tiles of 16-byte vectors, which every
/// instruction set has.
template <class R>
[[gnu::noinline]] void transpose(const R* from, size_t from_stride, size_t rows, size_t columns,
                                 R* to, size_t to_stride)
{
    constexpr size_t edge = 16 / sizeof(R);
    using V = typename VectorOf<R, edge>::Type;
    const size_t whole_rows = rows / edge * edge, whole_columns = columns / edge * edge;
    for (size_t r = 0; r < whole_rows; r += edge) {
        for (size_t c = 0; c < whole_columns; c += edge) {
            const R* const f = from + r * from_stride + c;
            R* const t = to + c * to_stride + r;
            if constexpr (edge == 4) {
                const V a = load<V>(f), b = load<V>(f + from_stride);
                const V d = load<V>(f + 2 * from_stride), e = load<V>(f + 3 * from_stride);
                const V ab0 = __builtin_shufflevector(a, b, 0, 4, 1, 5);
                const V ab1 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
                const V de0 = __builtin_shufflevector(d, e, 0, 4, 1, 5);
                const V de1 = __builtin_shufflevector(d, e, 2, 6, 3, 7);
                store(t, __builtin_shufflevector(ab0, de0, 0, 1, 4, 5));
                store(t + to_stride, __builtin_shufflevector(ab0, de0, 2, 3, 6, 7));
                store(t + 2 * to_stride, __builtin_shufflevector(ab1, de1, 0, 1, 4, 5));
                store(t + 3 * to_stride, __builtin_shufflevector(ab1, de1, 2, 3, 6, 7));
            } else {
                const V a = load<V>(f), b = load<V>(f + from_stride);
                store(t, __builtin_shufflevector(a, b, 0, 2));
                store(t + to_stride, __builtin_shufflevector(a, b, 1, 3));
            }
        }
        for (size_t c = whole_columns; c < columns; ++c) {
            for (size_t k = r; k < r + edge; ++k) {
                to[c * to_stride + k] = from[k * from_stride + c];
            }
        }
    }
    for (size_t r = whole_rows; r < rows; ++r) {
        for (size_t c = 0; c < columns; ++c) {
            to[c * to_stride + r] = from[r * from_stride + c];
        }
    }
}

#if defined(__AVX512F__)
/// `edge` vectors of four 16-byte pieces: the matrices of edge x edge numbers that their pieces
/// make, transposed.
template <class V>
TESSERA_INLINE_ void transpose_pieces(V (&v)[4])
{
    const V a = __builtin_shufflevector(v[0], v[1], 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12,
                                        28, 13, 29);
    const V b = __builtin_shufflevector(v[0], v[1], 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14,
                                        30, 15, 31);
    const V c = __builtin_shufflevector(v[2], v[3], 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12,
                                        28, 13, 29);
    const V d = __builtin_shufflevector(v[2], v[3], 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14,
                                        30, 15, 31);
    v[0] = __builtin_shufflevector(a, c, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
    v[1] =
        __builtin_shufflevector(a, c, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
    v[2] = __builtin_shufflevector(b, d, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
    v[3] =
        __builtin_shufflevector(b, d, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31);
}
template <class V>
TESSERA_INLINE_ void transpose_pieces(V (&v)[2])
{
    const V a = v[0], b = v[1];
    v[0] = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
    v[1] = __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
}

TESSERA_INLINE_ __m128 piece(const void* from)
{
    return load<__m128>(static_cast<const char*>(from));
}
/// As many rows as a vector has lanes, to lanes, for the first elements; how many.
template <class R>
TESSERA_INLINE_ size_t block_to_lanes(const R* from, size_t stride, size_t n, R* to)
{
    constexpr size_t edge = 16 / sizeof(R);
    using V = Vector<R>;
    const size_t whole = n / edge * edge;
    for (size_t c = 0; c < whole; c += edge) {
        V v[edge];
        for (size_t k = 0; k < edge; ++k) { // piece p: the row edge p + k
            const R* const f = from + k * stride + c;
            __m512 joined = _mm512_castps128_ps512(piece(f));
            joined = _mm512_insertf32x4(joined, piece(f + edge * stride), 1);
            joined = _mm512_insertf32x4(joined, piece(f + 2 * edge * stride), 2);
            joined = _mm512_insertf32x4(joined, piece(f + 3 * edge * stride), 3);
            v[k] = reinterpret_cast<V>(joined);
        }
        transpose_pieces(v);
        for (size_t k = 0; k < edge; ++k) {
            store(to + (c + k) * lanes<R>, v[k]);
        }
    }
    return whole;
}
template <class R>
TESSERA_INLINE_ size_t block_to_rows(const R* from, size_t n, R* to, size_t stride)
{
    constexpr size_t edge = 16 / sizeof(R);
    using V = Vector<R>;
    const size_t whole = n / edge * edge;
    for (size_t c = 0; c < whole; c += edge) {
        V v[edge];
        for (size_t k = 0; k < edge; ++k) {
            v[k] = load<V>(from + (c + k) * lanes<R>);
        }
        transpose_pieces(v);
        for (size_t k = 0; k < edge; ++k) {
            const auto joined = reinterpret_cast<__m512>(v[k]);
            R* const t = to + k * stride + c;
            store(t, _mm512_castps512_ps128(joined));
            store(t + edge * stride, _mm512_extractf32x4_ps(joined, 1));
            store(t + 2 * edge * stride, _mm512_extractf32x4_ps(joined, 2));
            store(t + 3 * edge * stride, _mm512_extractf32x4_ps(joined, 3));
        }
    }
    return whole;
}
#else
template <class R>
TESSERA_INLINE_ size_t block_to_lanes(const R*, size_t, size_t, R*)
{
    return 0;
}
template <class R>
TESSERA_INLINE_ size_t block_to_rows(const R*, size_t, R*, size_t)
{
    return 0;
}
#endif

/// `count` rows of n numbers, `stride` apart, to n vectors with a row a lane.
template <class R>
[[gnu::noinline]] void rows_to_lanes(const R* from, size_t stride, size_t count, size_t n, R* to)
{
    const size_t done = count == lanes<R> ? block_to_lanes(from, stride, n, to) : 0;
    transpose(from + done, stride, count, n - done, to + done * lanes<R>, lanes<R>);
}
template <class R>
[[gnu::noinline]] void lanes_to_rows(const R* from, size_t n, size_t count, R* to, size_t stride)
{
    const size_t done = count == lanes<R> ? block_to_rows(from, n, to, stride) : 0;
    transpose(from + done * lanes<R>, lanes<R>, n - done, count, to + done, stride);
}

template <class R>
TESSERA_INLINE_ void clear(R* from, size_t count)
{
    __builtin_memset(from, 0, count * sizeof(R));
}

template <class R>
void rows_forward(const FftRowPlan<R>& plan, const R* from, size_t from_stride, size_t count, R* re,
                  R* im, size_t to_stride, R* room)
{
    using V = Vector<R>;
    constexpr size_t L = lanes<R>;
    const size_t n = plan.n, half = n / 2 + 1, m = plan.plan.n;
    R* const columns = room;    // n vectors
    R* const z = room + n * L;  // 2 m vectors
    R* const x = z + 2 * m * L; // 2 half vectors
    R* const rest = x + 2 * half * L;
    if (count < L) {
        clear(columns, n * L);
    }
    rows_to_lanes(from, from_stride, count, n, columns);
    const FftLines<R> lines_z{z, z + m * L, L};
    if (n % 2 == 0) {
        transform(plan.plan, FftLines<R>{columns, columns + L, 2 * L}, lines_z, rest);
        const R one_half = R(0.5);
        for (size_t k = 0; k < half; ++k) {
            const size_t here = k % m * L, there = (m - k) % m * L;
            const auto zr = load<V>(z + here), zi = load<V>(lines_z.im + here);
            const auto yr = load<V>(z + there), yi = load<V>(lines_z.im + there);
            const auto ar = (zr + yr) * one_half, ai = (zi - yi) * one_half;
            const auto br = (zr - yr) * one_half, bi = (zi + yi) * one_half;
            const R wr = plan.twiddle[2 * k], wi = plan.twiddle[2 * k + 1];
            store(x + k * L, ar + (bi * wr + br * wi));
            store(x + (half + k) * L, ai - (br * wr - bi * wi));
        }
        lanes_to_rows(x, half, count, re, to_stride);
        lanes_to_rows(x + half * L, half, count, im, to_stride);
    } else {
        clear(lines_z.im, n * L);
        transform(plan.plan, FftLines<R>{columns, lines_z.im, L}, lines_z, rest);
        lanes_to_rows(z, half, count, re, to_stride);
        lanes_to_rows(lines_z.im, half, count, im, to_stride);
    }
}

template <class R>
void rows_backward(const FftRowPlan<R>& plan, const R* re, const R* im, size_t from_stride,
                   size_t count, R* to, size_t to_stride, R* room)
{
    using V = Vector<R>;
    constexpr size_t L = lanes<R>;
    const size_t n = plan.n, half = n / 2 + 1, m = plan.plan.n;
    R* const columns = room;    // n vectors
    R* const z = room + n * L;  // 2 m vectors
    R* const x = z + 2 * m * L; // 2 half vectors
    R* const rest = x + 2 * half * L;
    R* const xi = x + half * L;
    if (count < L) {
        clear(x, 2 * half * L);
    }
    rows_to_lanes(re, from_stride, count, half, x);
    rows_to_lanes(im, from_stride, count, half, xi);
    R* const zi = z + m * L;
    if (n % 2 == 0) {
        for (size_t k = 0; k < m; ++k) {
            const size_t here = k * L, there = (m - k) * L;
            const auto xr = load<V>(x + here), xim = load<V>(xi + here);
            const auto yr = load<V>(x + there), yi = load<V>(xi + there);
            const auto ar = xr + yr, ai = xim - yi, br = xr - yr, bi = xim + yi;
            const R wr = plan.twiddle[2 * k], wi = plan.twiddle[2 * k + 1];
            store(z + here, ar - (bi * wr - br * wi));
            store(zi + here, ai + (br * wr + bi * wi));
        }
        transform(plan.plan, FftLines<R>{zi, z, L}, FftLines<R>{columns + L, columns, 2 * L}, rest);
        lanes_to_rows(columns, n, count, to, to_stride);
    } else {
        for (size_t k = 0; k < n; ++k) {
            const size_t source = k < half ? k * L : (n - k) * L;
            store(z + k * L, load<V>(x + source));
            const auto value = load<V>(xi + source);
            store(zi + k * L, k < half ? value : -value);
        }
        transform(plan.plan, FftLines<R>{zi, z, L}, FftLines<R>{zi, z, L}, rest);
        lanes_to_rows(z, n, count, to, to_stride);
    }
}

#undef TESSERA_INLINE_

} // namespace

const FftKernels<float> single_kernels{lines<float>, filter<float>, rows_forward<float>,
                                       rows_backward<float>};
const FftKernels<double> double_kernels{lines<double>, filter<double>, rows_forward<double>,
                                        rows_backward<double>};

} // namespace tessera::TESSERA_FFT_LEVEL
