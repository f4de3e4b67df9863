#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera
{

/// Points of a periodic mesh: along the axis d the points first[d] + k, k = 0 .. extent[d] - 1,
/// modulo the mesh. Longer than the mesh where splines reach over its end: then points repeat.
struct MeshBrick {
    std::array<std::int32_t, 3> first{}, extent{};

    [[nodiscard]] bool is_empty() const { return extent[0] == 0; }
    [[nodiscard]] std::size_t points_of_plane() const
    {
        return static_cast<std::size_t>(extent[1]) * static_cast<std::size_t>(extent[2]);
    }
    friend bool operator==(const MeshBrick&, const MeshBrick&) = default;
};

/// The smallest brick that holds the splines of atoms in the cells marked along each axis: a spline
/// in the cell c covers the points c - order + 1 .. c. Empty where no cell is marked.
MeshBrick brick_of_cells(const std::array<std::vector<char>, 3>& is_marked, int order);

/// Who has which part of a mesh that ranks share. A rank adds up, and transforms along z and y, a
/// slab of planes (of equal x), and transforms along x, and filters, the lines of a range of y:
///
///     bricks of charges     -> owners of their planes
///     planes of the spectrum -> owners of its lines along x, and back
///     planes of potential   -> the ranks whose bricks hold them
///
/// A pure function of mesh and ranks; parts may be empty.
class MeshPlan {
public:
    MeshPlan(const std::array<int, 3>& grid, int ranks);

    struct Range {
        int first, count;

        friend bool operator==(const Range&, const Range&) = default;
    };
    [[nodiscard]] const std::array<int, 3>& grid() const { return grid_; }
    [[nodiscard]] int ranks() const { return ranks_; }
    [[nodiscard]] Range planes(int rank) const { return part(grid_[0], rank); }
    [[nodiscard]] Range lines(int rank) const { return part(grid_[1], rank); }

    /// Which planes of a brick (k, ascending) are the rank's.
    [[nodiscard]] std::vector<int> planes_of(const MeshBrick& brick, int rank) const;

    /// Numbers of one part of the spectrum that go from a rank to another: those of its planes that
    /// stand on the other's lines.
    [[nodiscard]] std::size_t transposed(int from, int to) const;

    /// Bytes to and from other ranks in one evaluation.
    struct Traffic {
        std::int64_t sent = 0, received = 0;

        friend bool operator==(const Traffic&, const Traffic&) = default;
    };
    /// `bricks`: of every rank. `sets`: meshes summed at once; `number`: bytes of a charge, of a
    /// potential and of a number of a spectrum.
    [[nodiscard]] Traffic traffic(int rank, std::span<const MeshBrick> bricks, std::size_t sets,
                                  std::size_t number) const;

    /// Before the charges of a brick; before each transposed part.
    static constexpr std::size_t brick_header = sizeof(MeshBrick), part_header = 8;

private:
    [[nodiscard]] Range part(int n, int rank) const;

    std::array<int, 3> grid_;
    int ranks_;
};

} // namespace tessera
