#include "engine/base/fixed_point.hpp"

#include <gtest/gtest.h>
#include <limits>

namespace tessera
{
namespace
{

TEST(ExactSum, IgnoresTheOrderOfItsAddends)
{
    ExactSum up, down;
    for (int k = 1; k <= 1000; ++k) {
        up.add(1e7 / k);
        down.add(1e7 / (1001 - k));
    }

    EXPECT_EQ(up, down);
}

TEST(ExactSum, KeepsASmallAddendBesideLargeOnesThatCancel)
{
    ExactSum sum;
    sum.add(1e18);
    sum.add(0.5);
    sum.add(-1e18);

    EXPECT_EQ(sum.value(), 0.5);
}

TEST(ExactSum, GoesOnInFloatingPointBeyondItsRange)
{
    ExactSum sum, other;
    sum.add(1e160);
    sum.add(1);
    other.add(2e160);
    sum.add(other);

    EXPECT_DOUBLE_EQ(sum.value(), 3e160);
}

TEST(ExactSum, HoldsAMillionOfItsLargestExactAddends)
{
    ExactSum sum;
    constexpr double large = 9e19; // kJ/mol, just within the range
    for (int k = 0; k < 1000000; ++k) {
        sum.add(large);
    }

    EXPECT_DOUBLE_EQ(sum.value(), 1e6 * large);
}

TEST(ExactSum, IsNotFiniteOnceAnAddendWasNot)
{
    ExactSum not_a_number, infinite;
    not_a_number.add(std::numeric_limits<double>::quiet_NaN());
    infinite.add(std::numeric_limits<double>::infinity());
    infinite.add(1);

    EXPECT_TRUE(std::isnan(not_a_number.value()));
    EXPECT_TRUE(std::isinf(infinite.value()));
}

} // namespace
} // namespace tessera
