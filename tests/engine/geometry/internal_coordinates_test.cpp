#include "engine/geometry/internal_coordinates.hpp"
#include "engine/math/constants.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace tessera
{
namespace
{

using constants::pi;

template <class Kind, class... Vectors>
Measured<double, Kind::vectors> measure(Vectors... d)
{
    const Vec3 vectors[] = {d...};
    return Kind::measure(vectors);
}

template <class Kind, class... Vectors>
double value(Vectors... d)
{
    return measure<Kind>(d...).value;
}

using Distance = DistanceOf<0, 1>;
using Angle = AngleOf<0, 1, 2>;
using Cosine = CosAngleOf<0, 1, 2>;
using Dihedral = DihedralOf<0, 1, 2, 3>;

TEST(Distance, IsTheLengthAndItsGradientTheDirection)
{
    const auto found = measure<Distance>(Vec3{0.2, -0.1, 0.2}); // 2, -1, 2: length 3

    EXPECT_DOUBLE_EQ(found.value, 0.3);
    EXPECT_NEAR(norm(found.gradient[0] - Vec3{2.0 / 3, -1.0 / 3, 2.0 / 3}), 0.0, 1e-15);
}

TEST(Distance, OfCoincidentAtomsHasNoGradient)
{
    const auto found = measure<Distance>(Vec3{});

    EXPECT_EQ(found.value, 0.0);
    EXPECT_EQ(found.gradient[0], Vec3{});
}

TEST(Angle, OfUnitVectorsIsWhatTheyEnclose)
{
    EXPECT_DOUBLE_EQ(value<Angle>(Vec3{0.1, 0, 0}, Vec3{0, 0.3, 0}), pi / 2);
    EXPECT_DOUBLE_EQ(value<Angle>(Vec3{0.1, 0, 0}, Vec3{0.2, 0.2, 0}), pi / 4);
    EXPECT_DOUBLE_EQ(value<Cosine>(Vec3{0.1, 0, 0}, Vec3{0.1, 0.1 * std::sqrt(3.0), 0}), 0.5);
}

TEST(Angle, KeepsItsDigitsNearStraight)
{
    // pi - 1e-9 exactly to rounding; acos of the cosine would lose all of it
    EXPECT_NEAR(value<Angle>(Vec3{0.1, 0, 0}, Vec3{-0.1, 1e-10, 0}), pi - 1e-9, 1e-15);
}

TEST(Angle, HasNoGradientExactlyAtZeroAndPi)
{
    for (const double sign : {1.0, -1.0}) {
        const auto found = measure<Angle>(Vec3{0.1, 0, 0}, Vec3{sign * 0.2, 0, 0});

        EXPECT_DOUBLE_EQ(found.value, sign > 0 ? 0.0 : pi);
        EXPECT_EQ(found.gradient[0], Vec3{});
        EXPECT_EQ(found.gradient[1], Vec3{});
    }
}

TEST(CosineOfAngle, NeverLeavesItsRange)
{
    const Vec3 a{0.1234567, 0.7654321, -0.3141592};

    EXPECT_LE(value<Cosine>(a, 3.0 * a), 1.0);
    EXPECT_GE(value<Cosine>(a, -7.0 * a), -1.0);
}

// Chain i-j-k-l with i = (0,1,0), j = 0, k = (0,0,1) and l = k + (s, c, 0): looking along z the
// turn from y towards x is clockwise in a right-handed frame seen from j to k.
double dihedral_to(double x, double y)
{
    return value<Dihedral>(Vec3{0, -1, 0}, Vec3{0, 0, 1}, Vec3{x, y, 0});
}

TEST(Dihedral, FollowsTheIupacConvention)
{
    EXPECT_DOUBLE_EQ(dihedral_to(0, 1), 0.0);            // cis
    EXPECT_DOUBLE_EQ(std::fabs(dihedral_to(0, -1)), pi); // trans
    EXPECT_DOUBLE_EQ(dihedral_to(-1, 0), pi / 2);        // clockwise along j to k
    EXPECT_DOUBLE_EQ(dihedral_to(1, 0), -pi / 2);
    EXPECT_DOUBLE_EQ(dihedral_to(-std::sqrt(3.0), 1), pi / 3);
}

TEST(Dihedral, HasNoGradientWhereABondAngleIsStraight)
{
    const auto found = measure<Dihedral>(Vec3{0.1, 0, 0}, Vec3{0.1, 0, 0}, Vec3{0, 0.1, 0});

    EXPECT_EQ(found.value, 0.0);
    for (const Vec3& g : found.gradient) {
        EXPECT_EQ(g, Vec3{});
    }
}

/// Central differences over every component of every vector; 1e-9 is far above their error.
template <class Kind>
void expect_gradient(const Vec3 (&d)[static_cast<std::size_t>(Kind::vectors)])
{
    const auto found = Kind::measure(d);
    for (int v = 0; v < Kind::vectors; ++v) {
        for (int k = 0; k < 3; ++k) {
            Vec3 ahead[Kind::vectors], behind[Kind::vectors];
            for (int w = 0; w < Kind::vectors; ++w) {
                ahead[w] = behind[w] = d[w];
            }
            ahead[v][k] += 1e-5;
            behind[v][k] -= 1e-5;
            EXPECT_NEAR(found.gradient[v][k],
                        (Kind::measure(ahead).value - Kind::measure(behind).value) / 2e-5, 1e-8)
                << v << k;
        }
    }
}

TEST(InternalCoordinates, HaveGradientsThatAreTheirDerivatives)
{
    const Vec3 d[] = {{0.3, 0.8, -0.5}, {0.9, -0.2, 0.4}, {-0.1, 0.7, 0.6}};

    expect_gradient<Distance>({d[0]});
    expect_gradient<Angle>({d[0], d[1]});
    expect_gradient<Cosine>({d[0], d[1]});
    expect_gradient<Dihedral>({d[0], d[1], d[2]});
}

} // namespace
} // namespace tessera
