#include "io/run_statistics.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace tessera::test
{
namespace
{

using ::testing::HasSubstr;

TEST(BlockAverage, IsTheTextbookErrorForUncorrelatedValues)
{
    const std::vector<double> values = {1, 2, 3, 4};

    const Average average = block_average(values);

    EXPECT_DOUBLE_EQ(average.mean, 2.5);
    EXPECT_DOUBLE_EQ(average.standard_error, std::sqrt(5.0 / 3.0 / 4.0));
}

TEST(BlockAverage, SeesThroughCorrelation)
{
    // x_k = a x_(k-1) + noise: the error of the mean is the naive one times
    // sqrt((1 + a)/(1 - a)) = 4.36 for a = 0.9
    std::mt19937_64 engine(1);
    std::normal_distribution<double> noise;
    std::vector<double> values;
    double x = 0;
    for (int k = 0; k < 1 << 16; ++k) {
        x = 0.9 * x + noise(engine);
        values.push_back(x);
    }
    const double variance = 1 / (1 - 0.81);
    const double right = std::sqrt(variance * 1.9 / 0.1 / static_cast<double>(values.size()));

    const Average average = block_average(values);

    // the largest of several estimates of 16 and more blocks: each uncertain by up to 18 %
    EXPECT_GT(average.standard_error, 0.85 * right);
    EXPECT_LT(average.standard_error, 1.6 * right);
}

TEST(BlockAverage, HasNoErrorForASingleValue)
{
    const std::vector<double> one = {7};

    EXPECT_EQ(block_average(one).mean, 7);
    EXPECT_TRUE(std::isnan(block_average(one).standard_error));
    EXPECT_TRUE(std::isnan(block_average({}).mean));
}

TEST(LeastSquaresSlope, IsExactOnALine)
{
    const std::vector<double> x = {1000, 1001, 1002, 1003}, y = {5, 3, 1, -1};
    const std::vector<double> same = {1, 1};

    EXPECT_DOUBLE_EQ(least_squares_slope(x, y), -2);
    EXPECT_TRUE(std::isnan(least_squares_slope(same, same)));
}

TEST(NsPerDay, CountsPicosecondsAndSeconds)
{
    EXPECT_DOUBLE_EQ(ns_per_day(1000, 86400), 1);
    EXPECT_EQ(ns_per_day(1, 0), 0);
}

TEST(PhaseTable, TellsTheShareOfEachPhase)
{
    PhaseTimes phases;
    phases.add("pair forces", 3);
    phases.add("mesh", 1);

    EXPECT_THAT(phase_table(phases), HasSubstr("75.0%"));
    EXPECT_EQ(phase_table(PhaseTimes()), "");
}

} // namespace
} // namespace tessera::test
