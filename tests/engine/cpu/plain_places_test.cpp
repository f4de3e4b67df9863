#include "engine/cpu/kernel_grid.hpp"
#include "engine/cpu/plain_places.hpp"
#include "engine/cpu/simd/simd_choice.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

namespace tessera
{
namespace
{

constexpr Mat3 oblique{{{3.1, 0, 0}, {0.4, 2.7, 0}, {-0.9, 0.7, 40.3}}};

/// In and around the cell, also halfway between points of the kernel's grid and on the cell's
/// faces.
std::vector<Vec3> some_positions()
{
    std::mt19937_64 random(5);
    std::uniform_real_distribution<double> u(-0.02, 1.02);
    std::vector<Vec3> x;
    while (x.size() < PlainPlaces::most - 5) {
        x.push_back({3.1 * u(random), 2.7 * u(random), 40.3 * u(random)});
    }
    const double step = 1.0 / fixed::kernel_position_scale;
    x.push_back({100.5 * step, 101.5 * step, std::floor(36.0 / step) * step + 0.5 * step});
    x.push_back({0, 0, 0});
    x.push_back({3.1, 1, 1});
    x.push_back({std::numeric_limits<double>::quiet_NaN(), 1, 1});
    x.push_back({-0.5 / fixed::position_scale, 1, 1}); // rounded to zero
    return x;
}

class PlainPlacesAt : public testing::TestWithParam<SimdLevel> {
protected:
    void SetUp() override { use_simd_level(GetParam()); }
    void TearDown() override { use_simd_level(supported_simd_levels().back()); }

    const PositionGrid grid_{Box(oblique)};
    const std::vector<Vec3> x_ = some_positions();
    PlainPlaces places_;
};

TEST_P(PlainPlacesAt, AreThoseOfOneAtomAtATime)
{
    const KernelGrid kernel(grid_);
    std::vector<Vec3> nm(x_.size());
    PlainPlaces in_cell;

    places_.place_in_units(grid_, x_, x_.data(), identity3(), 1.0);
    in_cell.place_in_nm(grid_, x_, nm.data());

    std::size_t left = 0;
    for (std::size_t a = 0; a < x_.size(); ++a) {
        EXPECT_EQ(places_.is_left[a], in_cell.is_left[a]) << a;
        if (places_.is_left[a] != 0) {
            ++left;
            continue;
        }
        PositionGrid::Image image;
        const GridPosition canonical = grid_.canonical(x_[a], image);
        const GridPosition g = kernel.image(canonical, {0, 0, 0});
        EXPECT_EQ(image, (PositionGrid::Image{0, 0, 0})) << a;
        EXPECT_EQ(places_.unit[0][a], KernelGrid::unit(g.x)) << a;
        EXPECT_EQ(places_.unit[1][a], KernelGrid::unit(g.y)) << a;
        EXPECT_EQ(places_.unit[2][a], KernelGrid::unit(g.z)) << a;
        EXPECT_EQ(nm[a], to_nm(canonical)) << a;
    }
    EXPECT_TRUE(places_.has_left);
    if (GetParam() != SimdLevel::baseline) { // which leaves all
        EXPECT_LT(left, x_.size() / 3);
    }
}

TEST_P(PlainPlacesAt, LeaveAtomsThatHaveGoneFar)
{
    std::vector<Vec3> before = x_;
    before[7].y += 0.6;

    places_.place_in_units(grid_, x_, x_.data(), identity3(), 0.25);
    ASSERT_TRUE(GetParam() == SimdLevel::baseline || places_.is_left[7] == 0);
    places_.place_in_units(grid_, x_, before.data(), identity3(), 0.25);

    EXPECT_NE(places_.is_left[7], 0U);
}

INSTANTIATE_TEST_SUITE_P(EachLevel, PlainPlacesAt, testing::ValuesIn(supported_simd_levels()),
                         [](const auto& instance) { return std::string(name_of(instance.param)); });

} // namespace
} // namespace tessera
