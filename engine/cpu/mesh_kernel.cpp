#include "engine/cpu/mesh_kernel.hpp"

#include "engine/math/bspline.hpp"
#include "engine/math/constants.hpp"

#include <cmath>

namespace tessera
{

using constants::pi;

WaveWeight wave_weight(const CoulombWaves& waves, double k2)
{
    if (k2 == 0.0) {
        return {0.0, 0.0};
    }
    const double inv = 1.0 / (4.0 * waves.beta * waves.beta);
    return {2.0 * pi * waves.coulomb_constant * std::exp(-k2 * inv) / k2, -1.0 / k2 - inv};
}

WaveWeight wave_weight(const DispersionWaves& waves, double k2)
{
    const double beta = waves.beta;
    const double b2 = k2 / (4.0 * beta * beta);
    const double b = std::sqrt(b2);
    const double gauss = std::exp(-b2);
    const double tail = b * std::sqrt(pi) * std::erfc(b);
    const double f = (1.0 - 2.0 * b2) * gauss + 2.0 * b2 * tail;
    const double df = -3.0 * (gauss - tail) / (4.0 * beta * beta); // df/d(k^2)
    return {-std::pow(pi, 1.5) * beta * beta * beta / 6.0 * f, f != 0.0 ? df / f : 0.0};
}

std::vector<double> spline_moduli(int order, int n)
{
    double weight[largest_spline_order], slope[largest_spline_order];
    bspline_weights(order, 0.0, weight, slope); // weight[k] = M_n(k)
    const auto size = static_cast<std::size_t>(n);
    std::vector<double> denominator(size);
    for (std::size_t m = 0; m < size; ++m) {
        double re = 0, im = 0;
        for (int k = 0; k < order - 1; ++k) {
            const double angle = 2.0 * pi * static_cast<double>(m) * k / n;
            re += weight[k + 1] * std::cos(angle);
            im += weight[k + 1] * std::sin(angle);
        }
        denominator[m] = re * re + im * im;
    }
    std::vector<double> moduli(size);
    for (std::size_t m = 0; m < size; ++m) {
        constexpr double vanishing = 1e-20; // exact zero but for rounding: others are above 1e-12
        moduli[m] = denominator[m] > vanishing
                        ? 1.0 / denominator[m]
                        : 0.5 / denominator[m - 1] + 0.5 / denominator[(m + 1) % size];
    }
    return moduli;
}

} // namespace tessera
