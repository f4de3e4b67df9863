#pragma once

#include "engine/base/real.hpp"

#include <cmath>

namespace tessera
{

/// A number with its derivative along one direction: a formula evaluated with duals yields its
/// directional derivative without being differentiated by hand.
struct Dual {
    double value = 0;
    double slope = 0;

    TESSERA_FORMULA constexpr Dual() = default;
    TESSERA_FORMULA constexpr Dual(double v) : value(v) {} // a constant
    TESSERA_FORMULA constexpr Dual(double v, double s) : value(v), slope(s) {}

    TESSERA_FORMULA Dual& operator+=(Dual b) { return *this = {value + b.value, slope + b.slope}; }
    TESSERA_FORMULA Dual& operator-=(Dual b) { return *this = {value - b.value, slope - b.slope}; }
    TESSERA_FORMULA Dual& operator*=(Dual b)
    {
        return *this = {value * b.value, value * b.slope + slope * b.value};
    }
    friend TESSERA_FORMULA Dual operator+(Dual a, Dual b) { return a += b; }
    friend TESSERA_FORMULA Dual operator-(Dual a, Dual b) { return a -= b; }
    friend TESSERA_FORMULA Dual operator*(Dual a, Dual b) { return a *= b; }
    friend TESSERA_FORMULA Dual operator-(Dual a) { return {-a.value, -a.slope}; }
    friend TESSERA_FORMULA Dual operator/(Dual a, Dual b)
    {
        const double quotient = a.value / b.value;
        return {quotient, (a.slope - quotient * b.slope) / b.value};
    }
    friend TESSERA_FORMULA Dual sqrt(Dual a)
    {
        const double root = std::sqrt(a.value);
        return {root, a.slope / (2 * root)};
    }
};

} // namespace tessera
