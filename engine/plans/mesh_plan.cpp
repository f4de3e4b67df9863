#include "engine/plans/mesh_plan.hpp"

#include <algorithm>

namespace tessera
{

namespace
{

std::size_t at(std::int64_t k)
{
    return static_cast<std::size_t>(k);
}

/// The shortest run of cells that holds all marked ones, around the end where that is shorter:
/// first cell and length.
std::array<std::int32_t, 2> shortest_run(const std::vector<char>& is_marked)
{
    const auto n = static_cast<std::int32_t>(is_marked.size());
    std::int32_t first = 0, longest_gap = -1, last = -1, start = -1;
    for (std::int32_t c = 0; c < n; ++c) {
        if (is_marked[at(c)] == 0) {
            continue;
        }
        if (last >= 0 && c - last - 1 > longest_gap) {
            longest_gap = c - last - 1;
            first = c;
        }
        start = start < 0 ? c : start;
        last = c;
    }
    if (last < 0) {
        return {0, 0};
    }
    if (n - last - 1 + start >= longest_gap) { // the gap around the end
        return {start, last - start + 1};
    }
    return {first, n - longest_gap};
}

} // namespace

MeshBrick brick_of_cells(const std::array<std::vector<char>, 3>& is_marked, int order)
{
    MeshBrick brick;
    for (std::size_t d = 0; d < 3; ++d) {
        const auto [cell, length] = shortest_run(is_marked[d]);
        if (length == 0) {
            return {};
        }
        const auto n = static_cast<std::int32_t>(is_marked[d].size());
        brick.first[d] = (cell - (order - 1) + n) % n;
        brick.extent[d] = length + order - 1;
    }
    return brick;
}

MeshPlan::MeshPlan(const std::array<int, 3>& grid, int ranks) : grid_(grid), ranks_(ranks) {}

MeshPlan::Range MeshPlan::part(int n, int rank) const
{
    const auto start = [&](std::int64_t r) { return static_cast<int>(n * r / ranks_); };
    return {start(rank), start(rank + 1) - start(rank)};
}

std::vector<int> MeshPlan::planes_of(const MeshBrick& brick, int rank) const
{
    const Range mine = planes(rank);
    std::vector<int> out;
    for (int k = 0; k < brick.extent[0]; ++k) {
        const int x = (brick.first[0] + k) % grid_[0];
        if (x >= mine.first && x < mine.first + mine.count) {
            out.push_back(k);
        }
    }
    return out;
}

std::size_t MeshPlan::transposed(int from, int to) const
{
    return 2 * at(planes(from).count) * at(lines(to).count) * at(grid_[2] / 2 + 1);
}

MeshPlan::Traffic MeshPlan::traffic(int rank, std::span<const MeshBrick> bricks, std::size_t sets,
                                    std::size_t number) const
{
    const auto planes_between = [&](int brick_of, int owner) {
        const MeshBrick& brick = bricks[at(brick_of)];
        return sets * number * planes_of(brick, owner).size() * brick.points_of_plane();
    };
    const auto with_header = [](std::size_t bytes) {
        return bytes == 0 ? 0 : bytes + brick_header;
    };
    Traffic all;
    for (int other = 0; other < ranks_; ++other) {
        if (other == rank) {
            continue;
        }
        const std::size_t out = planes_between(rank, other), in = planes_between(other, rank);
        const std::size_t there = sets * number * transposed(rank, other),
                          here = sets * number * transposed(other, rank);
        // charges, the spectrum there and back, potentials
        all.sent += static_cast<std::int64_t>(with_header(out) + part_header + there + here + in);
        all.received +=
            static_cast<std::int64_t>(with_header(in) + part_header + here + there + out);
    }
    return all;
}

} // namespace tessera
