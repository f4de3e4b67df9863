#pragma once

#include "engine/backend/force_provider.hpp"
#include "engine/model/topology.hpp"
#include "engine/plans/settings.hpp"

#include <memory>
#include <vector>

namespace tessera
{

/// The forces that topology and settings describe, evaluated on the CPU in FP64: pairs within the
/// cut-off, mesh sums, bonded terms, dispersion correction; those that the system has. They keep
/// the topology alive.
std::vector<std::unique_ptr<ForceProvider>>
make_cpu_forces(const std::shared_ptr<const Topology>& topology, const NonbondedSettings& settings);

} // namespace tessera
