#include "engine/math/units.hpp"
#include "io/energy_log.hpp"
#include "io/run_statistics.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <sstream>

namespace tessera::test
{
namespace
{

using ::testing::HasSubstr;

TEST(BlockAverage, IsTheTextbookErrorForFewValues)
{
    BlockAverage average;
    for (const double value : {1.0, 2.0, 3.0, 4.0}) {
        average.add(value);
    }

    EXPECT_DOUBLE_EQ(average.mean(), 2.5);
    EXPECT_DOUBLE_EQ(average.deviation(), std::sqrt(5.0 / 3.0));
    EXPECT_DOUBLE_EQ(average.standard_error(), std::sqrt(5.0 / 3.0 / 4.0));
}

TEST(BlockAverage, SeesThroughCorrelation)
{
    // x_k = a x_(k-1) + noise: the error of the mean is the naive one times
    // sqrt((1 + a)/(1 - a)) = 4.36 for a = 0.9
    std::mt19937_64 engine(1);
    std::normal_distribution<double> noise;
    BlockAverage average;
    double x = 0;
    constexpr int values = 1 << 16;
    for (int k = 0; k < values; ++k) {
        x = 0.9 * x + noise(engine);
        average.add(x);
    }
    const double variance = 1 / (1 - 0.81);
    const double right = std::sqrt(variance * 1.9 / 0.1 / values);

    // the largest of several estimates of 16 and more blocks: each uncertain by up to 18 %
    EXPECT_GT(average.standard_error(), 0.85 * right);
    EXPECT_LT(average.standard_error(), 1.6 * right);
}

TEST(BlockAverage, HasNoErrorForASingleValue)
{
    BlockAverage average;
    EXPECT_TRUE(std::isnan(average.mean()));

    average.add(7);

    EXPECT_EQ(average.mean(), 7);
    EXPECT_TRUE(std::isnan(average.standard_error()));
}

TEST(RunningLine, IsExactOnALine)
{
    RunningLine line;
    EXPECT_TRUE(std::isnan(line.slope()));

    for (int k = 0; k < 4; ++k) {
        line.add(1000 + k, 5 - 2 * k);
    }

    EXPECT_DOUBLE_EQ(line.slope(), -2);
}

TEST(DriftLine, HasNoErrorOnALine)
{
    DriftLine line;
    for (int k = 0; k < 100; ++k) {
        line.add(0.5 * k, 7 - 0.5 * k);
    }

    EXPECT_NEAR(line.slope(), -1, 1e-12); // a hundred roundings
    EXPECT_NEAR(line.error(), 0, 1e-12);
}

TEST(DriftLine, CoversTheSlopesOfRandomWalks)
{
    // the slope through a walk of unit steps deviates by sqrt(6/5) of the end's, 1/sqrt(n) a step
    std::mt19937_64 engine(3);
    std::normal_distribution<double> noise;
    constexpr int walks = 400, steps = 256;
    double squares = 0, errors = 0;
    for (int w = 0; w < walks; ++w) {
        DriftLine line;
        double energy = 0;
        for (int k = 0; k <= steps; ++k) {
            line.add(k, energy);
            energy += noise(engine);
        }
        squares += line.slope() * line.slope() / walks;
        errors += line.error() * line.error() / walks;
    }

    EXPECT_NEAR(squares * steps, 1.2, 0.3); // 400 squares: 7 % standard error
    EXPECT_GT(errors, 0.7 * squares);
    EXPECT_LT(errors, 1.5 * squares);
}

Observables sample(std::int64_t step)
{
    Observables o;
    o.step = step;
    o.time = 0.002 * static_cast<double>(step);
    o.potential = -1234.5678;
    o.kinetic = 400;
    o.total = o.potential + o.kinetic;
    o.conserved = o.total + 1e-3 * o.time;
    o.temperature = step % 1000 == 0 ? 299 : 301;
    o.pressure = 2 * units::bar;
    o.volume = 27;
    return o;
}

TEST(EnergyLog, WritesAlignedRowsUnderOneHeadAndSumsThemUp)
{
    std::ostringstream stream;
    EnergyLog log(stream, {EnergyKind::lj}, 500, true);
    for (int k = 0; k < 32; ++k) {
        const Observables o = sample(500 * k);
        const State state;
        log.notify(StepView(
            {o.step, true, true, true}, state, [&]() -> const Observables& { return o; },
            [] { return std::vector<Vec3>(); }));
    }
    const std::string summary = log.summary(100);

    std::istringstream lines(stream.str());
    std::string head, row;
    std::getline(lines, head);
    int rows = 0;
    for (; std::getline(lines, row); ++rows) {
        EXPECT_EQ(row.size(), head.size());
    }
    EXPECT_EQ(rows, 32);
    EXPECT_THAT(head, HasSubstr("potential/kJ/mol"));
    EXPECT_THAT(stream.str(), HasSubstr("-1234.567800"));
    EXPECT_THAT(summary, HasSubstr("32 rows"));
    // 299 and 301 by turns: deviation sqrt(32/31), error of the mean that of single rows
    EXPECT_THAT(summary, HasSubstr("300.000000         0.179605         1.016001 K"));
    EXPECT_THAT(summary, HasSubstr("drift of the conserved quantity: 1.0000e-05 +- "));
}

// A minimisation has no time, velocities or bath.
TEST(EnergyLog, TellsTheLargestForceOfAMinimisation)
{
    std::ostringstream stream;
    EnergyLog log(stream, {EnergyKind::lj}, 10, true, LogKind::minimisation);
    Observables o = sample(10);
    const State state;
    const auto row = [&](double potential) {
        o.potential = potential;
        o.largest_force = 926.5;
        o.largest_force_atom = 41;
        log.notify(StepView(
            {o.step, true, true, true}, state, [&]() -> const Observables& { return o; },
            [] { return std::vector<Vec3>(); }));
    };
    row(-1234.5);
    row(9.5e30); // overlapping atoms

    std::istringstream lines(stream.str());
    std::string head, usual, wide;
    std::getline(lines, head);
    std::getline(lines, usual);
    std::getline(lines, wide);
    EXPECT_THAT(head, ::testing::EndsWith("step     potential/kJ/mol  "
                                          "largest force/kJ/mol/nm       atom"));
    EXPECT_THAT(usual, HasSubstr("-1234.500000"));
    EXPECT_THAT(usual, ::testing::EndsWith("926.500000         42"));
    EXPECT_EQ(usual.size(), head.size());
    EXPECT_EQ(wide.size(), head.size());
    EXPECT_EQ(log.summary(100), "");
}

TEST(EnergyLog, ListensAtItsStrideAndAsksForEnergiesThere)
{
    std::ostringstream stream;
    const EnergyLog log(stream, {}, 500, false);

    EXPECT_TRUE(log.interest(1000).listens);
    EXPECT_TRUE(log.interest(1000).wanted.virial);
    EXPECT_FALSE(log.interest(999).listens);
}

} // namespace
} // namespace tessera::test
