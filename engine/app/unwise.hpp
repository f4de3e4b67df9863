#pragma once

#include "engine/app/assemble.hpp"

namespace tessera
{

/// Warns of what is legal but unwise: bonds to hydrogen that are free under a long step, a net
/// charge, atoms on top of each other, a cut-off that nearly fills the box, masses and densities
/// that nothing has.
void warn_of_unwise(const Deck& deck, const Assembly& assembly, bool dynamics,
                    Diagnostics& diagnostics);

} // namespace tessera
