#include "engine/app/wait_policy.hpp"

#include <gtest/gtest.h>

namespace tessera
{

namespace
{

struct Case {
    const char* name;
    CoreUse use;
    bool spins;
};

class WaitingThreads : public testing::TestWithParam<Case> {};

TEST_P(WaitingThreads, SpinOnlyWhereNobodyElseWantsTheCores)
{
    EXPECT_EQ(turns_before_sleep(GetParam().use) > 0, GetParam().spins);
}

INSTANTIATE_TEST_SUITE_P(
    Machines, WaitingThreads,
    testing::Values(Case{"a_quiet_laptop", {2, 2, 1, 0}, true},
                    Case{"another_program_on_it", {2, 2, 1, 1}, false},
                    Case{"a_core_each_for_ranks", {2, 2, 2, 0}, false},
                    Case{"ranks_with_threads", {16, 16, 2, 0}, true},
                    Case{"a_large_node_with_a_busy_daemon", {64, 64, 1, 3}, true},
                    Case{"a_large_node_shared_without_masks", {64, 64, 1, 32}, false},
                    Case{"cores_of_a_batch_job_on_a_shared_node", {16, 64, 1, 48}, true}),
    [](const auto& tested) { return std::string(tested.param.name); });

} // namespace

} // namespace tessera
