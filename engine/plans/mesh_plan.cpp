#include "engine/plans/mesh_plan.hpp"

#include "engine/base/contract.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

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

/// The share of `part` of `parts` equal ones; none beyond the last.
MeshRange share(int n, int part, int parts)
{
    const auto start = [&](std::int64_t p) { return static_cast<int>(n * p / parts); };
    return part < parts ? MeshRange{start(part), start(part + 1) - start(part)} : MeshRange{n, 0};
}

MeshRange common(const MeshRange& a, const MeshRange& b)
{
    const int first = std::max(a.first, b.first);
    return {first, std::max(0, std::min(a.end(), b.end()) - first)};
}

/// How many of the points first + k modulo n, k = 0 .. extent - 1, each of equal shares holds.
std::vector<std::size_t> overlaps(int first, int extent, int n, int parts)
{
    std::vector<std::size_t> out;
    for (int part = 0; part < parts; ++part) {
        const MeshRange run{first, extent}, here = share(n, part, parts);
        out.push_back(
            at(common(run, here).count + common(run, {here.first + n, here.count}).count));
    }
    return out;
}

constexpr double usual_drift = 1; // points

std::vector<MeshBrick> usual_bricks(const std::array<int, 3>& grid, int ranks, int order)
{
    return bricks_of_domains(cubes_of(grid, ranks), grid, order,
                             {usual_drift, usual_drift, usual_drift});
}

/// Counts a message, if there is something to say.
void add(std::int64_t& bytes, int& messages, std::size_t length)
{
    bytes += static_cast<std::int64_t>(length);
    messages += length > 0 ? 1 : 0;
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
        brick.extent[d] = std::min(length + order - 1, n);
    }
    return brick;
}

std::vector<MeshBrick> bricks_of_domains(const DomainGrid& domains, const std::array<int, 3>& mesh,
                                         int order, const std::array<double, 3>& drift)
{
    std::vector<MeshBrick> out;
    for (int rank = 0; rank < domains.ranks(); ++rank) {
        const std::array<int, 3> domain = domains.domain_of(rank);
        std::array<std::vector<char>, 3> is_marked;
        for (std::size_t d = 0; d < 3; ++d) {
            const double n = mesh[d], *bound = domains.bound[d].data() + domain[d];
            const auto first = std::llrint(std::floor(n * bound[0] - drift[d])),
                       last = std::llrint(std::ceil(n * bound[1] + drift[d]));
            is_marked[d].resize(at(mesh[d]));
            for (auto cell = first; cell < last; ++cell) {
                is_marked[d][at((cell % mesh[d] + mesh[d]) % mesh[d])] = 1;
            }
        }
        out.push_back(brick_of_cells(is_marked, order));
    }
    return out;
}

DomainGrid cubes_of(const std::array<int, 3>& mesh, int ranks)
{
    std::array<int, 3> best{ranks, 1, 1};
    double least = std::numeric_limits<double>::infinity();
    for (int x = ranks; x > 0; --x) {
        for (int y = ranks / x; y > 0 && ranks % x == 0; --y) {
            if (ranks / x % y == 0) {
                const double a = static_cast<double>(mesh[0]) / x,
                             b = static_cast<double>(mesh[1]) / y,
                             c = static_cast<double>(mesh[2]) / (ranks / x / y);
                const double face =
                    (x > 1 ? b * c : 0) + (y > 1 ? a * c : 0) + (ranks / x / y > 1 ? a * b : 0);
                if (face < least * (1 - 1e-9)) {
                    least = face;
                    best = {x, y, ranks / x / y};
                }
            }
        }
    }
    return DomainGrid(best);
}

MeshBlock common(const MeshBlock& a, const MeshBlock& b)
{
    return {common(a.x, b.x), common(a.y, b.y), common(a.z, b.z)};
}

MeshPlan::MeshPlan(const std::array<int, 3>& grid, int ranks, const PencilGrid& pencils)
    : grid_(grid), ranks_(ranks), pencils_(pencils)
{
    TESSERA_EXPECT(pencils.rows > 0 && pencils.columns > 0);
    TESSERA_EXPECT(pencils.rows * pencils.columns <= ranks);
}

MeshPlan::MeshPlan(const std::array<int, 3>& grid, int ranks)
    : MeshPlan(grid, ranks, PencilGrid{1, 1})
{
    const int most_rows = std::min({ranks, grid[0], grid[1]}),
              most_columns = std::min(grid[1], grid[2] / 2 + 1);
    std::vector<PencilGrid> tables;
    int largest = 0;
    for (int rows = most_rows; rows >= std::min(ranks, 2); --rows) { // slabs are cut along x
        tables.push_back({rows, std::min(ranks / rows, most_columns)});
        largest = std::max(largest, rows * tables.back().columns);
    }
    const int fewest = std::min(largest, ranks - ranks / 10);
    const std::vector<MeshBrick> bricks = usual_bricks(grid, ranks, 4);
    // few rows and columns first: who has more messages than the best one's cost is not looked at
    std::stable_sort(tables.begin(), tables.end(), [](const PencilGrid& a, const PencilGrid& b) {
        return a.rows + a.columns < b.rows + b.columns;
    });
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const PencilGrid& table : tables) {
        const std::int64_t messages = 2 * (table.rows + table.columns - 2);
        if (table.rows * table.columns >= fewest && bytes_of_message * messages < least) {
            const std::int64_t cost = MeshPlan(grid, ranks, table).cost(bricks);
            if (cost < least) {
                least = cost;
                pencils_ = table;
            }
        }
    }
}

MeshBlock MeshPlan::along_z(int rank) const
{
    const int row = rank / pencils_.columns, column = rank % pencils_.columns;
    return {share(grid_[0], row, pencils_.rows),
            share(grid_[1], column, pencils_.columns),
            {0, grid_[2] / 2 + 1}};
}

MeshBlock MeshPlan::along_y(int rank) const
{
    const int row = rank / pencils_.columns, column = rank % pencils_.columns;
    return {share(grid_[0], row, pencils_.rows),
            {0, grid_[1]},
            share(grid_[2] / 2 + 1, column, pencils_.columns)};
}

MeshBlock MeshPlan::along_x(int rank) const
{
    const int row = rank / pencils_.columns, column = rank % pencils_.columns;
    return {{0, grid_[0]},
            share(grid_[1], row, pencils_.rows),
            share(grid_[2] / 2 + 1, column, pencils_.columns)};
}

MeshPlan::BrickRows MeshPlan::rows_of(const MeshBrick& brick, int rank) const
{
    const MeshBlock mine = along_z(rank);
    const auto along = [&](std::size_t d, const MeshRange& range) {
        std::vector<int> out;
        for (int k = 0; k < brick.extent[d]; ++k) {
            const int point = (brick.first[d] + k) % grid_[d];
            if (point >= range.first && point < range.end()) {
                out.push_back(k);
            }
        }
        return out;
    };
    return {along(0, mine.x), along(1, mine.y)};
}

MeshPlan::Traffic MeshPlan::of_spectra(int rank, std::size_t sets, std::size_t number) const
{
    const MeshBlock z = along_z(rank), x = along_x(rank);
    Traffic all;
    // `lines` of its own go to all who share the axis, but for the rank's own share of it; and back
    const auto add_turn = [&](int lines, int own_share, int n, int parts) {
        const std::size_t length = 2 * sets * number * at(lines) * at(n - own_share);
        const int others = lines > 0 ? std::min(n, parts) - (own_share > 0 ? 1 : 0) : 0;
        all = all + Traffic{static_cast<std::int64_t>(length), static_cast<std::int64_t>(length),
                            others, others};
    };
    add_turn(z.x.count * z.y.count, x.z.count, grid_[2] / 2 + 1, pencils_.columns);
    add_turn(z.x.count * x.z.count, z.y.count, grid_[1], pencils_.columns);
    add_turn(z.x.count * x.z.count, x.y.count, grid_[1], pencils_.rows);
    add_turn(x.y.count * x.z.count, z.x.count, grid_[0], pencils_.rows);
    return all;
}

std::vector<MeshPlan::Traffic> MeshPlan::of_bricks(std::span<const MeshBrick> bricks,
                                                   std::size_t sets, std::size_t number) const
{
    std::vector<Traffic> all(at(ranks_));
    for (std::size_t rank = 0; rank < bricks.size(); ++rank) {
        const MeshBrick& brick = bricks[rank];
        const std::vector<std::size_t> x = overlaps(brick.first[0], brick.extent[0], grid_[0],
                                                    pencils_.rows),
                                       y = overlaps(brick.first[1], brick.extent[1], grid_[1],
                                                    pencils_.columns);
        for (std::size_t row = 0; row < x.size(); ++row) {
            for (std::size_t column = 0; column < y.size() && x[row] > 0; ++column) {
                const std::size_t owner = row * y.size() + column;
                const std::size_t length = sets * number * x[row] * y[column] * at(brick.extent[2]);
                if (owner == rank) {
                    continue;
                }
                for (Traffic* const one : {&all[rank], &all[owner]}) {
                    add(one->sent, one->messages_sent, length); // charges there, potentials back
                    add(one->received, one->messages_received, length);
                }
            }
        }
    }
    return all;
}

MeshPlan::Traffic MeshPlan::traffic(int rank, std::span<const MeshBrick> bricks, std::size_t sets,
                                    std::size_t number) const
{
    return of_bricks(bricks, sets, number)[at(rank)] + of_spectra(rank, sets, number);
}

std::int64_t MeshPlan::cost(std::span<const MeshBrick> bricks) const
{
    const std::vector<Traffic> charges = of_bricks(bricks, 1, sizeof(float));
    std::int64_t most = 0;
    for (int rank = 0; rank < ranks_; ++rank) {
        const Traffic one = charges[at(rank)] + of_spectra(rank, 1, sizeof(float));
        most = std::max(most, one.sent + bytes_of_message * one.messages_sent);
    }
    return most;
}

std::string in_words(const MeshPlan& plan)
{
    const auto [rows, columns] = plan.pencils();
    const int idle = plan.ranks() - rows * columns;
    return (columns == 1 ? fmt::format("shared in {} slabs", rows)
                         : fmt::format("shared in {} x {} pencils", rows, columns)) +
           (idle > 0 ? fmt::format(", {} of the ranks idle", idle) : "");
}

MeshLoad mesh_load(const MeshPlan& plan, int order)
{
    const std::vector<MeshPlan::Traffic> bricks =
        plan.of_bricks(usual_bricks(plan.grid(), plan.ranks(), order), 1, sizeof(float));
    MeshLoad load{plan.pencils(), {}, {}};
    const auto take_most = [](MeshPlan::Traffic& most, const MeshPlan::Traffic& one) {
        most.sent = std::max(most.sent, one.sent);
        most.received = std::max(most.received, one.received);
        most.messages_sent = std::max(most.messages_sent, one.messages_sent);
        most.messages_received = std::max(most.messages_received, one.messages_received);
    };
    for (int rank = 0; rank < plan.ranks(); ++rank) {
        take_most(load.spectra, plan.of_spectra(rank, 1, sizeof(float)));
        take_most(load.bricks, bricks[at(rank)]);
    }
    return load;
}

MeshLoad mesh_load(const std::array<int, 3>& grid, int ranks)
{
    return mesh_load(MeshPlan(grid, ranks));
}

} // namespace tessera
