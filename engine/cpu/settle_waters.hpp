#pragma once

#include "engine/geometry/box.hpp"
#include "engine/model/state.hpp"
#include "engine/model/topology.hpp"
#include "engine/physics/constraints/settle.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace tessera
{

/// x_a - x_b at the nearest image, nm. Exact for cells on the position grid.
Vec3 nearest_side(const Box& box, const GridPosition& a, const GridPosition& b);

/// Waters that moved, and where their corrections go; see Constraints::constrain_positions().
struct WatersToSettle {
    const Box& box;
    std::span<const RigidWater> waters;
    std::span<const SettleShape> shapes;    ///< the few kinds of water
    std::span<const std::int32_t> shape_of; ///< [waters]
    const GridPosition* old;                ///< of all atoms, as the next two
    const Vec3* moved;
    Vec3* correction;
};

/// Corrects the waters from `begin` to before `end`, eight at once where the processor can, with
/// the same bits; returns the first that cannot be put back onto its shape, or `end`.
std::size_t settle_waters(const WatersToSettle& work, std::size_t begin, std::size_t end);

} // namespace tessera
