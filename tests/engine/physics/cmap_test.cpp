#include "engine/math/constants.hpp"
#include "engine/physics/terms/cmap.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace tessera
{
namespace
{

using constants::pi;

class CmapInterpolation : public ::testing::Test {
protected:
    Cmap map = Cmap::typical();
    std::vector<double> nodes = cmap_nodes(map);
    CmapSurface<double> surface{nodes.data(), map.size};
    double spacing = 2 * pi / map.size;
};

TEST_F(CmapInterpolation, GivesTheTabulatedValuesAtTheNodes)
{
    for (int i = 0; i < map.size; ++i) {
        for (int j = 0; j < map.size; ++j) {
            // 1e-12: the angle of a node is off by an ulp
            EXPECT_NEAR(surface(-pi + i * spacing, -pi + j * spacing).energy,
                        map.values[static_cast<std::size_t>(i * map.size + j)], 1e-12);
        }
    }
}

TEST_F(CmapInterpolation, IsTheSameAtMinusPiAndPi)
{
    const Response<double, 2> left = surface(-pi, 0.3);
    const Response<double, 2> right = surface(pi, 0.3);

    EXPECT_NEAR(left.energy, right.energy, 1e-12);
    EXPECT_NEAR(left.slope[0], right.slope[0], 1e-12);
    EXPECT_NEAR(left.slope[1], right.slope[1], 1e-12);
}

TEST_F(CmapInterpolation, HasContinuousSlopesAcrossCells)
{
    const double edge = -pi + 5 * spacing;

    const Response<double, 2> below = surface(edge - 1e-9, 0.4);
    const Response<double, 2> above = surface(edge + 1e-9, 0.4);

    EXPECT_NEAR(below.slope[0], above.slope[0], 1e-7);
    EXPECT_NEAR(below.slope[1], above.slope[1], 1e-7);
}

// A periodic cubic spline through cos(x) on n points has at the nodes the slope -sin(x) times
// 3 sin(h)/(h (2 + cos(h))), h = 2 pi/n: put d_i = g sin(x_i) into d_(i-1) + 4 d_i + d_(i+1) =
// 3 (f_(i+1) - f_(i-1)).
TEST_F(CmapInterpolation, HasTheSlopesOfAPeriodicSpline)
{
    const int n = map.size;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            map.values[static_cast<std::size_t>(i * n + j)] = std::cos(-pi + i * spacing);
        }
    }
    const std::vector<double> wave = cmap_nodes(map);
    const double factor = 3 * std::sin(spacing) / (spacing * (2 + std::cos(spacing)));

    const Response<double, 2> found =
        CmapSurface<double>{wave.data(), n}(-pi + 4 * spacing, -pi + 7 * spacing);

    EXPECT_NEAR(found.slope[0], -factor * std::sin(-pi + 4 * spacing), 1e-13);
    EXPECT_NEAR(found.slope[1], 0.0, 1e-13);
}

// Half-way between nodes a cubic from values f0, f1 and slopes d0, d1 (per cell) is
// (f0 + f1)/2 + (d0 - d1)/8.
TEST_F(CmapInterpolation, IsCubicBetweenTheNodes)
{
    const int n = map.size;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            map.values[static_cast<std::size_t>(i * n + j)] = std::cos(-pi + j * spacing);
        }
    }
    const std::vector<double> wave = cmap_nodes(map);
    const double factor = 3 * std::sin(spacing) / (2 + std::cos(spacing)); // per cell
    const double at = -pi + 3 * spacing;

    const double found = CmapSurface<double>{wave.data(), n}(0.1, at + 0.5 * spacing).energy;

    EXPECT_NEAR(found,
                0.5 * (std::cos(at) + std::cos(at + spacing)) +
                    0.125 * factor * (std::sin(at + spacing) - std::sin(at)),
                1e-13);
}

} // namespace
} // namespace tessera
