#include "engine/app/rank_places.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera
{
namespace
{

using testing::HasSubstr;
using testing::Not;

TEST(RankPlaces, AreToldNodeByNodeWithTheCoresOfEachRank)
{
    const std::string said = in_words({{"n1", {0, 1}, 2},
                                       {"n1", {2, 3, 8}, 2},
                                       {"n2", {0, 1, 2, 3}, 2},
                                       {"n2", {0, 1, 2, 3}, 2}});

    EXPECT_EQ(said, "ranks         4 on 2 nodes\n"
                    "  n1: 2 ranks, 4 threads, cores 0-1 | 2-3,8\n"
                    "  n2: 2 ranks, 4 threads, cores 0-3\n");
}

TEST(RankPlaces, NoteANodeWhoseRanksShareCores)
{
    const std::string said = in_words({{"n1", {0, 1}, 2}, {"n1", {0, 1}, 2}});
    EXPECT_THAT(said, HasSubstr("note: n1: 4 threads of 2 ranks share 2 cores"));
    EXPECT_THAT(in_words({{"n1", {0, 1}, 1}, {"n1", {0, 1}, 1}}), Not(HasSubstr("note")));
}

TEST(RankPlaces, OfManyNodesAreCounted)
{
    std::vector<RankPlace> places;
    for (int node = 0; node < 100; ++node) {
        places.push_back({fmt::format("n{}", node), {0}, 1});
    }
    EXPECT_THAT(in_words(places),
                HasSubstr("  n15: 1 rank, 1 thread, cores 0\n  and 84 nodes more\n"));
}

/// A rank that sees so many GPUs.
RankPlace with_devices(const char* node, int devices, const char* visible = "")
{
    return {node, {0}, 1, devices, visible};
}

TEST(RankPlaces, RanksOfANodeTakeItsGpusInTurn)
{
    using testing::ElementsAre;
    EXPECT_THAT(
        devices_of_ranks({with_devices("n1", 2), with_devices("n1", 2), with_devices("n2", 2),
                          with_devices("n1", 2), with_devices("n2", 2)}),
        ElementsAre(0, 1, 0, 0, 1));
    EXPECT_THAT(devices_of_ranks({with_devices("n1", 0), with_devices("n1", 4)}),
                ElementsAre(-1, 0));
}

TEST(RankPlaces, RanksThatSeeOneGpuEachTakeThat)
{
    // as srun --gpus-per-task hides the others
    const std::vector<RankPlace> places{with_devices("n1", 1, "2"), with_devices("n1", 1, "0")};
    EXPECT_THAT(devices_of_ranks(places), testing::ElementsAre(0, 0));
    const std::string said = in_words(places);
    EXPECT_THAT(said, HasSubstr("  rank 0: n1, GPU 0 of 1 (CUDA_VISIBLE_DEVICES=2)\n"
                                "  rank 1: n1, GPU 0 of 1 (CUDA_VISIBLE_DEVICES=0)\n"));
    EXPECT_THAT(said, Not(HasSubstr("share GPU")));
}

TEST(RankPlaces, NoteRanksThatShareAGpu)
{
    const std::string said = in_words({with_devices("n1", 1), with_devices("n1", 1)});
    EXPECT_THAT(said, HasSubstr("  rank 1: n1, GPU 0 of 1\nnote: n1: ranks share GPU 0."));
    EXPECT_THAT(in_words({with_devices("n1", 0)}), Not(HasSubstr("GPU")));
}

} // namespace
} // namespace tessera
