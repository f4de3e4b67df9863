#pragma once

#include <array>
#include <cmath>

namespace tessera::oracle
{

/// A number together with its derivatives along N directions (forward-mode differentiation):
/// v + d_1 e_1 + ... + d_N e_N with e_k e_l = 0. The oracle writes energies only; every force and
/// virial comes from these rules.
template <int N>
struct Dual {
    double v = 0;
    std::array<double, N> d{};

    Dual() = default;
    Dual(double value) : v(value) {} // NOLINT: constants enter formulas as they are written
    static Dual along(double value, int direction)
    {
        Dual x(value);
        x.d[static_cast<std::size_t>(direction)] = 1;
        return x;
    }

    Dual& operator+=(const Dual& b) { return *this = *this + b; }
    Dual& operator-=(const Dual& b) { return *this = *this - b; }
    Dual& operator*=(const Dual& b) { return *this = *this * b; }

    friend Dual operator+(const Dual& a, const Dual& b) { return join(a.v + b.v, a, 1, b, 1); }
    friend Dual operator-(const Dual& a, const Dual& b) { return join(a.v - b.v, a, 1, b, -1); }
    friend Dual operator-(const Dual& a) { return chain(-a.v, a, -1); }
    friend Dual operator*(const Dual& a, const Dual& b) { return join(a.v * b.v, a, b.v, b, a.v); }
    friend Dual operator/(const Dual& a, const Dual& b)
    {
        const double q = a.v / b.v;
        return join(q, a, 1 / b.v, b, -q / b.v);
    }
    friend bool operator<(const Dual& a, const Dual& b) { return a.v < b.v; }
    friend bool operator>(const Dual& a, const Dual& b) { return a.v > b.v; }

    /// value with derivative slope * a.d
    static Dual chain(double value, const Dual& a, double slope)
    {
        Dual r(value);
        for (std::size_t k = 0; k < N; ++k) {
            r.d[k] = slope * a.d[k];
        }
        return r;
    }
    static Dual join(double value, const Dual& a, double by_a, const Dual& b, double by_b)
    {
        Dual r(value);
        for (std::size_t k = 0; k < N; ++k) {
            r.d[k] = by_a * a.d[k] + by_b * b.d[k];
        }
        return r;
    }
};

template <int N>
Dual<N> sqrt(const Dual<N>& a)
{
    const double r = std::sqrt(a.v);
    return Dual<N>::chain(r, a, 0.5 / r);
}
template <int N>
Dual<N> exp(const Dual<N>& a)
{
    const double e = std::exp(a.v);
    return Dual<N>::chain(e, a, e);
}
template <int N>
Dual<N> log(const Dual<N>& a)
{
    return Dual<N>::chain(std::log(a.v), a, 1 / a.v);
}
template <int N>
Dual<N> sin(const Dual<N>& a)
{
    return Dual<N>::chain(std::sin(a.v), a, std::cos(a.v));
}
template <int N>
Dual<N> cos(const Dual<N>& a)
{
    return Dual<N>::chain(std::cos(a.v), a, -std::sin(a.v));
}
template <int N>
Dual<N> atan2(const Dual<N>& y, const Dual<N>& x)
{
    const double r2 = x.v * x.v + y.v * y.v;
    return Dual<N>::join(std::atan2(y.v, x.v), y, x.v / r2, x, -y.v / r2);
}
/// d erf(x)/dx = 2/sqrt(pi) exp(-x^2)
template <int N>
Dual<N> erf(const Dual<N>& a)
{
    return Dual<N>::chain(std::erf(a.v), a, 2 / std::sqrt(std::acos(-1.0)) * std::exp(-a.v * a.v));
}
template <int N>
Dual<N> erfc(const Dual<N>& a)
{
    return Dual<N>::chain(std::erfc(a.v), a,
                          -2 / std::sqrt(std::acos(-1.0)) * std::exp(-a.v * a.v));
}

inline double value_of(double a)
{
    return a;
}
template <int N>
double value_of(const Dual<N>& a)
{
    return a.v;
}

/// a^n by repeated multiplication, n >= 0.
template <class R>
R power(const R& a, int n)
{
    R result(1.0);
    for (int k = 0; k < n; ++k) {
        result = result * a;
    }
    return result;
}

} // namespace tessera::oracle
