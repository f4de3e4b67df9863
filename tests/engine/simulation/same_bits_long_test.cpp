// Not in CI: 104 runs of 1,000 steps. By name: ctest -R same_bits_long_test, or a part of it with
// --gtest_filter; TESSERA_LONG_STEPS shortens it.
#include "tests/engine/simulation/dipeptide.hpp"

#include <cstdlib>
#include <iostream>

namespace tessera
{
namespace
{

using support::Bath;
using support::Circumstances;

struct Case {
    std::string name;
    Bath bath;
    Precision precision;
};

class Dipeptide : public ::testing::TestWithParam<Case> {};

TEST_P(Dipeptide, HasTheSameCheckpointOnAnyNumberOfThreadsInAnyOrder)
{
    const char* given = std::getenv("TESSERA_LONG_STEPS");
    const std::int64_t steps = given != nullptr ? std::atoll(given) : 1000;
    const support::RunSetup setup = support::dipeptide(GetParam().bath, GetParam().precision);
    const support::Outcome reference = support::outcome(setup, {1, 0}, steps);
    std::cout << GetParam().name << ":\n" << std::flush;

    for (const int threads : {1, 2, 3, 8}) {
        for (const std::uint64_t seed : {1, 2, 3}) {
            const Circumstances how{threads, seed};
            const auto same = support::has_bits_of(reference, support::outcome(setup, how, steps));
            std::cout << fmt::format("  {:<24} {}\n", how.text(), same ? "the same" : "DIFFERS")
                      << std::flush;
            EXPECT_TRUE(same) << how.text();
        }
    }
}

INSTANTIATE_TEST_SUITE_P(
    Ensembles, Dipeptide,
    ::testing::Values(Case{"NveFp64", Bath::none, Precision::fp64},
                      Case{"NveMixed", Bath::none, Precision::mixed},
                      Case{"NvtVRescaleFp64", Bath::v_rescale, Precision::fp64},
                      Case{"NvtVRescaleMixed", Bath::v_rescale, Precision::mixed},
                      Case{"NvtLangevinFp64", Bath::langevin, Precision::fp64},
                      Case{"NvtLangevinMixed", Bath::langevin, Precision::mixed},
                      Case{"NptCRescaleFp64", Bath::v_rescale_and_pressure, Precision::fp64},
                      Case{"NptCRescaleMixed", Bath::v_rescale_and_pressure, Precision::mixed}),
    [](const auto& instance) { return instance.param.name; });

} // namespace
} // namespace tessera
