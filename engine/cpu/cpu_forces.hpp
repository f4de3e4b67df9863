#pragma once

#include "engine/backend/force_provider.hpp"
#include "engine/backend/transport.hpp"
#include "engine/model/topology.hpp"
#include "engine/plans/local_topology.hpp"
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

class LongRange;

/// The same forces on one of several ranks, which computes its own share of them. What belongs to
/// no atom (dispersion tail, background, self terms, the mesh's energy) is booked by rank 0.
class PartForces {
public:
    /// Throws NotBuilt for direct Ewald sums.
    PartForces(std::shared_ptr<const Topology> whole, const NonbondedSettings& settings,
               Transport& ranks);

    /// For the part of a new cut, in place of those for the last one.
    std::vector<std::unique_ptr<ForceProvider>>
    of(const std::shared_ptr<const LocalTopology>& part);

private:
    std::shared_ptr<const Topology> whole_;
    NonbondedSettings settings_;
    Transport& ranks_;
    bool has_charges_;
    std::shared_ptr<LongRange> long_range_;
};

} // namespace tessera
