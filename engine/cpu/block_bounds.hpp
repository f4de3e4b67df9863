#pragma once

#include "engine/math/vec3.hpp"

#include <algorithm>
#include <cstdint>

namespace tessera
{

/// A box with sides along the axes that holds atoms, nm.
struct Bounds {
    Vec3 low, high;
};

inline void include(Bounds& box, const Bounds& other)
{
    for (int k = 0; k < 3; ++k) {
        box.low[k] = std::min(box.low[k], other.low[k]);
        box.high[k] = std::max(box.high[k], other.high[k]);
    }
}

/// Half of the longest side: how far from its middle the box reaches along an axis, nm.
inline double half_side(const Bounds& box)
{
    const Vec3 side = box.high - box.low;
    return 0.5 * std::max({side.x, side.y, side.z});
}

/// What a block may hold (half sides, nm).
namespace block_limits
{
constexpr double exact_reach = 1.999; ///< FP32 holds 2^24 steps of 2^-23 nm, less some for drift
constexpr double longest_reach = 4.0; ///< rows of a block are neighbours, also in a gas
constexpr std::int64_t most_entries = 60000; ///< 16 bits name entries
} // namespace block_limits

} // namespace tessera
