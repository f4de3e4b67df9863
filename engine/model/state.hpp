#pragma once

#include "engine/base/fixed_point.hpp"
#include "engine/geometry/box.hpp"

#include <cstdint>
#include <vector>

namespace tessera
{

/// A position on the master grid: int64 in units of 2^-48 nm. Differences are exact, wrapping is
/// exact at any time.
struct GridPosition {
    std::int64_t x = 0, y = 0, z = 0;
    friend bool operator==(const GridPosition&, const GridPosition&) = default;
};

inline GridPosition to_grid(const Vec3& x)
{
    return {to_fixed(x.x, fixed::position_scale), to_fixed(x.y, fixed::position_scale),
            to_fixed(x.z, fixed::position_scale)};
}

/// In nm; exact for |x| < 32 nm (53 bits), and where it was rounded for it (PlaceGrid).
inline Vec3 to_nm(const GridPosition& g)
{
    return {from_fixed(g.x, fixed::position_scale), from_fixed(g.y, fixed::position_scale),
            from_fixed(g.z, fixed::position_scale)};
}

/// The dynamical state, all of it. Atoms in topology order. Velocities belong to `time`, or to half
/// a step earlier where `velocities_half_step_behind` says so (leap-frog, ADR 0005).
struct State {
    Box box;
    std::vector<GridPosition> position;
    std::vector<Vec3> velocity; ///< nm/ps
    std::int64_t step = 0;
    double time = 0; ///< ps
    bool velocities_half_step_behind = false;
};

} // namespace tessera
