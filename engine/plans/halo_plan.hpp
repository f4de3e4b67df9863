#pragma once

#include "engine/model/topology.hpp"

namespace tessera
{

/// Which atoms travel between ranks from one cut of the cell to the next, in a rank's own numbering:
/// one row a rank, in an order that both sides of it share.
struct HaloPlan {
    RaggedList exports; ///< own atoms that a rank knows: positions go there, forces come back
    RaggedList ghosts;  ///< atoms of a rank that are known here: positions come, forces go back
};

} // namespace tessera
