#include "engine/math/constants.hpp"
#include "engine/math/mat3.hpp"
#include "engine/physics/virtual_sites.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace tessera
{
namespace
{

using constants::pi;

/// Calls f(formula, parameters, name) for every formula.
template <class F>
void for_each_formula(F&& f)
{
    using namespace virtual_site;
    const std::vector<double> weights{0.2, 0.35, 0.15}, distance{0.11}, fraction{0.4, 0.11},
        angle{0.11, 1.2}, out{0.3, 0.25, 4.0}, four{0.9, 1.1, 0.11};
    f(Linear{3}, 3, weights.data(), "linear");
    f(FixedDistance2{}, 1, distance.data(), "2fd");
    f(FixedDistance3{}, 2, fraction.data(), "3fd");
    f(FixedAngle3{}, 2, angle.data(), "3fad");
    f(OutOfPlane3{}, 2, out.data(), "3out");
    f(FixedDistance4{}, 3, four.data(), "4fdn");
}

std::vector<Vec3> parents()
{
    return {{0.097, 0.013, -0.021}, {-0.034, 0.102, 0.017}, {0.028, -0.041, 0.093}};
}

const Vec3 force{130, -250, 90};

/// Central differences with 1e-6 nm: about 1e-9 of a force of some hundreds.
constexpr double tolerance = 1e-6;

// With U = -F.offset, dU/dd_k = -F_k.
TEST(VirtualSiteFormula, SpreadsTheForceByTheDerivativeOfItsPlace)
{
    for_each_formula([](const auto& formula, int count, const double* p, const char* name) {
        const auto d = parents();
        std::vector<Vec3> spread(3);

        formula.spread(p, d.data(), force, spread.data());

        for (int k = 0; k < count; ++k) {
            for (int c = 0; c < 3; ++c) {
                auto ahead = d, behind = d;
                ahead[static_cast<std::size_t>(k)][c] += 1e-6;
                behind[static_cast<std::size_t>(k)][c] -= 1e-6;
                const double slope =
                    dot(force, formula.offset(p, ahead.data()) - formula.offset(p, behind.data())) /
                    2e-6;
                EXPECT_NEAR(spread[static_cast<std::size_t>(k)][c], slope, tolerance)
                    << name << " parent " << k + 1 << " direction " << c;
            }
        }
    });
}

TEST(VirtualSiteFormula, KeepsTheTorque)
{
    for_each_formula([](const auto& formula, int count, const double* p, const char* name) {
        const auto d = parents();
        std::vector<Vec3> spread(3);

        formula.spread(p, d.data(), force, spread.data());

        Vec3 torque = -cross(formula.offset(p, d.data()), force);
        for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
            torque += cross(d[k], spread[k]);
        }
        EXPECT_LE(norm(torque), 1e-13 * norm(force)) << name;
    });
}

TEST(VirtualSiteFormula, PlacesSitesWhereHandArithmeticDoes)
{
    using namespace virtual_site;
    const Vec3 d[] = {{0.3, 0, 0}, {0, 0.4, 0}, {0, 0, 0.5}};
    const auto expect_at = [](const Vec3& found, const Vec3& expected) {
        EXPECT_LE(norm(found - expected), 1e-15);
    };

    const double weights[] = {0.1, 0.2, 0.3};
    expect_at(Linear{3}.offset(weights, d), {0.03, 0.08, 0.15});
    const double length[] = {0.15};
    expect_at(FixedDistance2{}.offset(length, d), {0.15, 0, 0});
    const double half[] = {0.5, 0.25}; // r = (0.15, 0.2, 0): length 0.25
    expect_at(FixedDistance3{}.offset(half, d), {0.15, 0.2, 0});
    const double angle[] = {0.2, pi / 6}; // t = (-0.3, 0.4, 0), its part across x is y
    expect_at(FixedAngle3{}.offset(angle, d), {0.1 * std::sqrt(3.0), 0.1, 0});
    const double out[] = {0.1, 0.2, 2.0}; // d1 x d2 = (0, 0, 0.12)
    expect_at(OutOfPlane3{}.offset(out, d), {0.03, 0.08, 0.24});
    // (0, 0.4, 0) - (0.3, 0, 0) times (0, 0, 0.5) - (0.3, 0, 0): (0.2, 0.15, 0.12)
    const double four[] = {1, 1, 1.0};
    const double size = std::sqrt(0.04 + 0.0225 + 0.0144);
    expect_at(FixedDistance4{}.offset(four, d), {0.2 / size, 0.15 / size, 0.12 / size});
}

TEST(VirtualSiteFormula, IsNotFiniteWhereParentsLeaveItUndefined)
{
    using namespace virtual_site;
    const Vec3 line[] = {{0.1, 0, 0}, {0.2, 0, 0}, {0.3, 0, 0}};
    const Vec3 together[] = {{}, {}, {}};
    const double p[] = {0.5, 0.6, 0.7};

    EXPECT_FALSE(std::isfinite(FixedDistance2{}.offset(p, together).x));
    EXPECT_FALSE(std::isfinite(FixedDistance3{}.offset(p, together).x));
    EXPECT_FALSE(std::isfinite(FixedAngle3{}.offset(p, line).x));
    EXPECT_FALSE(std::isfinite(FixedDistance4{}.offset(p, line).x));
}

} // namespace
} // namespace tessera
