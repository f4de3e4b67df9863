#include "engine/base/aligned_vector.hpp"
#include "engine/cpu/block_pruning.hpp"
#include "engine/cpu/block_search.hpp"
#include "engine/cpu/kernel_grid.hpp"
#include "engine/math/mat3.hpp"
#include "tests/support/geometries.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <set>

namespace tessera
{
namespace
{

/// Atoms i and j and the image x_i + shift - x_j; of a pair and its mirror the lower one.
using Pair = std::array<int, 5>;

Pair ordered(const Pair& p)
{
    return std::min(p, Pair{p[1], p[0], -p[2], -p[3], -p[4]});
}

struct SearchCase {
    const char* name;
    Mat3 cell;
    int atoms;
    double radius;
};

class BlockSearchIn : public testing::TestWithParam<SearchCase> {
protected:
    void SetUp() override
    {
        for (int a = 0; a < count_; ++a) {
            std::vector<std::int32_t> row;
            for (int b = a / 3 * 3; b < std::min(count_, a / 3 * 3 + 3); ++b) {
                if (b != a) {
                    row.push_back(b);
                }
            }
            excluded_.add_row(row);
        }
        for (Vec3& x : x_) {
            x = box_.wrap(x);
        }
        list_ = make_cluster_pair_list(box_, x_, excluded_, GetParam().radius, 1);
    }
    [[nodiscard]] PairBlocks find(int threads, std::int32_t largest_block = 64)
    {
        BlockRules rules;
        rules.largest_block = largest_block;
        rules.kernel_radius = 0.8 * GetParam().radius;
        rules.near_radius = near_radius_;
        PairBlocks blocks;
        EXPECT_TRUE(
            search_.find(list_, excluded_, x_, list_.shift_vectors(box_), rules, threads, blocks));
        return blocks;
    }
    [[nodiscard]] std::int32_t atom(std::int32_t cluster, int lane) const
    {
        return list_.order.atom_of_slot[static_cast<std::size_t>(4 * cluster + lane)];
    }
    [[nodiscard]] Pair pair(std::int32_t row, std::int32_t column, std::uint32_t shift,
                            int bit) const
    {
        const std::array<int, 3>& k = list_.shifts[shift];
        return ordered({atom(row, bit / 4), atom(column, bit % 4), k[0], k[1], k[2]});
    }
    [[nodiscard]] std::set<Pair> listed() const
    {
        std::set<Pair> pairs;
        for (const ClusterPairList::Row& row : list_.rows) {
            for (std::int64_t c = row.begin; c < row.end; ++c) {
                const auto& column = list_.columns[static_cast<std::size_t>(c)];
                for (int bit = 0; bit < 16; ++bit) {
                    if ((column.mask >> bit & 1U) != 0) {
                        pairs.insert(pair(row.cluster, column.cluster,
                                          static_cast<std::uint32_t>(row.shift), bit));
                    }
                }
            }
        }
        return pairs;
    }
    [[nodiscard]] double distance(const Pair& p) const
    {
        const Vec3 s = box_.is_periodic() ? box_.shift(p[2], p[3], p[4]) : Vec3{};
        return norm(x_[static_cast<std::size_t>(p[0])] + s - x_[static_cast<std::size_t>(p[1])]);
    }
    [[nodiscard]] bool may_count(const Pair& p) const
    {
        const bool is_image_of_itself = p[0] == p[1] && (p[2] != 0 || p[3] != 0 || p[4] != 0);
        return p[0] >= 0 && p[1] >= 0 && (p[0] / 3 != p[1] / 3 || is_image_of_itself);
    }

    int count_ = GetParam().atoms;
    double near_radius_ = 0.7 * GetParam().radius; ///< nm
    Box box_{GetParam().cell};
    std::vector<Vec3> x_ = support::scattered(count_, GetParam().cell, 0.05, 7);
    RaggedList excluded_;
    ClusterPairList list_;
    BlockSearch search_;
};

/// Those of which some pairs do not count come first.
std::vector<BlockTile> tiles_of(const TileRange& range, const std::uint16_t* numbers)
{
    std::vector<BlockTile> out;
    const std::uint16_t *number = numbers + range.begin, *const plain = numbers + range.plain,
                        *const end = numbers + range.end;
    for (; number < plain; number += BlockTile::size<true>) {
        out.push_back(BlockTile::of<true>(number));
    }
    for (; number < end; number += BlockTile::size<false>) {
        out.push_back(BlockTile::of<false>(number));
    }
    EXPECT_EQ(std::ssize(out), range.tiles());
    return out;
}

TEST_P(BlockSearchIn, FindsEveryPairOfTheListOnceAndNoneThatMustNotCount)
{
    for (const std::int32_t largest : {64, 3, 200, 64}) { // memory is used again
        const PairBlocks blocks = find(2, largest);
        std::set<Pair> found;
        for (const PairBlocks::Block& block : blocks.blocks) {
            const auto first = static_cast<std::size_t>(block.first_entry);
            for (std::int64_t r = block.first_row; r < block.first_row + block.rows; ++r) {
                const BlockRow& row = blocks.rows[static_cast<std::size_t>(r)];
                const auto own = first + static_cast<std::size_t>(row.entry);
                ASSERT_EQ(blocks.shift[own], 0U);
                const auto tiles = tiles_of(row.all(), blocks.tiles.data() + block.first_tile);
                const std::int64_t masked = std::ssize(tiles) - (row.end - row.plain);
                const std::int64_t first_far = std::ssize(tiles) - (row.end - row.far);
                for (std::int64_t t = 0; t < std::ssize(tiles); ++t) {
                    const BlockTile& tile = tiles[static_cast<std::size_t>(t)];
                    ASSERT_LT(tile.entry, block.entries);
                    double nearest = 1e9;
                    for (int bit = 0; bit < 16; ++bit) {
                        const Pair p = pair(blocks.cluster[own], blocks.cluster[first + tile.entry],
                                            blocks.shift[first + tile.entry], bit);
                        if ((tile.mask >> bit & 1U) != 0) {
                            ASSERT_TRUE(may_count(p));
                            ASSERT_TRUE(found.insert(p).second);
                            nearest = std::min(nearest, distance(p));
                        }
                    }
                    const bool is_near = t >= masked && t < first_far;
                    EXPECT_LT(nearest, (is_near ? near_radius_ : GetParam().radius) *
                                           1.001); // FP32, of a few times it
                    EXPECT_GT(nearest, t >= first_far ? 0.999 * near_radius_ : 0.0);
                }
            }
        }
        for (const Pair& p : listed()) {
            EXPECT_EQ(found.erase(p), 1U) << p[0] << " " << p[1];
        }
    }
}

/// What places blocks and rows in the arrays.
std::vector<std::int64_t> numbers_of_blocks(const PairBlocks& blocks)
{
    std::vector<std::int64_t> out{blocks.most_entries};
    for (const PairBlocks::Block& block : blocks.blocks) {
        out.insert(out.end(), {block.first_entry, block.entries, block.first_row, block.rows,
                               block.first_tile});
    }
    for (const BlockRow& row : blocks.rows) {
        out.insert(out.end(), {row.entry, row.begin, row.plain, row.far, row.end});
    }
    return out;
}

TEST_P(BlockSearchIn, GivesTheSameOnAnyNumberOfThreads)
{
    const PairBlocks one = find(1);
    for (const int threads : {2, 5}) {
        const PairBlocks many = find(threads);
        EXPECT_EQ(many.cluster, one.cluster);
        EXPECT_EQ(many.shift, one.shift);
        EXPECT_EQ(numbers_of_blocks(many), numbers_of_blocks(one));
        EXPECT_EQ(many.tiles, one.tiles);
    }
}

/// Calls use(pair, tile's entry, block) for each pair that counts.
template <class Range, class Use>
void for_each_pair(const PairBlocks& blocks, const Range& range, const Use& use)
{
    for (const PairBlocks::Block& block : blocks.blocks) {
        for (std::int64_t r = block.first_row; r < block.first_row + block.rows; ++r) {
            const BlockRow& row = blocks.rows[static_cast<std::size_t>(r)];
            for (const BlockTile& tile :
                 tiles_of(range(row), blocks.tiles.data() + block.first_tile)) {
                for (int bit = 0; bit < 16; ++bit) {
                    if ((tile.mask >> bit & 1U) != 0) {
                        use(block, row, tile, bit);
                    }
                }
            }
        }
    }
}

class BlockPruningIn : public BlockSearchIn {
protected:
    /// As the kernel of blocks sees `x`; null atoms are far away.
    void choose(BlockPruning& pruning, PairBlocks& blocks, const std::vector<Vec3>& x,
                int threads) const
    {
        const auto units = [](const Vec3& v) {
            const GridPosition g = to_grid(v);
            return BlockWalker::Units{KernelGrid::unit(g.x), KernelGrid::unit(g.y),
                                      KernelGrid::unit(g.z)};
        };
        AlignedVector<std::uint32_t> xyzq(4 * list_.order.atom_of_slot.size());
        for (std::size_t s = 0; s < list_.order.atom_of_slot.size(); ++s) {
            const std::int32_t a = list_.order.atom_of_slot[s];
            const auto u = units(a < 0 ? Vec3{200, 0, 0} : x[static_cast<std::size_t>(a)]);
            for (std::size_t k = 0; k < 3; ++k) {
                xyzq[s / 4 * 16 + 4 * k + s % 4] = u[k];
            }
        }
        std::vector<BlockWalker::Units> shifts, origins;
        for (const Vec3& s : list_.shift_vectors(box_)) {
            shifts.push_back(units(s));
        }
        for (const PairBlocks::Block& block : blocks.blocks) {
            origins.push_back(units(block.origin));
        }
        pruning.choose(blocks, {xyzq, shifts, origins}, threads);
    }
    template <class Range>
    [[nodiscard]] std::multiset<Pair> pairs_of(const PairBlocks& blocks, const Range& range) const
    {
        std::multiset<Pair> out;
        for_each_pair(blocks, range,
                      [&](const auto& block, const auto& row, const BlockTile& tile, int bit) {
                          const std::size_t first = static_cast<std::size_t>(block.first_entry),
                                            own = first + static_cast<std::size_t>(row.entry);
                          out.insert(pair(blocks.cluster[own], blocks.cluster[first + tile.entry],
                                          blocks.shift[first + tile.entry], bit));
                      });
        return out;
    }
    static TileRange all(const BlockRow& row) { return row.all(); }
    static TileRange chosen(const BlockRow& row) { return row.chosen(); }
};

TEST_P(BlockPruningIn, ChoosesEveryPairWithinTheCutOffAndLosesNoneOfTheOthers)
{
    const double radius = GetParam().radius;
    BlockPruning pruning(near_radius_, 0.05 * radius);
    PairBlocks blocks = find(1);
    const std::multiset<Pair> found = pairs_of(blocks, all);
    const std::vector<Vec3> start = x_;
    for (const double way : {0.0, 0.06, 0.01}) { // of the radius
        for (std::size_t a = 0; a < x_.size(); ++a) {
            const auto k = static_cast<double>(a);
            x_[a] = start[a] + way * radius / 3 * Vec3{std::sin(k), std::cos(k), std::sin(2 * k)};
        }

        choose(pruning, blocks, x_, 3);

        EXPECT_TRUE(pairs_of(blocks, all) == found) << way;
        const std::multiset<Pair> some = pairs_of(blocks, chosen);
        for (const Pair& p : found) {
            if (distance(p) < near_radius_) {
                EXPECT_EQ(some.count(p), 1U) << way << ": " << p[0] << " " << p[1];
            }
        }
        for_each_pair(blocks, chosen,
                      [&](const auto& block, const auto& row, const BlockTile& tile, int) {
                          ASSERT_LT(tile.entry, block.chosen);
                          ASSERT_LT(row.entry, block.chosen);
                      });
    }
}

TEST_P(BlockPruningIn, LeavesOutTilesThatAreFar)
{
    near_radius_ = 0.5 * GetParam().radius;
    PairBlocks blocks = find(1);
    const std::size_t found = pairs_of(blocks, all).size();
    BlockPruning pruning(near_radius_, 0.01);

    choose(pruning, blocks, x_, 1);

    std::size_t beyond = 0;
    for (const Pair& p : pairs_of(blocks, all)) {
        beyond += distance(p) > near_radius_ + 0.01 ? 1 : 0;
    }
    if (beyond > found / 2 && found > 1000) { // else there may be no tile of such pairs alone
        EXPECT_LT(pairs_of(blocks, chosen).size(), found);
    }
}

const auto cells =

    testing::Values(
        SearchCase{"cube", {{{3, 0, 0}, {0, 3, 0}, {0, 0, 3}}}, 1203, 1.3},
        SearchCase{"small_cube", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, 33, 0.9},
        SearchCase{"radius_beyond_the_cell", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, 18, 1.25},
        SearchCase{"tilted", {{{4, 0, 0}, {2, 3.5, 0}, {-2, 1.75, 2.5}}}, 900, 1.1},
        SearchCase{"five_atoms", {{{2, 0, 0}, {0, 2, 0}, {0, 0, 2}}}, 5, 1.0},
        SearchCase{"two_atoms", {{{2, 0, 0}, {0, 2, 0}, {0, 0, 2}}}, 2, 2.1});
const auto name_of_cell = [](const auto& test) { return std::string(test.param.name); };
INSTANTIATE_TEST_SUITE_P(Cells, BlockSearchIn, cells, name_of_cell);
INSTANTIATE_TEST_SUITE_P(Cells, BlockPruningIn, cells, name_of_cell);

TEST(BlockSearch, FindsNothingWithoutPairs)
{
    for (const int atoms : {0, 1, 4, 1}) {
        RaggedList excluded; // of each atom, all others
        for (int a = 0; a < atoms; ++a) {
            std::vector<std::int32_t> row;
            for (int b = 0; b < atoms; ++b) {
                if (b != a) {
                    row.push_back(b);
                }
            }
            excluded.add_row(row);
        }
        const Box open;
        const std::vector<Vec3> x =
            support::scattered(static_cast<std::size_t>(atoms), identity3(), 0.05, 3);
        const ClusterPairList list = make_empty_pair_list(open, x, excluded, 1.0, 2);
        BlockSearch search;
        PairBlocks blocks;

        ASSERT_TRUE(search.find(list, excluded, x, list.shift_vectors(open), {}, 2, blocks));

        EXPECT_TRUE(blocks.rows.empty() && blocks.blocks.empty() && blocks.cluster.empty())
            << atoms;
    }
}

TEST(BlockSearch, LeavesAGasToTheList)
{
    const Box box(Mat3{{{900, 0, 0}, {0, 900, 0}, {0, 0, 900}}});
    std::vector<Vec3> x;
    RaggedList excluded;
    for (int a = 0; a < 40; ++a) {
        x.push_back({20.0 * a, 11.0 * (a * 7 % 40), 17.0 * (a * 11 % 40)});
        excluded.add_row({});
    }
    const ClusterPairList list = make_cluster_pair_list(box, x, excluded, 1.0, 1);
    BlockSearch search;
    PairBlocks blocks;
    EXPECT_FALSE(search.find(list, excluded, x, list.shift_vectors(box), {}, 1, blocks));
}

} // namespace
} // namespace tessera
