#pragma once

#include "engine/base/philox.hpp"
#include "engine/math/constants.hpp"

#include <cmath>

namespace tessera
{

/// Sum of the squares of n independent normal numbers (n a whole number >= 0).
/// Twice a gamma number of shape n/2: G. Marsaglia, W. W. Tsang, ACM Trans. Math. Softw. 26, 363
/// (2000). Below three by the definition.
inline double sum_of_normal_squares(double n, RandomStream& random)
{
    if (n < 3) {
        const auto z = random.normal2();
        return n < 1 ? 0 : (n < 2 ? z[0] * z[0] : z[0] * z[0] + z[1] * z[1]);
    }
    const double d = 0.5 * n - 1.0 / 3.0;
    const double c = 1 / std::sqrt(9 * d);
    while (true) {
        const double z = random.normal2()[0];
        const double u = random.uniform2()[0];
        const double v = 1 + c * z;
        if (v > 0 && std::log(u) < 0.5 * z * z + d - d * v * v * v + d * std::log(v * v * v)) {
            return 2 * d * v * v * v;
        }
    }
}

/// Factor for all velocities: stochastic velocity rescaling. The kinetic energy follows
/// dK = (K0 - K) dt/time + 2 sqrt(K K0/n) dW/sqrt(time), solved exactly over dt; K0 = n kT/2.
/// G. Bussi, D. Donadio, M. Parrinello, J. Chem. Phys. 126, 014101 (2007), eq. A7.
/// Units: kJ/mol, K, ps.
inline double velocity_rescale_factor(double kinetic, double degrees_of_freedom, double temperature,
                                      double dt, double time, RandomStream& random)
{
    if (!(kinetic > 0) || !(degrees_of_freedom > 0)) {
        return 1;
    }
    const double keep = time > 0 ? std::exp(-dt / time) : 0;
    const double ratio = 0.5 * constants::boltzmann * temperature / kinetic; // K0 / (n K)
    const double r1 = random.normal2()[0];
    const double rest = sum_of_normal_squares(degrees_of_freedom - 1, random);
    const double square = keep + (1 - keep) * ratio * (r1 * r1 + rest) +
                          2 * r1 * std::sqrt(keep * (1 - keep) * ratio);
    // the sign keeps the thermostat exact for few degrees of freedom (eq. A8)
    const double sign =
        r1 + std::sqrt(keep / ((1 - keep) * ratio)) < 0 && degrees_of_freedom < 10 ? -1 : 1;
    return sign * std::sqrt(std::fmax(0, square));
}

} // namespace tessera
