#include "engine/base/bit_hash.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace tessera
{
namespace
{

TEST(BitHash, DoesNotFeelTheOrderInWhichElementsAreAdded)
{
    BitHash up, down;
    for (std::uint64_t k = 0; k < 100; ++k) {
        up.add(k, {k * k, 7});
        down.add(99 - k, {(99 - k) * (99 - k), 7});
    }

    EXPECT_EQ(up.value(), down.value());
}

TEST(BitHash, FeelsTheLastBitOfEveryWord)
{
    const auto hash = [](double x, double y) {
        BitHash h;
        h.add(3, {bits_of(x), bits_of(y)});
        return h.value();
    };

    EXPECT_NE(hash(1, 2), hash(std::nextafter(1, 2), 2));
    EXPECT_NE(hash(1, 2), hash(1, std::nextafter(2, 3)));
    EXPECT_NE(hash(0.0, 2), hash(-0.0, 2));
    EXPECT_NE(hash(1, 2), hash(2, 1));
}

TEST(BitHash, TellsElementsThatChangedPlaces)
{
    EXPECT_NE(hash_of_numbers(std::vector<double>{1, 2, 3}).value(),
              hash_of_numbers(std::vector<double>{1, 3, 2}).value());
}

} // namespace
} // namespace tessera
