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
    EXPECT_EQ(brick.extent, (std::array<std::int32_t, 3>{4 + 3, 3 + 3, 10 + 3}));
    EXPECT_TRUE(brick_of_cells(marked({10, 10, 10}, {}), 4).is_empty());
}

TEST(MeshPlan, GivesEveryPlaneAndLineToOneRank)
{
    for (const int ranks : {1, 2, 3, 7, 12}) {
        const MeshPlan plan({9, 10, 8}, ranks);
        int x = 0, y = 0;
        for (int r = 0; r < ranks; ++r) {
            EXPECT_EQ(plan.planes(r).first, x);
            EXPECT_EQ(plan.lines(r).first, y);
            x += plan.planes(r).count;
            y += plan.lines(r).count;
        }
        EXPECT_EQ(x, 9);
        EXPECT_EQ(y, 10);

        const MeshBrick brick{{7, 2, 3}, {12, 5, 6}}; // planes 7, 8, 0 .. 8, 0
        std::vector<int> all;
        for (int r = 0; r < ranks; ++r) {
            for (const int k : plan.planes_of(brick, r)) {
                const int plane = (7 + k) % 9;
                EXPECT_GE(plane, plan.planes(r).first);
                EXPECT_LT(plane, plan.planes(r).first + plan.planes(r).count);
                all.push_back(k);
            }
        }
        std::sort(all.begin(), all.end());
        std::vector<int> expected(12);
        std::iota(expected.begin(), expected.end(), 0);
        EXPECT_EQ(all, expected) << ranks;
    }
}

TEST(MeshPlan, CountsTheBytesOfBricksAndOfTwoTranspositions)
{
    // DHFR's mesh on two ranks, half of the cells along x each: FP32
    const MeshPlan plan({54, 54, 54}, 2);
    const MeshBrick lower{{51, 51, 51}, {30, 57, 57}}, upper{{24, 51, 51}, {30, 57, 57}};
    const std::vector<MeshBrick> bricks{lower, upper};

    // each brick has three planes of the other's; a quarter of the spectrum goes each way, twice
    const std::int64_t planes = 3 * 57 * 57 * 4, part = 27 * 27 * 28 * 2 * 4;
    const std::int64_t headers = 24 + 8;
    const MeshPlan::Traffic expected{2 * planes + 2 * part + headers,
                                     2 * planes + 2 * part + headers};

    EXPECT_EQ(plan.traffic(0, bricks, 1, 4), expected);
    EXPECT_EQ(plan.traffic(1, bricks, 1, 4), expected);
}

TEST(MeshPlan, ReceivesWhatOthersSend)
{
    const MeshPlan plan({15, 9, 14}, 4);
    const std::vector<MeshBrick> bricks{
        {{1, 0, 3}, {9, 5, 6}}, {{12, 8, 13}, {18, 12, 4}}, {}, {{14, 1, 1}, {4, 4, 4}}};
    MeshPlan::Traffic all;
    for (int r = 0; r < 4; ++r) {
        const MeshPlan::Traffic one = plan.traffic(r, bricks, 7, 8);
        all.sent += one.sent;
        all.received += one.received;
    }

    EXPECT_EQ(all.sent, all.received);
    EXPECT_GT(all.sent, 0);
}

} // namespace
} // namespace tessera
