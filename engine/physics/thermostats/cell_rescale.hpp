#pragma once

#include "engine/math/constants.hpp"

#include <cmath>

namespace tessera
{

/// Volume after a time under stochastic cell rescaling, by one Euler step of lambda = sqrt(V):
///
///   d lambda = -(beta lambda / 2 tau) (P0 - P - kT/2V) dt + sqrt(kT beta / 2 tau) dW
///
/// whose noise does not depend on the volume. Positions scale with (V'/V)^(1/3), momenta with its
/// inverse; P counts the instantaneous kinetic energy.
/// M. Bernetti, G. Bussi, J. Chem. Phys. 153, 114107 (2020), eq. 9 and section II C.
/// Units: nm^3, kJ/mol/nm^3, K, nm^3 mol/kJ, ps. `normal`: a normal number.
inline double rescaled_volume(double volume, double pressure, double target_pressure,
                              double temperature, double compressibility, double tau, double dt,
                              double normal)
{
    const double kt = constants::boltzmann * temperature;
    const double lambda = std::sqrt(volume);
    const double drift = -(compressibility * lambda / (2 * tau)) *
                         (target_pressure - pressure - kt / (2 * volume)) * dt;
    const double noise = std::sqrt(kt * compressibility / (2 * tau) * dt) * normal;
    const double next = lambda + drift + noise;
    return next * next;
}

} // namespace tessera
