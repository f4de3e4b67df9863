#include "engine/plans/box_gap.hpp"
#include "engine/plans/cluster_pair_list.hpp"
#include "engine/plans/shuffle.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <set>

namespace tessera
{
namespace
{

/// A pair of atoms i, j and the image that is meant: x_i + k H - x_j. Kept with i < j, or i = j and
/// a positive shift.
using Pair = std::array<int, 5>;

Pair ordered(int i, int j, int kx, int ky, int kz)
{
    const bool flip = i != j ? i > j : (kz < 0 || (kz == 0 && (ky < 0 || (ky == 0 && kx < 0))));
    return flip ? Pair{j, i, -kx, -ky, -kz} : Pair{i, j, kx, ky, kz};
}

std::vector<Pair> expanded(const ClusterPairList& list)
{
    std::vector<Pair> pairs;
    const auto add = [&](std::int32_t ci, const std::array<int, 3>& k,
                         const ClusterPairList::Column& column) {
        for (int bit = 0; bit < 16; ++bit) {
            if ((column.mask >> bit & 1U) != 0) {
                pairs.push_back(ordered(
                    list.order.atom_of_slot[static_cast<std::size_t>(4 * ci + bit / 4)],
                    list.order.atom_of_slot[static_cast<std::size_t>(4 * column.cluster + bit % 4)],
                    k[0], k[1], k[2]));
            }
        }
    };
    if (list.all_pairs) {
        std::vector<ClusterPairList::Column> columns;
        for (std::int32_t c = 0; c < list.order.clusters(); ++c) {
            list.columns_of(c, columns);
            for (const auto& column : columns) {
                add(c, {0, 0, 0}, column);
            }
        }
    }
    for (const ClusterPairList::Row& row : list.rows) {
        for (std::int64_t k = row.begin; k < row.end; ++k) {
            add(row.cluster, list.shifts[static_cast<std::size_t>(row.shift)],
                list.columns[static_cast<std::size_t>(k)]);
        }
    }
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

std::vector<Pair> brute_force(const Box& box, const std::vector<Vec3>& x,
                              const RaggedList& excluded, double radius)
{
    std::vector<Pair> pairs;
    const int n = static_cast<int>(x.size());
    const int reach = box.is_periodic() ? 3 : 0;
    for (int i = 0; i < n; ++i) {
        for (int j = i; j < n; ++j) {
            const auto row = static_cast<std::size_t>(i);
            if (std::binary_search(excluded.begin(row), excluded.end(row), j)) {
                continue;
            }
            for (int kz = -reach; kz <= reach; ++kz) {
                for (int ky = -reach; ky <= reach; ++ky) {
                    for (int kx = -reach; kx <= reach; ++kx) {
                        const Vec3 s = box.is_periodic() ? box.shift(kx, ky, kz) : Vec3{};
                        const Vec3 d =
                            x[static_cast<std::size_t>(i)] + s - x[static_cast<std::size_t>(j)];
                        const Pair pair{i, j, kx, ky, kz};
                        if (norm2(d) < radius * radius && ordered(i, j, kx, ky, kz) == pair &&
                            (i != j || pair != Pair{i, i, 0, 0, 0})) {
                            pairs.push_back(pair);
                        }
                    }
                }
            }
        }
    }
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

RaggedList no_exclusions(int atoms)
{
    RaggedList list;
    for (int a = 0; a < atoms; ++a) {
        list.add_row({});
    }
    return list;
}

/// Every third atom excludes the next two.
RaggedList water_like_exclusions(int atoms)
{
    RaggedList list;
    for (int a = 0; a < atoms; ++a) {
        std::vector<std::int32_t> row;
        for (int b = a / 3 * 3; b < std::min(atoms, a / 3 * 3 + 3); ++b) {
            if (b != a) {
                row.push_back(b);
            }
        }
        list.add_row(row);
    }
    return list;
}

std::vector<Vec3> random_positions(const Box& box, int atoms, unsigned seed)
{
    std::mt19937 dice(seed);
    std::uniform_real_distribution<double> unit(0, 1);
    std::vector<Vec3> x;
    for (int a = 0; a < atoms; ++a) {
        // on a grid, so that sums and differences of positions and shifts are exact
        const Vec3 s{unit(dice), unit(dice), unit(dice)};
        const Vec3 p = box.wrap(box.to_cartesian(s));
        x.push_back({std::ldexp(std::rint(std::ldexp(p.x, 40)), -40),
                     std::ldexp(std::rint(std::ldexp(p.y, 40)), -40),
                     std::ldexp(std::rint(std::ldexp(p.z, 40)), -40)});
    }
    return x;
}

struct ListCase {
    const char* name;
    Mat3 cell;
    int atoms;
    double radius;
};

class RandomCell : public testing::TestWithParam<ListCase> {};

TEST_P(RandomCell, HoldsEveryPairWithinTheRadiusExactlyOnce)
{
    const ListCase& c = GetParam();
    const Box box(c.cell);
    for (const unsigned seed : {1U, 2U, 3U}) {
        const std::vector<Vec3> x = random_positions(box, c.atoms, seed);
        const RaggedList excluded = water_like_exclusions(c.atoms);

        const ClusterPairList list = make_cluster_pair_list(box, x, excluded, c.radius, 2);

        EXPECT_TRUE(expanded(list) == brute_force(box, x, excluded, c.radius));
    }
}

INSTANTIATE_TEST_SUITE_P(
    Cells, RandomCell,
    testing::Values(
        ListCase{"cube", {{{3, 0, 0}, {0, 3, 0}, {0, 0, 3}}}, 200, 1.5},
        ListCase{"tiny_cube", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, 31, 0.6},
        ListCase{"radius_beyond_the_cell", {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, 9, 1.25},
        ListCase{"strongly_tilted", {{{4, 0, 0}, {2, 3.5, 0}, {-2, 1.75, 2.5}}}, 150, 1.25},
        ListCase{"octahedron", {{{3, 0, 0}, {1, 2.828125, 0}, {-1, 1.4140625, 2.4375}}}, 200, 1.2},
        ListCase{"flat", {{{5, 0, 0}, {2.5, 5, 0}, {2.5, 2.5, 1}}}, 100, 0.5},
        ListCase{"needle", {{{20, 0, 0}, {10, 2, 0}, {0, 1, 2}}}, 90, 0.9},
        ListCase{"nearly_empty", {{{30, 0, 0}, {10, 28, 0}, {-10, 14, 24}}}, 40, 5.0},
        ListCase{"one_atom", {{{2, 0, 0}, {0, 2, 0}, {0, 0, 2}}}, 1, 2.5},
        ListCase{"five_atoms", {{{2, 0, 0}, {0, 2, 0}, {0, 0, 2}}}, 5, 1.0}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(ClusterPairList, HoldsEveryPairInOpenSpaceWithCutoff)
{
    const Box frame(Mat3{{{4, 0, 0}, {0, 4, 0}, {0, 0, 4}}});
    std::vector<Vec3> x = random_positions(frame, 150, 7);
    x.push_back({10000, -3, 2}); // far from everything
    const RaggedList excluded = water_like_exclusions(151);

    const ClusterPairList list = make_cluster_pair_list(Box(), x, excluded, 1.0, 1);

    EXPECT_EQ(expanded(list), brute_force(Box(), x, excluded, 1.0));
}

TEST(ClusterPairList, MakesAllPairsWithoutStoringThem)
{
    const Box frame(Mat3{{{4, 0, 0}, {0, 4, 0}, {0, 0, 4}}});
    for (const int atoms : {1, 2, 4, 5, 63, 64, 65}) {
        const std::vector<Vec3> x = random_positions(frame, atoms, 11);
        const RaggedList excluded = water_like_exclusions(atoms);

        const ClusterPairList list =
            make_cluster_pair_list(Box(), x, excluded, std::numeric_limits<double>::infinity(), 1);

        EXPECT_TRUE(list.rows.empty());
        EXPECT_EQ(expanded(list), brute_force(Box(), x, excluded, 1e3));
    }
}

TEST(ClusterPairList, IsTheSameForAnyNumberOfThreads)
{
    const Box box(Mat3{{{4, 0, 0}, {2, 3.5, 0}, {-2, 1.75, 2.5}}});
    const std::vector<Vec3> x = random_positions(box, 1000, 5);
    const RaggedList excluded = no_exclusions(1000);

    const ClusterPairList one = make_cluster_pair_list(box, x, excluded, 0.8, 1);
    const ClusterPairList three = make_cluster_pair_list(box, x, excluded, 0.8, 3);

    EXPECT_EQ(one.columns, three.columns);
    EXPECT_EQ(one.order.atom_of_slot, three.order.atom_of_slot);
}

/// So many tiles of the list stand in it as they do in the other one.
std::size_t tiles_in_common(const ClusterPairList& a, const ClusterPairList& b)
{
    const auto tiles = [](const ClusterPairList& list) {
        std::set<std::array<std::int32_t, 8>> out; // atoms of both clusters
        for (const ClusterPairList::Row& row : list.rows) {
            for (std::int64_t k = row.begin; k < row.end; ++k) {
                std::array<std::int32_t, 8> atoms{};
                const auto column = list.columns[static_cast<std::size_t>(k)].cluster;
                for (int lane = 0; lane < 4; ++lane) {
                    const auto at = [&](std::int32_t c) {
                        return list.order.atom_of_slot[static_cast<std::size_t>(4 * c + lane)];
                    };
                    atoms[static_cast<std::size_t>(lane)] = at(row.cluster);
                    atoms[static_cast<std::size_t>(4 + lane)] = at(column);
                }
                out.insert(atoms);
            }
        }
        return out;
    };
    const auto of_a = tiles(a), of_b = tiles(b);
    return static_cast<std::size_t>(std::count_if(
        of_a.begin(), of_a.end(), [&](const auto& tile) { return of_b.count(tile) > 0; }));
}

TEST(ShuffledPairList, HoldsTheSamePairsInOtherTiles)
{
    const Box box(Mat3{{{4, 0, 0}, {2, 3.5, 0}, {-2, 1.75, 2.5}}});
    const std::vector<Vec3> x = random_positions(box, 997, 5); // null atoms in the last cluster
    const ClusterPairList list = make_cluster_pair_list(box, x, water_like_exclusions(997), 0.8, 1);

    const ClusterPairList other = shuffled(list, 7);

    EXPECT_EQ(expanded(other), expanded(list));
    EXPECT_LT(tiles_in_common(other, list), list.columns.size() / 100);
    EXPECT_NE(expanded(list).size(), 0U);
    EXPECT_EQ(expanded(shuffled(other, 8)), expanded(list));
}

TEST(ShuffledPairList, ExcludesTheSamePairsWhereAllCount)
{
    const std::vector<Vec3> x = random_positions(Box(identity3()), 62, 5);
    const ClusterPairList list = make_cluster_pair_list(Box(), x, water_like_exclusions(62),
                                                        std::numeric_limits<double>::infinity(), 1);

    const ClusterPairList other = shuffled(list, 7);

    EXPECT_EQ(expanded(other), expanded(list));
    EXPECT_NE(other.order.atom_of_slot, list.order.atom_of_slot);
}

TEST(ClusterPairList, NeedsMemoryByAtomsNotByVolume)
{
    const Box box(Mat3{{{1000, 0, 0}, {0, 1000, 0}, {0, 0, 1000}}});
    const std::vector<Vec3> x{{1, 1, 1}, {999.5, 1, 1}};

    const ClusterPairList list = make_cluster_pair_list(box, x, no_exclusions(2), 2.0, 1);

    EXPECT_LE(list.order.nodes.size(), 2U);
    EXPECT_EQ(expanded(list).size(), 1U);
}

TEST(ClusterOrder, CopesWithAtomsAtOnePlace)
{
    const std::vector<Vec3> x(17, Vec3{1, 1, 1});

    const ClusterOrder order = make_cluster_order(x);

    EXPECT_EQ(order.clusters(), 5);
    std::set<std::int32_t> seen(order.slot_of_atom.begin(), order.slot_of_atom.end());
    EXPECT_EQ(seen.size(), 17U);
}

/// Squares of distances from the middle of the cluster, a mean over atoms.
double looseness(const ClusterOrder& order, const std::vector<Vec3>& x)
{
    constexpr int width = ClusterOrder::width;
    double sum = 0;
    for (std::size_t first = 0; first < x.size(); first += width) {
        Vec3 middle{};
        for (std::size_t s = first; s < first + width; ++s) {
            middle += 0.25 * x[static_cast<std::size_t>(order.atom_of_slot[s])];
        }
        for (std::size_t s = first; s < first + width; ++s) {
            sum += norm2(x[static_cast<std::size_t>(order.atom_of_slot[s])] - middle);
        }
    }
    return sum / static_cast<double>(x.size());
}

TEST(ClusterOrder, MakesTighterClustersThanHalvesOfHalves)
{
    const std::vector<Vec3> x =
        random_positions(Box(3.447 * identity3()), 4096, 5); // 100 a nm^3: water

    const ClusterOrder order = make_cluster_order(x);

    // 0.0264 after halves alone, 0.0231 after one sweep of swaps
    EXPECT_LT(looseness(order, x), 0.0225);
    std::set<std::int32_t> seen(order.slot_of_atom.begin(), order.slot_of_atom.end());
    EXPECT_EQ(seen.size(), x.size());
    for (const ClusterOrder::Node& node : order.nodes) {
        for (std::int32_t s = 4 * node.first; s < 4 * node.last; ++s) {
            const Vec3& at = x[static_cast<std::size_t>(order.atom_of_slot[s])];
            EXPECT_EQ(box_gap2(at, at, node.low, node.high), 0.0);
        }
    }
    EXPECT_EQ(make_cluster_order(x, 3).atom_of_slot, order.atom_of_slot);
}

/// Vector code and plain code must agree to the bit: a list depends on it.
TEST(BoxGap, IsTheSumOfSquaresOfTheGapsAlongTheAxes)
{
    std::mt19937 engine(7);
    std::uniform_real_distribution<double> place(-2.0, 2.0), size(0.0, 1.0);
    int apart = 0;
    for (int turn = 0; turn < 1000; ++turn) {
        Vec3 low[2], high[2];
        for (int b = 0; b < 2; ++b) {
            low[b] = {place(engine), place(engine), place(engine)};
            high[b] = low[b] + Vec3{size(engine), size(engine), size(engine)};
        }
        if (turn % 10 == 0) {
            low[1].z = high[0].z; // they touch along z
            high[1].z = low[1].z + size(engine);
        }
        double sum = 0;
        for (int k = 0; k < 3; ++k) {
            const double gap = std::max({0.0, low[0][k] - high[1][k], low[1][k] - high[0][k]});
            sum += gap * gap;
        }

        EXPECT_EQ(box_gap2(low[0], high[0], low[1], high[1]), sum);
        EXPECT_EQ(box_gap2(low[1], high[1], low[0], high[0]), sum);

        apart += sum > 0 ? 1 : 0;
    }
    EXPECT_GT(apart, 300); // both kinds were tried
    EXPECT_LT(apart, 990);
}

} // namespace
} // namespace tessera
