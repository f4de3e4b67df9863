#include "engine/base/philox.hpp"

#include <gtest/gtest.h>

namespace tessera
{
namespace
{

using Counter = std::array<std::uint32_t, 4>;

// Known answers published with the generator (Random123, kat_vectors).
TEST(Philox, GivesThePublishedAnswers)
{
    constexpr std::uint32_t ones = 0xffffffffU;

    EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
              (Counter{0x6627e8d5U, 0xe169c58dU, 0xbc57ac4cU, 0x9b00dbd8U}));
    EXPECT_EQ(philox4x32({ones, ones, ones, ones}, {ones, ones}),
              (Counter{0x408f276dU, 0x41c83b0eU, 0xa20bc7c6U, 0x6d5451fdU}));
    EXPECT_EQ(philox4x32({0x243f6a88U, 0x85a308d3U, 0x13198a2eU, 0x03707344U},
                         {0xa4093822U, 0x299f31d0U}),
              (Counter{0xd16cfe09U, 0x94fdccebU, 0x5001e420U, 0x24126ea1U}));
}

TEST(RandomStream, DependsOnSeedItemStepAndPurposeOnly)
{
    RandomStream a(42, 7, 1000, RandomPurpose::langevin), b(42, 7, 1000, RandomPurpose::langevin);
    a.bits();
    b.bits();

    EXPECT_EQ(a.bits(), b.bits());
    EXPECT_NE(RandomStream(42, 7, 1000, RandomPurpose::langevin).bits(),
              RandomStream(42, 7, 1000, RandomPurpose::start_velocity).bits());
    EXPECT_NE(RandomStream(42, 7, 1000, RandomPurpose::langevin).bits(),
              RandomStream(42, 7, 1000 + (std::int64_t{1} << 32), RandomPurpose::langevin).bits());
}

TEST(RandomStream, DrawsNormalNumbersOfMeanZeroAndVarianceOne)
{
    constexpr int draws = 100000;
    double sum = 0, square = 0, fourth = 0;
    for (std::uint32_t k = 0; k < draws; ++k) {
        for (const double z : RandomStream(1, k, 0, RandomPurpose::test).normal2()) {
            sum += z;
            square += z * z;
            fourth += z * z * z * z;
        }
    }

    // five standard errors of 2e5 numbers: 1, sqrt(2) and sqrt(96) over sqrt(2e5)
    const double n = 2.0 * draws;
    EXPECT_NEAR(sum / n, 0, 5 / std::sqrt(n));
    EXPECT_NEAR(square / n, 1, 5 * std::sqrt(2 / n));
    EXPECT_NEAR(fourth / n, 3, 5 * std::sqrt(96 / n));
}

TEST(PortableLog, AgreesWithTheLibrary)
{
    for (std::uint32_t k = 0; k < 20000; ++k) {
        const double u = RandomStream(3, k, 0, RandomPurpose::test).uniform2()[0];
        EXPECT_NEAR(portable_log(u), std::log(u), 4e-16 * (1 + std::fabs(std::log(u))));
    }
    EXPECT_EQ(portable_log(1), 0);
    EXPECT_NEAR(portable_log(0x1p-53), -53 * std::log(2.0), 1e-14);
}

TEST(PortableCircle, AgreesWithTheLibrary)
{
    for (std::uint32_t k = 0; k < 20000; ++k) {
        const double t = RandomStream(4, k, 0, RandomPurpose::test).uniform2()[0];
        const CirclePoint p = portable_circle(t);
        // the library's angle is itself rounded: by 4e-16 near a full turn
        EXPECT_NEAR(p.cosine, std::cos(6.283185307179586476925 * t), 8e-16);
        EXPECT_NEAR(p.sine, std::sin(6.283185307179586476925 * t), 8e-16);
    }
}

TEST(RandomStream, HasTheseBits)
{
    // pinned: a change of the noise changes every Langevin run; computed with IEEE operations alone
    const auto z = RandomStream(42, 7, 1000, RandomPurpose::langevin).normal2();

    EXPECT_EQ(z[0], 0x1.c7116d86cd47p-2);
    EXPECT_EQ(z[1], -0x1.12f7a2f6e7297p-2);
}

} // namespace
} // namespace tessera
