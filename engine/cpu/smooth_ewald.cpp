#include "engine/cpu/smooth_ewald.hpp"

#include "engine/math/constants.hpp"
#include "engine/physics/pair/ewald.hpp"

#include <array>
#include <cmath>

namespace tessera
{

namespace
{

constexpr std::size_t nodes = 48;
using Series = std::array<double, nodes>;

/// Chebyshev coefficients of the interpolation at the roots of T_48.
Series chebyshev(double beta, double cutoff)
{
    const double pi = constants::pi;
    const double n = static_cast<double>(nodes);
    Series value{}, c{};
    for (std::size_t k = 0; k < nodes; ++k) {
        const double t = std::cos(pi * (static_cast<double>(k) + 0.5) / n);
        value[k] = -ewald_excluded(1.0, 0.5 * cutoff * cutoff * (1 + t), beta).force_over_r;
    }
    for (std::size_t j = 0; j < nodes; ++j) {
        for (std::size_t k = 0; k < nodes; ++k) {
            c[j] += 2.0 / n * value[k] *
                    std::cos(pi * static_cast<double>(j) * (static_cast<double>(k) + 0.5) / n);
        }
    }
    c[0] *= 0.5;
    return c;
}

/// The same polynomial, cut after T_degree, in powers of t.
std::vector<float> powers(const Series& c, std::size_t degree)
{
    std::vector<double> sum(degree + 1, 0.0), before(degree + 1, 0.0), now(degree + 1, 0.0);
    before[0] = 1; // T_0
    now[1] = 1;    // T_1
    sum[0] = c[0];
    for (std::size_t j = 1; j <= degree; ++j) {
        for (std::size_t k = 0; k <= degree; ++k) {
            sum[k] += c[j] * now[k];
        }
        std::vector<double> next(degree + 1, 0.0); // T_{j+1} = 2 t T_j - T_{j-1}
        for (std::size_t k = 0; k <= degree; ++k) {
            next[k] = (k > 0 ? 2 * now[k - 1] : 0.0) - before[k];
        }
        before = now;
        now = next;
    }
    std::vector<float> out;
    for (const double s : sum) {
        out.push_back(static_cast<float>(s));
    }
    return out;
}

} // namespace

std::optional<SmoothEwald> make_smooth_ewald(double beta, double cutoff)
{
    constexpr double largest_error = 5e-9;
    const Series c = chebyshev(beta, cutoff);
    for (const int degree : smooth_ewald_degrees) {
        double rest = 0;
        for (std::size_t j = static_cast<std::size_t>(degree) + 1; j < nodes; ++j) {
            rest += std::fabs(c[j]);
        }
        if (rest < largest_error * beta * beta * beta) {
            return SmoothEwald{static_cast<float>(2.0 / (cutoff * cutoff)),
                               powers(c, static_cast<std::size_t>(degree))};
        }
    }
    return std::nullopt;
}

} // namespace tessera
