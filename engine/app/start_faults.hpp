#pragma once

#include "engine/app/assemble.hpp"

namespace tessera
{

/// Looks at velocities and constrained lengths of the coordinates that a run would begin with. As
/// faults: an atom that would move too far in its first step for any integrator, a length that is
/// off by more than half in dynamics. As warnings: velocities far beyond the temperature, lengths
/// that the run will have to change by more than files round.
void look_at_start(const Deck& deck, const Assembly& assembly, Diagnostics& diagnostics);

} // namespace tessera
