#pragma once

#include "engine/plans/scheme.hpp"

namespace tessera
{

/// Steepest descent: every atom moves along its force, the largest by the trial length; that grows
/// by 1.2 when the energy fell, else the move is taken back and it shrinks to a fifth.
inline Scheme steepest_descent()
{
    return {{Descend{}, Forces{}, Judge{}}, false};
}

} // namespace tessera
