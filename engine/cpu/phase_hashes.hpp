#pragma once

#include "engine/backend/sums.hpp"
#include "engine/base/bit_hash.hpp"
#include "engine/geometry/box.hpp"

#include <span>

namespace tessera
{

/// Of the canonical images (position_grid.hpp), as the kernels take them: equal in all images.
BitHash hash_of_positions(const Box& box, std::span<const Vec3> positions);

/// Of after - before, atom by atom: what one phase has added. `before` may be empty (zero).
BitHash hash_of_added_forces(const ForceSums& before, const ForceSums& after);

} // namespace tessera
