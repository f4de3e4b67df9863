#pragma once

#include "engine/cpu/simd/line_fft.hpp"

// Compiled once an instruction set, in a namespace of its own (TESSERA_FFT_LEVEL).

#pragma GCC diagnostic ignored "-Wpsabi"

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
            Complex<R> u = a[0], v = {};
            for (int k = 1; k <= half; ++k) {
                const R c = roots[j * k % Radix], s = roots[Radix + j * k % Radix];
                u = {u.re + sum[k].re * c, u.im + sum[k].im * c};
                v = {v.re + difference[k].re * s, v.im + difference[k].im * s};
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
void filter(const FftPlan<R>& plan, const FftLines<R>& l, const R* factor, R* room)
{
    using V = Vector<R>;
    const size_t block = plan.n * lanes<R>;
    const FftLines<R> here{room, room + block, lanes<R>};
    transform(plan, l, here, room + 2 * block);
    for (size_t k = 0; k < plan.n; ++k) {
        const auto f = load<V>(factor + k * l.stride);
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
    transpose(from, from_stride, count, n, columns, L);
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
        transpose(x, L, half, count, re, to_stride);
        transpose(x + half * L, L, half, count, im, to_stride);
    } else {
        clear(lines_z.im, n * L);
        transform(plan.plan, FftLines<R>{columns, lines_z.im, L}, lines_z, rest);
        transpose(z, L, half, count, re, to_stride);
        transpose(lines_z.im, L, half, count, im, to_stride);
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
    transpose(re, from_stride, count, half, x, L);
    transpose(im, from_stride, count, half, xi, L);
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
        transpose(columns, L, n, count, to, to_stride);
    } else {
        for (size_t k = 0; k < n; ++k) {
            const size_t source = k < half ? k * L : (n - k) * L;
            store(z + k * L, load<V>(x + source));
            const auto value = load<V>(xi + source);
            store(zi + k * L, k < half ? value : -value);
        }
        transform(plan.plan, FftLines<R>{zi, z, L}, FftLines<R>{zi, z, L}, rest);
        transpose(z, L, n, count, to, to_stride);
    }
}

#undef TESSERA_INLINE_

} // namespace

const FftKernels<float> single_kernels{lines<float>, filter<float>, rows_forward<float>,
                                       rows_backward<float>};
const FftKernels<double> double_kernels{lines<double>, filter<double>, rows_forward<double>,
                                        rows_backward<double>};

} // namespace tessera::TESSERA_FFT_LEVEL
