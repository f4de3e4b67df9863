#pragma once

#include "engine/base/diagnostic.hpp"
#include "engine/geometry/box.hpp"
#include "io/deck.hpp"

namespace tessera
{

/// Chooses what [pme] leaves open, with the cell at hand: splitting parameters from tolerances,
/// mesh points from the spacing. Refuses a mesh that would not fit into memory (B45) and warns of
/// one that is coarser than the tolerance deserves.
void resolve_mesh(const Deck& deck, const Box& box, NonbondedSettings& nonbonded,
                  Diagnostics& diagnostics);

} // namespace tessera
