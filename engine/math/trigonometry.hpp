#pragma once

#include "engine/base/real.hpp"
#include "engine/math/select.hpp"

#include <cmath>

// Sine, cosine and the angle of a vector, by polynomials: without branches, so that lanes of
// vectors can evaluate them, and with the same bits on every processor (libm picks variants by
// processor). Errors are below 3e-16, absolute for sine and cosine, relative for the angle. R:
// double, or lanes of doubles; float takes libm's.

namespace tessera
{

template <class R>
struct SineCosine {
    R sine, cosine;
};

namespace detail
{

/// Value of a polynomial, the coefficient of the highest power last.
template <class R, int Count>
TESSERA_FORMULA R horner(const double (&c)[Count], const R& x)
{
    R sum = R(c[Count - 1]);
    for (int k = Count - 2; k >= 0; --k) {
        sum = sum * x + R(c[k]);
    }
    return sum;
}

/// The nearest integer, ties to even, of numbers below 2^51.
template <class R>
TESSERA_FORMULA R nearest_integer(const R& x)
{
    const R shift = R(6755399441055744.0); // 1.5 * 2^52
    return (x + shift) - shift;
}

} // namespace detail

/// Of an angle in radians; beyond 1e6 the error grows as the angle's own rounding does.
template <class R>
TESSERA_FORMULA SineCosine<R> sine_and_cosine(const R& x)
{
    using std::fabs;
    // polynomials of z = r^2 fitted on |r| <= pi/4 at Chebyshev's nodes: sin r = r + r z S(z), cos
    // r = 1 - z/2 + z^2 C(z)
    constexpr double s[] = {-0.166666666666666646,    0.00833333333333094729,
                            -0.000198412698367567725, 2.75573161016178744e-6,
                            -2.50511316502351815e-8,  1.59181152632659752e-10};
    constexpr double c[] = {0.0416666666666666654,    -0.00138888888888873965,
                            0.0000248015872987645608, -2.7557317271145146e-7,
                            2.08761461465586116e-9,   -1.13826236474746046e-11};
    // pi/2 in three parts, the first two of 33 bits: their products with n are exact below 2^20
    constexpr double part1 = 0x1.921fb544p+0, part2 = 0x1.0b4611a6p-34,
                     part3 = 0x1.3198a2e037073p-69;
    const R n = detail::nearest_integer(x * R(0x1.45f306dc9c883p-1));
    const R r = ((x - n * R(part1)) - n * R(part2)) - n * R(part3);
    const R z = r * r;
    const R sine = r + r * z * detail::horner(s, z);
    const R cosine = (R(1) - R(0.5) * z) + z * z * detail::horner(c, z);
    const R quarter = n - R(4) * detail::nearest_integer(R(0.25) * n); // -2 .. 2
    const R turned = fabs(quarter);
    const R plain_s = select(turned == R(1), cosine, sine);
    const R plain_c = select(turned == R(1), sine, cosine);
    const R half = select(turned == R(2), R(-1), R(1));
    return {select(quarter == R(-1), R(-1), half) * plain_s,
            select(quarter == R(1), R(-1), half) * plain_c};
}
TESSERA_FORMULA SineCosine<float> sine_and_cosine(float x)
{
    return {std::sin(x), std::cos(x)};
}

/// The angle of the vector (x, y), y >= 0 (or NaN), in 0..pi; of the null vector 0.
template <class R>
TESSERA_FORMULA R angle_above(const R& y, const R& x)
{
    using std::fabs;
    // atan t = t + t z P(z), z = t^2, fitted on |t| <= tan(pi/8)
    constexpr double p[] = {-0.333333333333333302, 0.199999999999955165,   -0.142857142846656808,
                            0.111111110151870187,  -0.0909090457530648908, 0.0769218312537689209,
                            -0.066645105255089366, 0.0585814090486632828,  -0.0508540783458948426,
                            0.0392304477847930952, -0.0191754047111049337};
    constexpr double half_pi = 1.5707963267948966192, quarter_pi = 0.78539816339744830962,
                     tangent = 0.41421356237309504880, pi_tail = 1.2246467991473532e-16;
    const R along = fabs(x);
    const R large = select(y > along, y, along), small = select(y > along, along, y);
    // beyond tan(pi/8) from the diagonal, where the tangent is one
    const R numerator = select(small > R(tangent) * large, small - large, small);
    const R denominator = select(small > R(tangent) * large, small + large, large);
    const R base = select(small > R(tangent) * large, R(quarter_pi), R(0));
    const R t = numerator / select(denominator == R(0), R(1), denominator);
    const R z = t * t;
    const R acute = base + (t + t * z * detail::horner(p, z)); // of the small over the large side
    const R right = select(y > along, R(half_pi) - (acute - R(0.5 * pi_tail)), acute);
    return select(x < R(0), R(2 * half_pi) - (right - R(pi_tail)), right);
}
TESSERA_FORMULA float angle_above(float y, float x)
{
    return std::atan2(y, x);
}

/// The angle of the vector (x, y), in (-pi, pi].
template <class R>
TESSERA_FORMULA R angle_of(const R& y, const R& x)
{
    using std::fabs;
    const R angle = angle_above<R>(fabs(y), x);
    return select(y < R(0), -angle, angle);
}
TESSERA_FORMULA float angle_of(float y, float x)
{
    return std::atan2(y, x);
}

} // namespace tessera
