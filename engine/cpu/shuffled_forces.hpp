#pragma once

#include "engine/backend/force_provider.hpp"
#include "engine/model/topology.hpp"
#include "engine/plans/settings.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace tessera
{

/// Debugging (NonbondedSettings::shuffle_seed): the same forces to the bit, computed under other
/// circumstances. `make` is called for a system whose atoms have other numbers and whose terms
/// stand in another order; its forces are shown atoms in other images, chosen anew at each search,
/// are made to search at other times, and are cut for one to `threads` + 1 threads.
///
/// Needs exact sums: forces in floating mode depend on all this. Images are moved only where
/// all are exact (PlaceGrid). Errors name atoms by their other numbers.
std::vector<std::unique_ptr<ForceProvider>>
make_shuffled_forces(const std::shared_ptr<const Topology>& topology, std::uint64_t seed,
                     const std::function<std::vector<std::unique_ptr<ForceProvider>>(
                         const std::shared_ptr<const Topology>&)>& make);

} // namespace tessera
