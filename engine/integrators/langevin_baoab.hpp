#pragma once

#include "engine/plans/scheme.hpp"

namespace tessera
{

/// Langevin dynamics, BAOAB splitting; with constraints the g-BAOAB of Proc. R. Soc. A 472,
/// 20160138 (2016).  B. Leimkuhler, C. Matthews, Appl. Math. Res. eXpress 2013, 34.
/// Where the motion of the centre of mass is removed, it is removed in every step, after which 3N -
/// constraints - 3 degrees of freedom hold the bath's temperature exactly. Units: friction 1/ps,
/// temperature K.
inline Scheme langevin_baoab(double friction, double temperature, std::uint64_t seed)
{
    return {{Kick{{1, 2}}, Drift{{1, 2}}, MeterHeat{-1}, Thermalize{friction, temperature, seed},
             MeterHeat{+1}, Drift{{1, 2}}, Forces{}, Kick{{1, 2}}},
            false};
}

} // namespace tessera
