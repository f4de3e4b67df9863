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

TEST(DriftLine, HasNoErrorOnALine)
{
    DriftLine line;
    for (int k = 0; k < 100; ++k) {
        line.add(0.5 * k, 7 - 0.5 * k);
    }

    EXPECT_NEAR(line.slope(), -1, 1e-12); // a hundred roundings
    EXPECT_NEAR(line.error(), 0, 1e-12);
}

TEST(DriftLine, HasTheTextbookErrorForFewRows)
{
    DriftLine line;
    line.add(0, 0);
    line.add(2, 1);
    line.add(4, 1);
    line.add(6, 0);

    EXPECT_DOUBLE_EQ(line.slope(), 0);
    // four residuals of 1/2, two degrees of freedom, squared distances of the times 9 + 1 + 1 + 9
    EXPECT_DOUBLE_EQ(line.error(), std::sqrt(1.0 / 2 / 20));
}

/// Runs of an energy that drifts by 0.01 a row, and beside it follows x_k = keep x_(k-1) + noise.
struct Drifts {
    double covered = 0; ///< share of runs whose slope is within two of its errors of the drift
    double width = 0;   ///< error over the true deviation of the slopes, root mean square
};

Drifts drifts(double keep)
{
    constexpr int runs = 400, rows = 320;
    constexpr double drift = 0.01;
    std::mt19937_64 engine(3);
    std::normal_distribution<double> noise;
    double covered = 0, squares = 0, errors = 0;
    for (int r = 0; r < runs; ++r) {
        DriftLine line;
        double x = keep < 1 ? noise(engine) / std::sqrt(1 - keep * keep) : 0;
        for (int k = 0; k < rows; ++k) {
            line.add(k, 7 + drift * k + x);
            x = keep * x + noise(engine);
        }
        const double off = line.slope() - drift;
        covered += std::fabs(off) < 2 * line.error() ? 1.0 / runs : 0;
        squares += off * off;
        errors += line.error() * line.error();
    }
    return {covered, std::sqrt(errors / squares)};
}

// two true deviations cover 95 %; 400 runs find the share within 2 %. What is wider than a few
// deviations would hide a drift.
TEST(DriftLine, CoversTheDriftUnderIndependentNoise)
{
    const Drifts found = drifts(0);

    EXPECT_GT(found.covered, 0.92);
    EXPECT_LT(found.width, 1.5);
}

TEST(DriftLine, CoversTheDriftUnderFluctuationsOfAnyCorrelationTime)
{
    // a 100th, a 30th, a 10th and a third of the run: the slower ones have few independent pieces
    for (const double rows : {3.2, 10.7, 32.0, 107.0}) {
        const Drifts found = drifts(std::exp(-1 / rows));

        EXPECT_GT(found.covered, 0.8) << rows;
        EXPECT_LT(found.width, 3) << rows;
    }
}

TEST(DriftLine, CoversTheDriftUnderARandomWalk)
{
    const Drifts found = drifts(1);

    EXPECT_GT(found.covered, 0.75); // the walk's size is known from four independent gains
    EXPECT_GT(found.width, 0.8);
    EXPECT_LT(found.width, 1.3);
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
