#pragma once

#include "engine/base/real.hpp"
#include "engine/math/constants.hpp"

#include <cmath>

namespace tessera
{

/// Exact solution of dv = -friction v dt + sqrt(2 friction kT/m) dW over a time:
/// v <- keep v + noise / sqrt(m) xi, with xi normal. Units: 1/ps, K, ps, u, nm/ps.
/// G. E. Uhlenbeck, L. S. Ornstein, Phys. Rev. 36, 823 (1930). exp and expm1 are the C library's,
/// whose last bit may differ on another processor: then so do the bits of the run.
struct OrnsteinUhlenbeck {
    double keep;  ///< exp(-friction dt)
    double noise; ///< sqrt((1 - keep^2) kT)

    OrnsteinUhlenbeck(double friction, double temperature, double dt)
        : keep(std::exp(-friction * dt)),
          noise(std::sqrt(-std::expm1(-2 * friction * dt) * constants::boltzmann * temperature))
    {
    }
};

} // namespace tessera
