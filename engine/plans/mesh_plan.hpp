#pragma once

#include "engine/plans/domain_plan.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tessera
{

/// Points of a periodic mesh: along the axis d the points first[d] + k, k = 0 .. extent[d] - 1,
/// modulo the mesh; none twice.
struct MeshBrick {
    std::array<std::int32_t, 3> first{}, extent{};

    [[nodiscard]] bool is_empty() const { return extent[0] == 0; }
    friend bool operator==(const MeshBrick&, const MeshBrick&) = default;
};

/// The smallest brick that holds the splines of atoms in the cells marked along each axis: a spline
/// in the cell c covers the points c - order + 1 .. c. Empty where no cell is marked.
MeshBrick brick_of_cells(const std::array<std::vector<char>, 3>& is_marked, int order);

/// The bricks of domains, [ranks], whose atoms may have gone `drift` points along each axis since
/// they were cut.
std::vector<MeshBrick> bricks_of_domains(const DomainGrid& domains, const std::array<int, 3>& mesh,
                                         int order, const std::array<double, 3>& drift);

/// Points first .. first + count - 1 of an axis.
struct MeshRange {
    int first = 0, count = 0;

    [[nodiscard]] int end() const { return first + count; }
    friend bool operator==(const MeshRange&, const MeshRange&) = default;
};

/// Points of a mesh or waves of its spectrum.
struct MeshBlock {
    MeshRange x, y, z;

    [[nodiscard]] std::size_t points() const
    {
        return static_cast<std::size_t>(x.count) * static_cast<std::size_t>(y.count) *
               static_cast<std::size_t>(z.count);
    }
    friend bool operator==(const MeshBlock&, const MeshBlock&) = default;
};
MeshBlock common(const MeshBlock& a, const MeshBlock& b);

/// Ranks as a table: rank r stands in row r / columns. One column: slabs.
struct PencilGrid {
    int rows = 1, columns = 1;

    friend bool operator==(const PencilGrid&, const PencilGrid&) = default;
};

/// Who has which part of a mesh that ranks share, and what they send each other. A rank has three
/// blocks of it, one after the other, and transforms their lines, which are whole:
///
///     along z   a row's share of x, a column's share of y      all points, then half of the waves
///     along y   a row's share of x, all of y, a column's share of z
///     along x   all of x, a row's share of y, a column's share of z
///
///     bricks of charges      -> the blocks along z that hold their points
///     blocks along z         -> blocks along y of the same row, and back
///     blocks along y         -> blocks along x of the same column, and back
///     blocks along z         -> the bricks that hold their points: potentials
///
/// With one column only the second exchange remains. A pure function of mesh and ranks; blocks may
/// be empty.
class MeshPlan {
public:
    /// The table of the least `cost`, for domains that are as near to cubes of mesh points as their
    /// number allows (cubes_of), of those that leave at most a tenth of the ranks without a part
    /// and split no axis into more parts than it has points.
    MeshPlan(const std::array<int, 3>& grid, int ranks);
    /// Any table of at most so many ranks.
    MeshPlan(const std::array<int, 3>& grid, int ranks, const PencilGrid& pencils);

    [[nodiscard]] const std::array<int, 3>& grid() const { return grid_; }
    [[nodiscard]] int ranks() const { return ranks_; }
    [[nodiscard]] const PencilGrid& pencils() const { return pencils_; }

    [[nodiscard]] MeshBlock along_z(int rank) const; ///< z: waves
    [[nodiscard]] MeshBlock along_y(int rank) const;
    [[nodiscard]] MeshBlock along_x(int rank) const;

    /// Which points of a brick (k along x, k along y, ascending) are the rank's; all of z are.
    struct BrickRows {
        std::vector<int> x, y;

        [[nodiscard]] std::size_t count() const { return x.size() * y.size(); }
    };
    [[nodiscard]] BrickRows rows_of(const MeshBrick& brick, int rank) const;

    /// To and from other ranks in one evaluation.
    struct Traffic {
        std::int64_t sent = 0, received = 0; ///< bytes
        int messages_sent = 0, messages_received = 0;

        friend bool operator==(const Traffic&, const Traffic&) = default;
        friend Traffic operator+(const Traffic& a, const Traffic& b)
        {
            return {a.sent + b.sent, a.received + b.received, a.messages_sent + b.messages_sent,
                    a.messages_received + b.messages_received};
        }
    };
    /// `bricks`: of every rank. `sets`: meshes summed at once; `number`: bytes of a charge, of a
    /// potential and of a number of a spectrum.
    [[nodiscard]] Traffic traffic(int rank, std::span<const MeshBrick> bricks, std::size_t sets,
                                  std::size_t number) const;
    /// Its two parts: the bricks, of every rank, and the spectra.
    [[nodiscard]] std::vector<Traffic> of_bricks(std::span<const MeshBrick> bricks,
                                                 std::size_t sets, std::size_t number) const;
    [[nodiscard]] Traffic of_spectra(int rank, std::size_t sets, std::size_t number) const;

    /// Bytes that take as long as one message more: 2 us at 12 GB/s of a network are 24 KB, 6 us at
    /// 23 GB/s of shared memory 140 KB.
    static constexpr std::int64_t bytes_of_message = 32 * 1024;
    /// Bytes sent for one FP32 mesh and for the messages, of the rank with most.
    [[nodiscard]] std::int64_t cost(std::span<const MeshBrick> bricks) const;

private:
    std::array<int, 3> grid_;
    int ranks_;
    PencilGrid pencils_;
};

/// For the log: "shared in 2 slabs" or "shared in 4 x 2 pencils".
std::string in_words(const MeshPlan& plan);

/// The cells of a mesh in so many domains whose faces have the fewest points.
DomainGrid cubes_of(const std::array<int, 3>& mesh, int ranks);

/// What ranks send in an evaluation of a mesh sum (one set, FP32), each the most of any rank, for
/// models of how runs scale: domains are cubes_of(), and atoms have drifted a point.
struct MeshLoad {
    PencilGrid pencils;
    MeshPlan::Traffic bricks;  ///< charges and potentials
    MeshPlan::Traffic spectra; ///< transposed
};
MeshLoad mesh_load(const MeshPlan& plan, int order = 4);
MeshLoad mesh_load(const std::array<int, 3>& grid, int ranks);

} // namespace tessera
