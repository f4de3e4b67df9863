#include "engine/base/error.hpp"
#include "engine/cpu/place_grid.hpp"
#include "engine/cpu/position_grid.hpp"

#include <array>
#include <gtest/gtest.h>
#include <random>

namespace tessera
{
namespace
{

constexpr double reach = 2; // nm

Box oblique(double longest)
{
    return Box(Mat3{{{0.31 * longest, 0, 0},
                     {0.1 * longest, 0.57 * longest, 0},
                     {-0.14 * longest, 0.26 * longest, longest}}});
}

class PlaceGridOf : public ::testing::TestWithParam<double> {
protected:
    Box box_ = oblique(GetParam());
    PlaceGrid grid_{box_, reach};
    PositionGrid cell_{grid_.box()};
    std::mt19937_64 random_{11};

    GridPosition somewhere()
    {
        const auto below = [this](double edge) {
            const auto end = static_cast<std::uint64_t>(to_fixed(edge, fixed::position_scale));
            return static_cast<std::int64_t>(random_() % end);
        };
        const Mat3& h = grid_.box().vectors();
        return {below(h[0].x), below(h[1].y), below(h[2].z)};
    }
};

GridPosition sum(const GridPosition& a, const GridPosition& b)
{
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
GridPosition difference(const GridPosition& a, const GridPosition& b)
{
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}

TEST_P(PlaceGridOf, RoundsEveryImageAlike)
{
    for (int n = 0; n < 1000; ++n) {
        const GridPosition x = somewhere();
        for (const std::array<int, 3>& k :
             {std::array{1, 0, 0}, {-1, 1, 0}, {1, -1, 1}, {0, 1, -1}}) {
            const GridPosition shift = cell_.shift(k);

            EXPECT_EQ(grid_.rounded(sum(x, shift)), sum(grid_.rounded(x), shift));
        }
    }
}

TEST_P(PlaceGridOf, IsHeldByDoublesToTheBit)
{
    for (int n = 0; n < 1000; ++n) {
        const GridPosition a = grid_.rounded(somewhere()), b = grid_.rounded(somewhere());
        EXPECT_EQ(to_grid(to_nm(a)), a);
        for (const std::array<int, 3>& k : {std::array{1, 1, 1}, {0, 0, -1}, {-1, 1, -1}}) {
            const GridPosition image = sum(a, cell_.shift(k));
            if (grid_.holds_images()) {
                EXPECT_EQ(to_grid(to_nm(image)), image);
                EXPECT_EQ(to_grid(to_nm(image) - to_nm(b)), difference(image, b));
            }
        }
        EXPECT_EQ(to_grid(to_nm(a) - to_nm(b)), difference(a, b));
    }
}

TEST_P(PlaceGridOf, ItsCellIsItself)
{
    const PlaceGrid again(grid_.box(), reach);

    EXPECT_EQ(again.box(), grid_.box());
    EXPECT_EQ(cell_.box(), grid_.box());
    const GridPosition x = somewhere();
    EXPECT_EQ(again.rounded(x), grid_.rounded(x));
}

TEST_P(PlaceGridOf, IsMuchFinerThanAnyForceFeels)
{
    const GridPosition x = somewhere();
    const Vec3 d = to_nm(difference(grid_.rounded(x), x));

    EXPECT_LT(std::fabs(d.x) + std::fabs(d.y) + std::fabs(d.z), 4e-16 * GetParam() + 1e-18);
    EXPECT_EQ(grid_.is_master(), GetParam() < 25);
    EXPECT_EQ(grid_.is_master(), grid_.rounded({1, 1, 1}) == (GridPosition{1, 1, 1}));
}

INSTANTIATE_TEST_SUITE_P(Cells, PlaceGridOf,
                         ::testing::Values(3.0, 21.7, 30.9, 32.5, 37.2, 64.0001, 200.0, 1000.0,
                                           8192.0));

TEST(PlaceGrid, IsTheMastersInOpenSpace)
{
    EXPECT_TRUE(PlaceGrid(Box(), reach).is_master());
    EXPECT_FALSE(PlaceGrid(Box(), reach).box().is_periodic());
}

TEST(PlaceGrid, LeavesRoomForTheReachOfPairs)
{
    EXPECT_TRUE(PlaceGrid(oblique(22), 2).is_master());
    EXPECT_FALSE(PlaceGrid(oblique(22), 11).is_master());
}

TEST(PlaceGrid, EndsWhereNoCellIsLonger)
{
    EXPECT_THROW(PlaceGrid(oblique(8193), reach), InputError);
    EXPECT_THROW(PlaceGrid(oblique(40000), reach), InputError);
}

} // namespace
} // namespace tessera
