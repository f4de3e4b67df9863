#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace tessera
{

/// A mesh with margins, so that a spline never wraps: the point p of an axis stands at the index
/// p + order - 1, and its image below the cell, where there is one, at p + order - 1 - n. A spline
/// whose atom lies in the cell c of an axis covers the indices c .. c + order - 1. Rows (along z)
/// have room for the unused lanes of vectors and, from their index 0, for the real and imaginary
/// parts of their spectrum (Fft3d::in_place).
struct MeshLayout {
    std::array<int, 3> n{};
    int order = 0;
    std::size_t pitch = 0; ///< from a row to the next
    std::size_t plane = 0; ///< from a plane (of y and z) to the next
    std::size_t size = 0;  ///< numbers in all

    MeshLayout(const std::array<int, 3>& points, int spline_order) : n(points), order(spline_order)
    {
        // vectors hold whole rows of 4 or 8 lanes and up to 4 rows: at most 3 rows too many
        const auto last = static_cast<std::size_t>(order) - 1;
        const auto nz = static_cast<std::size_t>(n[2]);
        pitch = std::max((nz + last + 4 + 15) / 16 * 16, 2 * ((nz / 2 + 1 + 15) / 16 * 16));
        plane = (static_cast<std::size_t>(n[1]) + last + 3) * pitch;
        plane += plane % 32 == 0 ? 16 : 0; // lines along x would share sets of the cache
        size = (static_cast<std::size_t>(n[0]) + last) * plane + 16;
    }
    [[nodiscard]] std::size_t margin() const { return static_cast<std::size_t>(order) - 1; }
};

} // namespace tessera
