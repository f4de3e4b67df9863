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

/// Estimated relative error of the mesh forces of smooth PME, from beta * spacing and the order: a
/// fit to measured errors of water (numerics of order 4 and 5, beta h from 0.3 to 0.5), good to a
/// factor of about three.
double estimated_mesh_error(double beta, double spacing, int order);

} // namespace tessera
