// 1,000 steps on every number of ranks and threads, boundaries moved at random at every cut.
#include "tests/engine/simulation/dipeptide.hpp"
#include "tests/support/ranks.hpp"

namespace tessera
{
namespace
{

using support::Bath;

class SameBitsOnRanksLong : public testing::TestWithParam<std::tuple<Bath, Precision>> {};

TEST_P(SameBitsOnRanksLong, OverAThousandSteps)
{
    const auto [bath, precision] = GetParam();
    const support::RunSetup setup = support::dipeptide(bath, precision);
    constexpr std::int64_t steps = 1000;
    const support::Arrays one = support::outcome(setup, {1, 0}, steps).arrays;
    for (const int threads : {1, 2, 3}) {
        for (const std::array<int, 3>& count : std::vector<std::array<int, 3>>{
                 {1, 1, 1}, {1, 1, 2}, {3, 1, 1}, {2, 2, 1}, {1, 3, 2}, {2, 2, 2}}) {
            const support::Arrays many = support::on_ranks(setup, count, threads, steps).front();
            EXPECT_EQ(support::differences(one, many), "")
                << threads << " threads on each rank of " << count[0] << " x " << count[1] << " x "
                << count[2];
        }
    }
}

INSTANTIATE_TEST_SUITE_P(, SameBitsOnRanksLong,
                         testing::Combine(testing::Values(Bath::none, Bath::langevin,
                                                          Bath::v_rescale_and_pressure),
                                          testing::Values(Precision::mixed, Precision::fp64)));

} // namespace
} // namespace tessera
