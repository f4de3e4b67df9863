#pragma once

#include "engine/app/assemble.hpp"

#include <string>

namespace tessera
{

/// Makes the first steps that `tessera run` would make, writing nothing, and returns why the run
/// would break in them; empty where it does not. Costs a force evaluation a step.
std::string fault_of_first_steps(const Deck& deck, const Assembly& assembly, int steps);

} // namespace tessera
