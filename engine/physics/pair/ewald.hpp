#pragma once

#include "engine/physics/pair/pair_result.hpp"

#include <cmath>

namespace tessera
{

/// erfc(x) and exp(-x^2) at x = beta r. Kernels fill it by their own approximation (on the CPU
/// engine/math/erfc.hpp), references by exact_screening.
template <class R>
struct Screening {
    R erfc;
    R gauss;
};
template <class R>
TESSERA_FORMULA Screening<R> exact_screening(R x)
{
    using std::erfc;
    using std::exp;
    return {erfc(x), exp(-x * x)};
}

inline constexpr double two_over_sqrt_pi = 1.12837916709551257390;

/// Ewald sum, real space: U = strength (erfc(beta r)/r - shift), strength = ke q_i q_j; shift is
/// zero or erfc(beta rc)/rc.
template <class R>
TESSERA_FORMULA PairResult<R> ewald_real(R strength, R inv_r, R beta, const Screening<R>& screening,
                                         R shift)
{
    const R u = screening.erfc * inv_r;
    const R slope = R(two_over_sqrt_pi) * beta * screening.gauss;
    return {strength * (u - shift), strength * ((u + slope) * (inv_r * inv_r))};
}

/// The force of ewald_real over the distance, its smooth part given: strength (1/r^3 - beta^3 s),
/// s(x^2) = (erf(x)/x - 2/sqrt(pi) exp(-x^2))/x^2, x = beta r. What kernels use that approximate s;
/// ewald_excluded tells it exactly, as beta^3 s = -force_over_r of unit strength.
template <class R>
TESSERA_FORMULA R ewald_real_force(R strength, R inv_r, R beta3_s)
{
    return strength * (inv_r * inv_r * inv_r - beta3_s);
}

/// erf(x)/x = 2/sqrt(pi) sum (-1)^n x^2n / (n! (2n+1)): the coefficients of x^2n, and those of its
/// derivative by x over x. Below x^2 = 4 what is left out is below 1e-16.
struct ErfSeries {
    static constexpr int terms = 34;
    static constexpr double largest_x2 = 4;
    double value[terms] = {}, slope[terms] = {};
};
constexpr ErfSeries make_erf_series()
{
    ErfSeries series;
    double power = two_over_sqrt_pi; // times (-1)^n / n!
    for (int n = 0; n < ErfSeries::terms; ++n) {
        series.value[n] = power / (2 * n + 1);
        power /= -(n + 1);
        series.slope[n] = 2 * (n + 1) * power / (2 * n + 3);
    }
    return series;
}

/// c[n] + c[n+1] x + ... to the last term; unrolled, so that loops over it become vector code.
template <int n, class R>
TESSERA_FORMULA R erf_series_sum(const double (&c)[ErfSeries::terms], R x)
{
    if constexpr (n == ErfSeries::terms - 1) {
        return R(c[n]);
    } else {
        return R(c[n]) + x * erf_series_sum<n + 1>(c, x);
    }
}

/// ewald_excluded where x2 = (beta r)^2 is below ErfSeries::largest_x2, without a branch.
template <class R>
TESSERA_FORMULA PairResult<R> ewald_excluded_near(R strength, R x2, R beta)
{
    constexpr ErfSeries series = make_erf_series();
    return {-strength * beta * erf_series_sum<0>(series.value, x2),
            strength * beta * beta * beta * erf_series_sum<0>(series.slope, x2)};
}

/// What takes an excluded pair out of the mesh energy: U = -strength erf(beta r)/r, with its limit
/// at r = 0.
template <class R>
TESSERA_FORMULA PairResult<R> ewald_excluded(R strength, R r2, R beta)
{
    using std::erf;
    using std::exp;
    using std::sqrt;
    const R x2 = beta * beta * r2;
    if (x2 < R(ErfSeries::largest_x2)) {
        return ewald_excluded_near(strength, x2, beta);
    }
    const R x = sqrt(x2);
    const R value = erf(x) / x;                                    // erf(x)/x
    const R slope = (R(two_over_sqrt_pi) * exp(-x2) - value) / x2; // its derivative over x
    return {-strength * beta * value, strength * beta * beta * beta * slope};
}

/// LJ-PME, real space: what is added to the Lennard-Jones pair because the mesh holds -cg/r^6 of
/// all pairs: U = cg (1 - g)/r^6, g = exp(-x^2)(1 + x^2 + x^4/2), x = beta r; gauss = exp(-x^2). U.
/// Essmann et al., J. Chem. Phys. 103, 8577 (1995), section 5.
template <class R>
TESSERA_FORMULA PairResult<R> lj_ewald_real(R cg, R r2, R inv_r2, R beta2, R gauss)
{
    const R x2 = beta2 * r2;
    const R inv_r6 = inv_r2 * inv_r2 * inv_r2;
    const R u = (R(1) - gauss * (R(1) + x2 + R(0.5) * x2 * x2)) * inv_r6;
    return {cg * u, cg * ((R(6) * u - beta2 * beta2 * beta2 * gauss) * inv_r2)};
}

/// The same for a pair that is excluded, accurate down to r = 0: below x = 1 by the series
/// (1 - g)/x^6 = exp(-x^2) sum_{n >= 3} x^(2n-6)/n!.
template <class R>
TESSERA_FORMULA PairResult<R> lj_ewald_excluded(R cg, R r2, R beta2)
{
    using std::exp;
    const R x2 = beta2 * r2;
    const R gauss = exp(-x2);
    const R beta6 = beta2 * beta2 * beta2;
    if (x2 < R(1)) {
        // s = sum x^(2n-6)/n!, n >= 3;  u = beta^6 e^-x2 s;  6 u - beta^6 e^-x2 = beta^6 e^-x2 (6s
        // - 1)
        R power = R(1) / R(6);
        R sum = R(0);
        R rest = R(0); // (6 s - 1)/x2
        for (int n = 3; n < 22; ++n) {
            sum += power;
            power /= R(n + 1);
            rest += R(6) * power;
            power *= x2;
        }
        const R scale = cg * beta6 * gauss;
        return {scale * sum, scale * beta2 * rest};
    }
    return lj_ewald_real(cg, r2, R(1) / r2, beta2, gauss);
}

} // namespace tessera
