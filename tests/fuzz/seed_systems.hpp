#pragma once

#include "io/trajectory_h5md.hpp"
#include "tests/io/small_systems.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tessera::fuzz
{

/// The system of the binary seeds, and of the target that appends to them.
inline std::shared_ptr<const Topology> seed_topology()
{
    return finish(test::chain(3));
}

inline TrajectorySettings seed_settings(const std::string& path)
{
    TrajectorySettings settings;
    settings.path = path;
    settings.velocities = true;
    settings.observables = {{"temperature", "K"}};
    settings.energies = {{"potential", "kJ mol-1"}};
    settings.provenance = {"[run]\nsteps = 40\n", "0.1.0", "someone", {{"run", 42}}};
    return settings;
}

inline void append_seed_frame(H5mdTrajectory& out, std::int64_t step)
{
    const double time = 0.002 * static_cast<double>(step);
    const std::vector<Vec3> x = {{0, 0, time}, {0.1, 0, 0}, {0.2, 0, 0}}, v(3, Vec3{0, 0, 1});
    const std::vector<double> temperature = {300}, potential = {-1.5};
    out.append({step, time, Box(3.0 * identity3()), x, v, {}, temperature});
    out.append_energies(step, time, potential);
}

} // namespace tessera::fuzz
