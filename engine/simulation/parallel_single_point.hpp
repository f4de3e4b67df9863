#pragma once

#include "engine/backend/transport.hpp"
#include "engine/plans/domain_plan.hpp"
#include "engine/simulation/single_point.hpp"

#include <optional>

namespace tessera
{

/// The single point of single_point.hpp, shared by the ranks of a transport: each evaluates the
/// pairs, terms and sites of its domain of the cell, from its own atoms and ghosts of its
/// neighbours above. Forces, energies and virial have the bits of one rank. Every rank calls it
/// with the same arguments and returns the whole result.
///
/// What follows what:
///     plan             from the start positions, which every rank has read: no message
///     ghost positions  owner -> neighbours below
///     pairs, terms     own and ghost atoms; each pair and term on one rank
///     mesh             own charges spread, meshes summed as integers, own forces gathered
///     return forces    ghosts' integer forces -> owner, added
///     sites            owner spreads their forces to parents, which it owns too
///     energies         exact sums of all ranks, added
///
/// `grid`: how the cell is cut; as choose_domain_grid() says where none is given.
/// Throws InputError without a cell or a finite cut-off, NotBuilt for direct Ewald sums.
SinglePoint parallel_single_point(const std::shared_ptr<const Topology>& topology,
                                  const NonbondedSettings& settings, const Box& box,
                                  std::span<const Vec3> positions, Transport& transport,
                                  int threads,
                                  const std::optional<DomainGrid>& grid = std::nullopt);

} // namespace tessera
