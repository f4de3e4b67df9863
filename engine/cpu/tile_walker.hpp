#pragma once

#include "engine/cpu/pair_tiles.hpp"
#include "engine/model/state.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera
{

/// Walks rows of the pair list tile by tile and sums forces, for one thread: by slot, and by
/// periodic shift the force on the i side. Units: 2^-force_bits kJ/mol/nm.
class TileWalker {
public:
    TileWalker(const TileForm& form, const TileAtoms& atoms, std::int32_t types,
               std::int32_t clusters, std::size_t shifts);

    /// `shift` lies on the 2^-23 nm grid, in units of the master grid.
    void walk(std::int32_t cluster, const GridPosition& shift, std::int32_t shift_index,
              std::span<const ClusterPairList::Column> columns);

    [[nodiscard]] int force_bits() const { return form_.force_bits; }
    [[nodiscard]] std::span<const std::int64_t> force() const { return force_; }
    [[nodiscard]] std::span<const std::array<std::int64_t, 3>> shift_force() const
    {
        return shift_force_;
    }
    /// Slots of the pair with the lowest slots whose force left the range; -1: none did.
    [[nodiscard]] const std::array<std::int32_t, 2>& broken_pair() const { return broken_pair_; }

private:
    const TileForm& form_;
    TileAtoms atoms_;
    std::int32_t types_;
    std::vector<std::int64_t> force_; ///< [clusters][3][4]
    std::vector<std::array<std::int64_t, 3>> shift_force_;
    std::array<std::int32_t, 2> broken_pair_{-1, -1};
};

} // namespace tessera
