#pragma once

#include "engine/base/real.hpp"

#include <cstdint>
#include <cstring>

namespace tessera
{

// Logarithm and circle functions out of + - * / alone: libraries choose other instructions on other
// processors, these have the same bits everywhere. Errors are below 4e-16.

/// Natural logarithm of a normal number > 0: u = m 2^e with m near 1, ln m = 2 artanh((m - 1)/(m +
/// 1)).
TESSERA_FORMULA double portable_log(double u)
{
    std::uint64_t bits = 0;
    std::memcpy(&bits, &u, sizeof bits);
    int exponent = static_cast<int>(bits >> 52) - 1023;
    bits = (bits & 0x000FFFFFFFFFFFFFULL) | 0x3FF0000000000000ULL;
    double m = 0; // in [1, 2)
    std::memcpy(&m, &bits, sizeof m);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        ++exponent;
    }
    const double s = (m - 1) / (m + 1); // |s| < 0.172: eleven terms reach 1e-18
    const double z = s * s;
    double series = 1.0 / 23;
    for (int odd = 21; odd >= 3; odd -= 2) {
        series = series * z + 1.0 / odd;
    }
    constexpr double ln2_high = 0.693147180369123816490, ln2_low = 1.90821492927058770002e-10;
    const double e = exponent;
    return e * ln2_high + (2 * s + (2 * s * (z * series) + e * ln2_low));
}

struct CirclePoint {
    double cosine, sine;
};

/// Cosine and sine of 2 pi t, 0 <= t <= 1: Taylor series within an eighth of a turn of the nearest
/// quarter.
TESSERA_FORMULA CirclePoint portable_circle(double t)
{
    const int quarter = static_cast<int>(4 * t + 0.5);
    const double x = 6.283185307179586476925 * (t - 0.25 * quarter);
    const double z = x * x; // < 0.617
    double cosine = 1, sine = 1;
    for (int k = 18; k >= 2; k -= 2) {
        cosine = 1 - cosine * (z * (1.0 / (k * (k - 1))));
        sine = 1 - sine * (z * (1.0 / (k * (k + 1))));
    }
    sine *= x;
    switch (quarter & 3) {
    case 0:
        return {cosine, sine};
    case 1:
        return {-sine, cosine};
    case 2:
        return {-cosine, -sine};
    default:
        return {sine, -cosine};
    }
}

} // namespace tessera
