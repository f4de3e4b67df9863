#pragma once

#include "engine/model/state.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tessera
{

/// The grid of places: positions and cell as forces see them (ADR 0025). The master grid (2^-48 nm)
/// where doubles hold it as far as places reach: 53 bits end at 32 nm. In wider cells coarser by
/// the power of two with which they hold each place exactly, and all differences. A function of the
/// cell, so all ranks have the same; and as the cell vectors are whole steps, every image of an
/// atom is rounded alike.
class PlaceGrid {
public:
    /// Open space, where an atom has no images: the master grid.
    PlaceGrid() = default;
    /// `reach`, nm: so far from the cell a place may lie, less a shift by cell vectors, and count.
    PlaceGrid(const Box& box, double reach);

    /// The cell with vectors on this grid; the grid made of it is the same.
    [[nodiscard]] const Box& box() const { return box_; }
    [[nodiscard]] bool is_master() const { return half_ == 0; }
    /// Whether differences are exact, too, of places that are moved by a cell vector along each
    /// axis, each another way.
    [[nodiscard]] bool holds_images() const { return holds_images_; }

    /// Halves upwards.
    [[nodiscard]] GridPosition rounded(const GridPosition& x) const
    {
        return {(x.x + half_) & mask_, (x.y + half_) & mask_, (x.z + half_) & mask_};
    }

private:
    Box box_;
    std::int64_t half_ = 0, mask_ = -1; ///< half a step, and the bits that stay
    bool holds_images_ = true;
};

/// nm: the reach of a PlaceGrid where pairs are listed within `list_radius`; 0: of atoms alone.
inline double reach_of_places(double list_radius)
{
    constexpr double step = 1.0; // nm: no atom goes farther between two looks at the list
    return list_radius + step;
}

/// A cell and positions of which nobody knows whether they lie on a grid, for forces to see.
struct Places {
    PlaceGrid grid;
    Box box;
    std::vector<Vec3> positions; ///< nm
};
/// As they are where the master grid serves; else rounded, and in the cell. Throws as
/// PositionGrid::canonical.
Places places_of(const Box& box, double reach, std::span<const Vec3> positions);

} // namespace tessera
