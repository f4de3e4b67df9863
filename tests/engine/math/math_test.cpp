#include "engine/math/bspline.hpp"
#include "engine/math/erfc.hpp"
#include "engine/math/trigonometry.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace tessera
{
namespace
{

/// A few roundings, and x^2 up to 36 in the exponent (its own rounding counts 36 times).
constexpr double few_roundings = 8e-15;

TEST(ErfcAndGauss, AgreesWithTheLibrary)
{
    double worst_erfc = 0, worst_gauss = 0;

    for (int k = 0; k <= 60000; ++k) {
        const double x = k * 1e-4;
        const ErfcAndGauss e = erfc_and_gauss(x);
        worst_erfc = std::fmax(worst_erfc, std::fabs(e.erfc / std::erfc(x) - 1.0));
        worst_gauss = std::fmax(worst_gauss, std::fabs(e.gauss / std::exp(-x * x) - 1.0));
    }

    EXPECT_LT(worst_erfc, few_roundings);
    EXPECT_LT(worst_gauss, few_roundings);
}

TEST(ErfcAndGauss, StaysFiniteAndTinyForLargeArguments)
{
    for (const double x : {10.0, 26.0, 100.0, 1e10}) {
        const ErfcAndGauss e = erfc_and_gauss(x);

        EXPECT_GE(e.erfc, 0.0);
        EXPECT_LT(e.erfc, 1e-40);
        EXPECT_LT(e.gauss, 1e-40);
    }
}

class BsplineOrder : public testing::TestWithParam<int> {};

TEST_P(BsplineOrder, WeightsSumToOneAndSlopesToZero)
{
    const int order = GetParam();
    for (const double w : {0.0, 0.3, 0.5, 0.999}) {
        double weight[largest_spline_order], slope[largest_spline_order];

        bspline_weights(order, w, weight, slope);

        double sum = 0, slope_sum = 0;
        for (int k = 0; k < order; ++k) {
            EXPECT_GE(weight[k], 0.0);
            sum += weight[k];
            slope_sum += slope[k];
        }
        EXPECT_NEAR(sum, 1.0, few_roundings);
        EXPECT_NEAR(slope_sum, 0.0, few_roundings);
    }
}

TEST_P(BsplineOrder, EqualsTheTruncatedPowerForm)
{
    // M_n(u) = 1/(n-1)! sum_k (-1)^k binomial(n, k) max(u - k, 0)^(n-1)
    const int order = GetParam();
    const double w = 0.37;
    double weight[largest_spline_order], slope[largest_spline_order];

    bspline_weights(order, w, weight, slope);

    for (int k = 0; k < order; ++k) {
        double sum = 0, binomial = 1;
        for (int j = 0; j <= k; ++j) {
            sum += (j % 2 == 0 ? 1 : -1) * binomial * std::pow(w + k - j, order - 1);
            binomial = binomial * (order - j) / (j + 1);
        }
        // the alternating sum loses digits: terms of up to 1e9 at order 12 against a factorial of
        // 4e7
        EXPECT_NEAR(weight[k], sum / std::tgamma(order), 1e-11) << "weight " << k;
    }
}

TEST_P(BsplineOrder, SlopesAreTheDerivativesOfTheWeights)
{
    const int order = GetParam();
    const double w = 0.41, h = 1e-5;
    double low[largest_spline_order], high[largest_spline_order], at[largest_spline_order],
        slope[largest_spline_order], ignored[largest_spline_order];

    bspline_weights(order, w, at, slope);
    bspline_weights(order, w - h, low, ignored);
    bspline_weights(order, w + h, high, ignored);

    for (int k = 0; k < order; ++k) {
        EXPECT_NEAR(slope[k], (high[k] - low[k]) / (2 * h), 1e-9); // h^2 and 1e-16/h
    }
}

INSTANTIATE_TEST_SUITE_P(AllOrders, BsplineOrder, testing::Range(3, 13));

TEST(Trigonometry, AgreesWithTheLibraryToTheLastBits)
{
    // fitted to 1e-17; three roundings of numbers up to one
    constexpr double rounding = 4e-16;
    for (double x = -40; x < 40; x += 0.0137) {
        const SineCosine<double> of = sine_and_cosine(x);
        EXPECT_NEAR(of.sine, std::sin(x), rounding) << x;
        EXPECT_NEAR(of.cosine, std::cos(x), rounding) << x;
        const double y = std::sin(0.37 * x);
        EXPECT_NEAR(angle_of(y, 0.05 * x), std::atan2(y, 0.05 * x), 2 * rounding) << x;
    }
    EXPECT_EQ(angle_of(0.0, 0.0), 0.0);
    EXPECT_EQ(angle_of(0.0, -1.0), std::atan2(0.0, -1.0));
    EXPECT_EQ(angle_of(1.0, 0.0), std::atan2(1.0, 0.0));
    EXPECT_TRUE(std::isnan(angle_of(std::nan(""), 1.0)));
    EXPECT_TRUE(std::isnan(sine_and_cosine(std::nan("")).sine));
}

} // namespace
} // namespace tessera
