#pragma once

#include "engine/plans/scheme.hpp"

namespace tessera
{

/// Velocity Verlet: half a kick, a drift, forces, half a kick.
/// W. C. Swope, H. C. Andersen, P. H. Berens, K. R. Wilson, J. Chem. Phys. 76, 637 (1982).
inline Scheme velocity_verlet()
{
    return {{Kick{{1, 2}}, Drift{}, Forces{}, Kick{{1, 2}}}, false};
}

} // namespace tessera
