#pragma once

#include "engine/geometry/box.hpp"
#include "engine/model/state.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera
{

/// A cell whose vectors lie on the master grid of positions (2^-48 nm). Positions rounded to that
/// grid wrap exactly at any time, so which image of an atom is given does not reach the bits of a
/// force (ADR 0001).
class PositionGrid {
public:
    explicit PositionGrid(const Box& box);

    /// nm: a quarter of the range of int64, so that positions near the cell, their images next to
    /// it and sums of shifts stay in it. A longer edge throws InputError.
    static constexpr double longest_edge = 8192.0;
    /// nm: positions lie nearer to the origin; int64 at 2^-48 nm ends at 32768.
    static constexpr double farthest = 32000.0;

    /// The cell with rounded vectors; differs from the one given by at most 2^-49 nm an element.
    [[nodiscard]] const Box& box() const { return box_; }

    /// Whole cell vectors that were subtracted.
    using Image = std::array<std::int32_t, 3>;

    /// The image inside the brick 0 <= z < c_z, 0 <= y < b_y, 0 <= x < a_x, exactly; open space:
    /// the position itself. Throws PhysicsError when the position is not finite or beyond 32000 nm
    /// in open space.
    [[nodiscard]] GridPosition canonical(const Vec3& x, Image& image) const
    {
        if (is_near(x)) {
            // by components: a GridPosition is built in memory here, and its reader stalls
            const std::int64_t gx = to_fixed(x.x, fixed::position_scale),
                               gy = to_fixed(x.y, fixed::position_scale),
                               gz = to_fixed(x.z, fixed::position_scale);
            if (is_inside(gx, ax_) && is_inside(gy, by_) && is_inside(gz, cz_)) { // nearly always
                image = {0, 0, 0};
                return {gx, gy, gz};
            }
        }
        return canonical(rounded(x), image);
    }
    [[nodiscard]] GridPosition canonical(const Vec3& x) const
    {
        Image ignored;
        return canonical(x, ignored);
    }
    [[nodiscard]] GridPosition canonical(const GridPosition& x, Image& image) const;
    /// The same position with the given number of cell vectors subtracted.
    [[nodiscard]] GridPosition moved(const Vec3& x, const Image& image) const
    {
        const GridPosition g = rounded(x);
        const GridPosition s = shift({image[0], image[1], image[2]});
        return {g.x - s.x, g.y - s.y, g.z - s.z};
    }

    /// k_x a + k_y b + k_z c on the grid.
    [[nodiscard]] GridPosition shift(const std::array<int, 3>& k) const
    {
        return {k[0] * ax_ + k[1] * bx_ + k[2] * cx_, k[1] * by_ + k[2] * cy_, k[2] * cz_};
    }

private:
    [[nodiscard]] GridPosition rounded(const Vec3& x) const
    {
        return is_near(x) ? to_grid(x) : rounded_slowly(x);
    }
    /// False for NaN.
    [[nodiscard]] static bool is_near(const Vec3& x)
    {
        return std::fabs(x.x) < farthest && std::fabs(x.y) < farthest && std::fabs(x.z) < farthest;
    }
    [[nodiscard]] GridPosition rounded_slowly(const Vec3& x) const;
    [[nodiscard]] static bool is_inside(std::int64_t x, std::int64_t edge)
    {
        return static_cast<std::uint64_t>(x) < static_cast<std::uint64_t>(edge);
    }

    Box box_;
    std::int64_t ax_ = 0, bx_ = 0, by_ = 0, cx_ = 0, cy_ = 0, cz_ = 0;
    double inverse_a_ = 0, inverse_b_ = 0, inverse_c_ = 0; ///< of the diagonal, 1/grid unit
};

/// Canonical positions of all atoms, in nm.
std::vector<Vec3> canonical_positions(const PositionGrid& grid, std::span<const Vec3> positions,
                                      int threads);

/// The same, made a few at a time where they are read: all together take memory and its traffic.
class CanonicalPositions {
public:
    CanonicalPositions(const PositionGrid& grid, std::span<const Vec3> positions)
        : grid_(&grid), positions_(positions)
    {
    }
    /// These, as they are.
    explicit CanonicalPositions(std::span<const Vec3> canonical) : positions_(canonical) {}

    static constexpr std::size_t most = 64; ///< at a time
    [[nodiscard]] std::size_t size() const { return positions_.size(); }
    /// Of the atoms [first, last).
    void read(std::size_t first, std::size_t last, Vec3* out) const;
    void read(std::span<const std::int32_t> atoms, Vec3* out) const;

private:
    void make_canonical(std::span<const Vec3> positions, Vec3* out) const;

    const PositionGrid* grid_ = nullptr;
    std::span<const Vec3> positions_;
};

} // namespace tessera
