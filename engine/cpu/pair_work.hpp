#pragma once

#include "engine/base/aligned_vector.hpp"
#include "engine/cpu/block_walker.hpp"
#include "engine/cpu/kernel_grid.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace tessera
{

/// Positions of one evaluation in the order of slots: each cluster holds x of its four atoms, then
/// y, then z. What an evaluation does not use is empty. Kept from step to step, as fresh memory
/// costs more than filling it.
struct PairWork {
    std::vector<double> xyzq;             ///< as in PackedClusters
    std::vector<Vec3> shift;              ///< [shifts], nm
    std::vector<GridPosition> shift_grid; ///< as the forces see them, [shifts]
    std::optional<KernelGrid> kernel_grid;
    std::vector<std::uint32_t> tile_xyzq;    ///< as in TileAtoms
    AlignedVector<std::uint32_t> block_xyzq; ///< as in BlockTask
    std::vector<BlockRoom> rooms;            ///< [threads]
};

} // namespace tessera
