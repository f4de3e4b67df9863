#pragma once

#include "engine/plans/scheme.hpp"
#include "engine/plans/settings.hpp"

namespace tessera
{

/// The step that the settings ask for: THE list of integrators, with thermostat, barostat and
/// removal of the centre-of-mass motion put in, and constraints where there are any. Throws
/// InputError where the settings contradict each other.
Scheme make_scheme(const DynamicsSettings& settings, bool has_constraints);

} // namespace tessera
