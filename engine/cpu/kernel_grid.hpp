#pragma once

#include "engine/cpu/position_grid.hpp"

namespace tessera
{

/// Positions and cell as the pair kernel of mixed precision sees them: on the 2^-23 nm grid, kept
/// in units of the master grid (2^-48 nm). Every image of an atom is its canonical image rounded,
/// moved by vectors that lie on the grid themselves, so images differ by whole vectors exactly and
/// the bits of a displacement do not depend on which of them is given. A vector of the rounded cell
/// differs from the cell's by at most 2^-24 nm an element.
class KernelGrid {
public:
    explicit KernelGrid(const PositionGrid& grid)
    {
        for (std::size_t k = 0; k < 3; ++k) {
            std::array<int, 3> one{};
            one[k] = 1;
            row_[k] = rounded(grid.shift(one));
        }
    }
    /// k_x a + k_y b + k_z c
    [[nodiscard]] GridPosition shift(const std::array<int, 3>& k) const
    {
        return {k[0] * row_[0].x + k[1] * row_[1].x + k[2] * row_[2].x,
                k[1] * row_[1].y + k[2] * row_[2].y, k[2] * row_[2].z};
    }
    /// The image `cells` cell vectors away from the canonical one.
    [[nodiscard]] GridPosition image(const GridPosition& canonical,
                                     const std::array<int, 3>& cells) const
    {
        const GridPosition x = rounded(canonical), s = shift(cells);
        return {x.x + s.x, x.y + s.y, x.z + s.z};
    }
    /// A coordinate in units of 2^-23 nm modulo 2^32.
    static std::uint32_t unit(std::int64_t x)
    {
        return static_cast<std::uint32_t>(x >> fixed::kernel_position_shift);
    }

private:
    static std::int64_t rounded(std::int64_t x)
    {
        constexpr std::int64_t half = std::int64_t{1} << (fixed::kernel_position_shift - 1);
        return ((x + half) >> fixed::kernel_position_shift) * (2 * half);
    }
    static GridPosition rounded(const GridPosition& x)
    {
        return {rounded(x.x), rounded(x.y), rounded(x.z)};
    }

    std::array<GridPosition, 3> row_{}; ///< zero in open space
};

} // namespace tessera
