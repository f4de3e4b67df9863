#include "engine/app/rank_places.hpp"
#include "engine/parallel/loopback_transport.hpp"

#include <cstdlib>
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

TEST(RankPlaces, ReachEveryRankWhole)
{
    setenv("CUDA_VISIBLE_DEVICES", "GPU-5c1f, GPU-77aa", 1);
    run_loopback(2, [](Transport& ranks) {
        const std::vector<RankPlace> places = places_of_ranks(ranks, 3 + ranks.rank());
        ASSERT_EQ(places.size(), 2U);
        for (int r = 0; r < 2; ++r) {
            const RankPlace& place = places[static_cast<std::size_t>(r)];
            EXPECT_EQ(place.threads, 3 + r);
            EXPECT_EQ(place.visible_devices, "GPU-5c1f,GPU-77aa");
            EXPECT_EQ(place.cores, places[0].cores);
            EXPECT_FALSE(place.cores.empty());
            EXPECT_EQ(place.device_names.size(), static_cast<std::size_t>(place.devices));
        }
    });
    unsetenv("CUDA_VISIBLE_DEVICES");
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

/// Known fault B44: a physical index taken for a place in the list of what is visible.
TEST(RankPlaces, CountGpusByTheirPlaceInTheVisibleList)
{
    using testing::Each;
    using testing::ElementsAre;
    const std::vector<RankPlace> six(6, with_devices("n1", 6, "0,1,2,3,4,6"));
    EXPECT_THAT(devices_of_ranks(six), ElementsAre(0, 1, 2, 3, 4, 5));
    const std::vector<RankPlace> one_each(4, with_devices("n1", 1, "2"));
    EXPECT_THAT(devices_of_ranks(one_each), Each(0));
    EXPECT_THAT(in_words(one_each), HasSubstr("note: n1: ranks share GPU 0."));
    const std::vector<RankPlace> by_uuid(2, with_devices("n1", 2, "GPU-5c1f,GPU-77aa"));
    EXPECT_THAT(devices_of_ranks(by_uuid), ElementsAre(0, 1));
    const std::vector<RankPlace> more(5, with_devices("n1", 2));
    EXPECT_THAT(devices_of_ranks(more), ElementsAre(0, 1, 0, 1, 0));
}

TEST(RankPlaces, NameTheGpuOfEachRankByItsUuid)
{
    const RankPlace place{
        "n1", {0}, 1,
        2,    "",  {"NVIDIA A100-SXM4-40GB, GPU-5c1f", "NVIDIA A100-SXM4-40GB, GPU-77aa"}};
    const std::string said = in_words({place, place});
    EXPECT_THAT(said, HasSubstr("  rank 0: n1, GPU 0 of 2, NVIDIA A100-SXM4-40GB, GPU-5c1f\n"));
    EXPECT_THAT(said, HasSubstr("  rank 1: n1, GPU 1 of 2, NVIDIA A100-SXM4-40GB, GPU-77aa\n"));
}

TEST(RankPlaces, NoteRanksThatShareAGpu)
{
    const std::string said = in_words({with_devices("n1", 1), with_devices("n1", 1)});
    EXPECT_THAT(said, HasSubstr("  rank 1: n1, GPU 0 of 1\nnote: n1: ranks share GPU 0."));
    EXPECT_THAT(in_words({with_devices("n1", 0)}), Not(HasSubstr("GPU")));
}

} // namespace
} // namespace tessera
