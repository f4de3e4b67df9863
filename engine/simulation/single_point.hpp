#pragma once

#include "engine/backend/sums.hpp"
#include "engine/geometry/box.hpp"
#include "engine/model/topology.hpp"
#include "engine/plans/settings.hpp"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tessera
{

/// Energies and forces of one configuration.
struct SinglePoint {
    EnergySums sums; ///< energies and virial of the forces alone, without constraint forces
    std::vector<Vec3>
        forces; ///< kJ/mol/nm, topology order; virtual sites hold 0, their forces are spread
    std::vector<Vec3> positions; ///< as evaluated: virtual sites rebuilt, wide cells wrapped
    std::vector<std::string>
        notes; ///< e.g. that forces were beyond the range of exact sums and FP64 sums were used
};

/// Evaluates the coordinates as they are (virtual sites rebuilt, nothing constrained, no list
/// kept), on the CPU in the precision of the settings; where mixed precision cannot hold a force,
/// in FP64 with a note. Throws InputError where settings and cell contradict (cut-off above half
/// the shortest height, ...), PhysicsError where an energy or force is not finite (atoms that
/// coincide).
SinglePoint single_point(const std::shared_ptr<const Topology>& topology,
                         const NonbondedSettings& settings, const Box& box,
                         std::span<const Vec3> positions, int threads);

} // namespace tessera
