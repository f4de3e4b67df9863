#pragma once

#include "engine/cpu/plain_places.hpp"

#include <span>
#include <vector>

namespace tessera
{

/// Follows atoms from where a search saw them: in which image each path goes on, also when the
/// caller has wrapped atoms meanwhile, and how far the farthest has gone. The cell may change;
/// then ways are measured from the old positions moved along with it.
class AtomTracker {
public:
    /// Begins anew. Throws as PositionGrid::canonical.
    void start(const Box& box, std::span<const Vec3> positions, int threads);

    /// Of the search: the cell on the grid, how many atoms, and canonical positions in nm, which
    /// are made anew at each call.
    [[nodiscard]] const Box& box() const { return grid_.box(); }
    [[nodiscard]] std::size_t atoms() const { return given_.size(); }
    [[nodiscard]] std::vector<Vec3> positions(int threads) const;

    /// The cell of an evaluation, and how far it has changed.
    struct Now {
        PositionGrid grid;
        Mat3 change; ///< row vectors of the old cell times it are those of the new cell
        bool is_same_cell;
        double safe2; ///< nm^2: an atom that seems to have moved less was not wrapped

        /// A position of the search moved along with the cell.
        [[nodiscard]] Vec3 moved(const Vec3& x) const
        {
            return is_same_cell ? x : row_times(x, change);
        }
        /// Largest factor by which the change of cell can shorten a vector.
        [[nodiscard]] double smallest_stretch() const;
    };
    [[nodiscard]] Now at(const Box& box) const;

    /// The cell vectors to subtract for the image that continues the atom's path.
    [[nodiscard]] PositionGrid::Image image(const Now& now, const Vec3& position,
                                            std::size_t atom) const
    {
        if (norm2(position - now.moved(given_[atom])) < now.safe2) { // not where it is NaN
            return image_of(atom);
        }
        return image_slowly(now, position, atom);
    }
    /// Places of the atoms [first, last) on the kernel's grid, as far as image() is plainly zero.
    void place_in_units(const Now& now, std::span<const Vec3> positions, std::size_t first,
                        std::size_t last, PlainPlaces& places) const
    {
        if (image_.empty()) {
            places.place_in_units(now.grid, positions.subspan(first, last - first),
                                  given_.data() + first, now.change, now.safe2);
        } else {
            places.leave_all();
        }
    }

    /// Whether an atom has gone farther than `limit`, nm.
    [[nodiscard]] bool has_gone(const Now& now, std::span<const Vec3> positions, double limit,
                                int threads) const;

private:
    [[nodiscard]] PositionGrid::Image image_of(std::size_t atom) const
    {
        return image_.empty() ? PositionGrid::Image{} : image_[atom];
    }
    [[nodiscard]] Vec3 canonical(std::size_t atom) const;
    [[nodiscard]] PositionGrid::Image image_slowly(const Now& now, const Vec3& position,
                                                   std::size_t atom) const;

    PositionGrid grid_{Box()};
    std::vector<Vec3> given_;                ///< [atoms]
    std::vector<PositionGrid::Image> image_; ///< cell vectors subtracted, [atoms]; empty: none
};

} // namespace tessera
