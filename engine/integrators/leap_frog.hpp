#pragma once

#include "engine/plans/scheme.hpp"

namespace tessera
{

/// Leap-frog: v(t + dt/2) = v(t - dt/2) + f(t)/m dt, x(t + dt) = x(t) + v(t + dt/2) dt.
/// R. W. Hockney, Methods Comput. Phys. 9, 136 (1970).
inline Scheme leap_frog()
{
    return {{Kick{}, Drift{}, Forces{}}, true};
}

} // namespace tessera
