#pragma once

#include "engine/cpu/position_grid.hpp"
#include "engine/math/mat3.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace tessera
{

/// Places of atoms side by side, in vectors, as long as they are plain: an atom stands in the cell,
/// so nothing is to be wrapped. The others are marked, and left to the caller; a processor without
/// vectors leaves all.
struct PlainPlaces {
    static constexpr std::size_t most = 64;
    alignas(64) std::uint32_t unit[3][most]; ///< x, y, z in units of 2^-23 nm modulo 2^32
    alignas(64) std::uint32_t is_left[most];
    bool has_left;

    /// Fills unit[] as KernelGrid::image() does. Atoms are left, too, that are farther than the
    /// root of `safe2` (nm^2) from where they were, `before` times `change`.
    void place_in_units(const PositionGrid& grid, std::span<const Vec3> positions,
                        const Vec3* before, const Mat3& change, double safe2);

    void leave_all();

    /// Writes canonical positions, nm.
    void place_in_nm(const PositionGrid& grid, std::span<const Vec3> positions, Vec3* out);
};

} // namespace tessera
