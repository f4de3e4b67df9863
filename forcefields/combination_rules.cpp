#include "forcefields/combination_rules.hpp"

#include <cmath>

namespace tessera
{

LjNumbers combine(CombinationRule rule, const LjNumbers& a, const LjNumbers& b)
{
    if (rule == CombinationRule::geometric_c6_c12) {
        return {std::sqrt(a.v * b.v), std::sqrt(a.w * b.w)};
    }
    double sigma = rule == CombinationRule::lorentz_berthelot
                       ? 0.5 * (std::fabs(a.v) + std::fabs(b.v))
                       : std::sqrt(std::fabs(a.v * b.v));
    if (a.v < 0 || b.v < 0) {
        sigma = -sigma;
    }
    return {sigma, std::sqrt(a.w * b.w)};
}

LjCoefficients to_coefficients(CombinationRule rule, const LjNumbers& pair)
{
    if (rule == CombinationRule::geometric_c6_c12) {
        return {pair.v, pair.w};
    }
    const double sigma3 = pair.v * pair.v * std::fabs(pair.v);
    const double sigma6 = sigma3 * sigma3;
    return {pair.v < 0 ? 0.0 : 4.0 * pair.w * sigma6, 4.0 * pair.w * sigma6 * sigma6};
}

SigmaEpsilon to_sigma_epsilon(CombinationRule rule, const LjNumbers& type)
{
    const LjCoefficients c = to_coefficients(rule, type);
    if (!(c.c6 > 0) || !(c.c12 > 0)) {
        return {};
    }
    if (rule == CombinationRule::geometric_c6_c12) {
        return {std::pow(c.c12 / c.c6, 1.0 / 6.0), c.c6 * c.c6 / (4.0 * c.c12)};
    }
    return {type.v, type.w};
}

} // namespace tessera
