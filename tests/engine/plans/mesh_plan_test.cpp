#include "engine/plans/mesh_plan.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

namespace tessera
{
namespace
{

std::array<std::vector<char>, 3> marked(const std::array<int, 3>& grid,
                                        const std::vector<std::array<int, 3>>& cells)
{
    std::array<std::vector<char>, 3> out;
    for (std::size_t d = 0; d < 3; ++d) {
        out[d].resize(static_cast<std::size_t>(grid[d]));
        for (const auto& cell : cells) {
            out[d][static_cast<std::size_t>(cell[d])] = 1;
        }
    }
    return out;
}

TEST(MeshBrick, HoldsTheSplinesOfItsCellsAroundTheEndWhereThatIsShorter)
{
    // of 10 cells: 8 and 1 are nearest around the end; 3 and 5 are not; all of z
    std::vector<std::array<int, 3>> cells{{8, 3, 0}, {1, 5, 9}};
    for (int z = 0; z < 10; ++z) {
        cells.push_back({9, 4, z});
    }

    const MeshBrick brick = brick_of_cells(marked({10, 10, 10}, cells), 4);

    EXPECT_EQ(brick.first, (std::array<std::int32_t, 3>{5, 0, 7}));
    EXPECT_EQ(brick.extent, (std::array<std::int32_t, 3>{4 + 3, 3 + 3, 10}));
    EXPECT_TRUE(brick_of_cells(marked({10, 10, 10}, {}), 4).is_empty());
}

TEST(MeshBrick, OfADomainHoldsItsCellsAndWhereAtomsDrift)
{
    // 10 points: the domains along x are [0, 2.5) and [2.5, 10), and atoms may go 0.7 points
    DomainGrid domains({2, 1, 1});
    domains.bound[0][1] = 0.25;

    const std::vector<MeshBrick> bricks = bricks_of_domains(domains, {10, 10, 10}, 4, {0.7, 0, 0});

    // cells -1 .. 3 and 1 .. 10, with three points below
    EXPECT_EQ(bricks[0], (MeshBrick{{6, 7, 7}, {8, 10, 10}}));
    EXPECT_EQ(bricks[1].extent[0], 10);
}

const std::vector<PencilGrid> tables{{1, 1}, {2, 1}, {1, 3}, {7, 1}, {3, 4}, {12, 1}, {2, 5}};

template <class BlockOf>
void expect_every_point_once(const MeshBlock& all, int ranks, const BlockOf& block_of)
{
    std::size_t points = 0;
    for (int r = 0; r < ranks; ++r) {
        const MeshBlock mine = block_of(r);
        EXPECT_EQ(common(mine, all).points(), mine.points());
        points += mine.points();
        for (int other = 0; other < r; ++other) {
            EXPECT_EQ(common(mine, block_of(other)).points(), 0U);
        }
    }
    EXPECT_EQ(points, all.points());
}

TEST(MeshPlan, GivesEveryPointOfEveryStageToOneRankAndLinesWhole)
{
    const MeshBlock all{{0, 9}, {0, 10}, {0, 5}};
    for (const PencilGrid& table : tables) {
        const MeshPlan plan({9, 10, 8}, 12, table);
        expect_every_point_once(all, 12, [&](int r) { return plan.along_z(r); });
        expect_every_point_once(all, 12, [&](int r) { return plan.along_y(r); });
        expect_every_point_once(all, 12, [&](int r) { return plan.along_x(r); });
        EXPECT_EQ(plan.along_z(0).z, all.z);
        EXPECT_EQ(plan.along_y(0).y, all.y);
        EXPECT_EQ(plan.along_x(0).x, all.x);
    }
}

TEST(MeshPlan, GivesEveryRowOfABrickToOneRank)
{
    const MeshBrick brick{{7, 2, 3}, {8, 10, 6}}; // planes 7, 8, 0 .. 5
    for (const PencilGrid& table : tables) {
        const MeshPlan plan({9, 10, 8}, 12, table);
        std::vector<int> rows;
        for (int r = 0; r < 12; ++r) {
            const MeshPlan::BrickRows mine = plan.rows_of(brick, r);
            for (const int x : mine.x) {
                const MeshRange range = plan.along_z(r).x;
                EXPECT_TRUE((7 + x) % 9 >= range.first && (7 + x) % 9 < range.end());
                for (const int y : mine.y) {
                    rows.push_back(10 * x + y);
                }
            }
        }
        std::sort(rows.begin(), rows.end());
        std::vector<int> expected(80);
        std::iota(expected.begin(), expected.end(), 0);
        EXPECT_EQ(rows, expected) << table.rows << " x " << table.columns;
    }
}

TEST(MeshPlan, CountsTheBytesOfBricksAndOfTwoTranspositionsOfSlabs)
{
    // DHFR's mesh on two ranks, half of the cells along x each: FP32
    const MeshPlan plan({54, 54, 54}, 2);
    const MeshBrick lower{{51, 0, 0}, {30, 54, 54}}, upper{{24, 0, 0}, {30, 54, 54}};
    const std::vector<MeshBrick> bricks{lower, upper};

    // each brick has three planes of the other's; a quarter of the spectrum goes each way, twice
    const std::int64_t planes = 3 * 54 * 54 * 4, part = 27 * 27 * 28 * 2 * 4;
    const MeshPlan::Traffic expected{2 * planes + 2 * part, 2 * planes + 2 * part, 4, 4};

    EXPECT_EQ(plan.pencils(), (PencilGrid{2, 1}));
    EXPECT_EQ(plan.traffic(0, bricks, 1, 4), expected);
    EXPECT_EQ(plan.traffic(1, bricks, 1, 4), expected);
}

TEST(MeshPlan, CountsTheBytesOfFourTranspositionsOfPencils)
{
    const MeshPlan plan({8, 12, 10}, 6, {2, 3});

    // blocks of 4 x 4 lines along z: of 6 waves a third goes to each of two others of the row;
    // blocks of 4 x 12 x 2: half of y goes to the other of the column
    const std::int64_t row = 4 * 4 * 2 * 2 * 8, column = 4 * 6 * 2 * 2 * 8;
    const MeshPlan::Traffic expected{2 * (2 * row + column), 2 * (2 * row + column), 6, 6};

    for (int r = 0; r < 6; ++r) {
        EXPECT_EQ(plan.of_spectra(r, 1, 8), expected) << r;
        EXPECT_EQ(plan.traffic(r, std::vector<MeshBrick>(6), 1, 8), expected) << r;
    }
}

TEST(MeshPlan, ReceivesWhatOthersSend)
{
    for (const PencilGrid& table : {PencilGrid{4, 1}, PencilGrid{2, 2}, PencilGrid{1, 3}}) {
        const MeshPlan plan({15, 9, 14}, 4, table);
        const std::vector<MeshBrick> bricks{
            {{1, 0, 3}, {9, 5, 6}}, {{12, 8, 13}, {15, 9, 4}}, {}, {{14, 1, 1}, {4, 4, 4}}};
        MeshPlan::Traffic all;
        for (int r = 0; r < 4; ++r) {
            const MeshPlan::Traffic one = plan.traffic(r, bricks, 7, 8);
            all.sent += one.sent;
            all.received += one.received;
            all.messages_sent += one.messages_sent;
            all.messages_received += one.messages_received;
        }

        EXPECT_EQ(all.sent, all.received);
        EXPECT_EQ(all.messages_sent, all.messages_received);
        EXPECT_GT(all.sent, 0);
    }
}

TEST(MeshPlan, ChoosesSlabsForFewRanksAndPencilsForMany)
{
    for (const int ranks : {1, 2, 3, 4}) {
        EXPECT_EQ(MeshPlan({54, 54, 54}, ranks).pencils(), (PencilGrid{ranks, 1})) << ranks;
    }
    EXPECT_EQ(MeshPlan({64, 64, 64}, 8).pencils(), (PencilGrid{4, 2}));
    EXPECT_GT(MeshPlan({64, 64, 64}, 12).pencils().columns, 1);
    EXPECT_GT(MeshPlan({54, 54, 54}, 64).pencils().columns, 4);
    EXPECT_EQ(MeshPlan({54, 54, 54}, 2).cost(std::vector<MeshBrick>(2)),
              2 * (54 * 54 * 28 * 8 / 4 + MeshPlan::bytes_of_message));
}

TEST(MeshPlan, LeavesAtMostATenthOfTheRanksIdleWhereTheMeshHasLinesForThem)
{
    for (int ranks = 1; ranks <= 300; ranks += 1 + ranks / 16) {
        const PencilGrid table = MeshPlan({54, 48, 60}, ranks).pencils();
        EXPECT_LE(table.rows * table.columns, ranks);
        EXPECT_GE(10 * table.rows * table.columns, 9 * ranks) << ranks;
        EXPECT_LE(table.rows, 48);
        EXPECT_LE(table.columns, 31);
    }
    EXPECT_EQ(MeshPlan({4, 5, 6}, 100).pencils(), (PencilGrid{4, 4}));
}

TEST(MeshPlan, SaysHowRanksShareTheMesh)
{
    EXPECT_EQ(in_words(MeshPlan({9, 9, 8}, 3, {3, 1})), "shared in 3 slabs");
    EXPECT_EQ(in_words(MeshPlan({9, 9, 8}, 7, {3, 2})),
              "shared in 3 x 2 pencils, 1 of the ranks idle");
}

TEST(MeshLoad, IsThatOfTheRankWithMost)
{
    const MeshLoad load = mesh_load({54, 54, 54}, 2);

    // cells 27 +- 1 and three points below: 3 + 2 of the planes are the other's at either end
    const std::int64_t planes = 5 * 54 * 54 * 4, part = 27 * 27 * 28 * 2 * 4;
    EXPECT_EQ(load.spectra, (MeshPlan::Traffic{2 * part, 2 * part, 2, 2}));
    EXPECT_EQ(load.bricks, (MeshPlan::Traffic{2 * planes, 2 * planes, 2, 2}));
    EXPECT_EQ(mesh_load({54, 54, 54}, 1).bricks, MeshPlan::Traffic{});
}

} // namespace
} // namespace tessera
