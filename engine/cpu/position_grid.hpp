#pragma once

#include "engine/geometry/box.hpp"
#include "engine/model/state.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera
{

/// A cell whose vectors lie on the master grid of positions (2^-48 nm). Positions rounded to that
/// grid wrap exactly at any time, so which image of an atom is given does not reach the bits of a
/// force (numerics.md 9, parallel.md 0.6).
class PositionGrid {
public:
    explicit PositionGrid(const Box& box);

    /// The cell with rounded vectors; differs from the one given by at most 2^-49 nm an element.
    [[nodiscard]] const Box& box() const { return box_; }

    /// Whole cell vectors that were subtracted.
    using Image = std::array<std::int32_t, 3>;

    /// The image inside the brick 0 <= z < c_z, 0 <= y < b_y, 0 <= x < a_x, exactly; open space:
    /// the position itself. Throws PhysicsError when the position is not finite or beyond 32000 nm
    /// in open space.
    [[nodiscard]] GridPosition canonical(const Vec3& x, Image& image) const;
    [[nodiscard]] GridPosition canonical(const Vec3& x) const
    {
        Image ignored;
        return canonical(x, ignored);
    }
    /// The same position with the given number of cell vectors subtracted.
    [[nodiscard]] GridPosition moved(const Vec3& x, const Image& image) const;

    /// k_x a + k_y b + k_z c on the grid.
    [[nodiscard]] GridPosition shift(const std::array<int, 3>& k) const;

private:
    [[nodiscard]] GridPosition rounded(const Vec3& x) const;

    Box box_;
    std::int64_t ax_ = 0, bx_ = 0, by_ = 0, cx_ = 0, cy_ = 0, cz_ = 0;
    double inverse_a_ = 0, inverse_b_ = 0, inverse_c_ = 0; ///< of the diagonal, 1/grid unit
};

/// Canonical positions of all atoms, in nm (exact below 32 nm).
std::vector<Vec3> canonical_positions(const PositionGrid& grid, std::span<const Vec3> positions,
                                      int threads);

} // namespace tessera
