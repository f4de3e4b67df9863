#include "engine/math/constants.hpp"
#include "engine/physics/listed_terms.hpp"
#include "tests/support/term_types.hpp"

#include <array>
#include <gtest/gtest.h>
#include <string>
#include <vector>

// One value a term, by hand, with the arithmetic beside it: a formula that is off by a factor
// cannot pass. A term of the list without values here does not compile, and a sentence says so.

namespace tessera
{
namespace
{

using constants::pi;

// The numbers below are exact or have 13 digits.
constexpr double digits = 1e-12;

template <int N>
void expect(const Response<double, N>& found, double energy, const std::array<double, N>& slope)
{
    EXPECT_NEAR(found.energy, energy, digits * std::fabs(energy) + 1e-14);
    for (int k = 0; k < N; ++k) {
        const double s = slope[static_cast<std::size_t>(k)];
        EXPECT_NEAR(found.slope[k], s, digits * std::fabs(s) + 1e-13) << "slope " << k;
    }
}

template <int V>
void expect(const VectorResponse<double, V>& found, double energy,
            const std::array<Vec3, V>& gradient)
{
    EXPECT_NEAR(found.energy, energy, digits * std::fabs(energy));
    for (int v = 0; v < V; ++v) {
        const Vec3 g = gradient[static_cast<std::size_t>(v)];
        EXPECT_LE(norm(found.gradient[v] - g), digits * (norm(g) + 1)) << "gradient " << v;
    }
}

void hand_values(HarmonicBond*)
{
    expect<1>(HarmonicBond{1000, 0.1}(0.12), 0.2, {20}); // 500 * 0.02^2; 1000 * 0.02
}

void hand_values(G96Bond*)
{
    expect<1>(G96Bond{1e6, 0.1}(0.12), 4.84, {528}); // 0.0144 - 0.01 = 0.0044
}

void hand_values(MorseBond*)
{
    // exp(-20 ln 2/20) = 1/2: 400/4; 2 * 400 * 20/4
    expect<1>(MorseBond{400, 20, 0.1}(0.1 + std::log(2.0) / 20), 100, {4000});
}

void hand_values(CubicBond*)
{
    // d = 0.05: 2.5 - 0.25; 100 - 15
    expect<1>(CubicBond{1000, -2, 0.1}(0.15), 2.25, {85});
}

void hand_values(FeneBond*)
{
    // 1 - 0.36 = 0.64: -12.5 ln 0.64; 30/0.64
    expect<1>(FeneBond{100, 0.5}(0.3), 5.578588782855243, {46.875});
    EXPECT_FALSE(std::isfinite(FeneBond{100, 0.5}(0.5).energy));
    EXPECT_FALSE(std::isfinite(FeneBond{100, 0.5}(0.6).energy));
}

void hand_values(RestraintBond*)
{
    const RestraintBond bond{1000, 0.1, 0.2, 0.3};
    expect<1>(bond(0.08), 0.2, {-20});
    expect<1>(bond(0.15), 0, {0});
    expect<1>(bond(0.25), 1.25, {50});
    expect<1>(bond(0.4), 15, {100}); // 500 * 0.1 * (0.8 - 0.5)
}

void hand_values(HarmonicAngle*)
{
    expect<1>(HarmonicAngle{400, 1.5}(1.6), 2, {40}); // 200 * 0.1^2
}

void hand_values(G96Angle*)
{
    expect<1>(G96Angle{400, -0.25}(0.25), 50, {200}); // 200 * 0.5^2
}

void hand_values(CrossBondBond*)
{
    expect<2>(CrossBondBond{8000, 0.1, 0.11}(0.12, 0.1), -1.6, {-80, 160}); // 8000 * 0.02 * -0.01
}

void hand_values(CrossBondAngle*)
{
    // 8000 * 0.02 * (0.02 + 0.01)
    expect<3>(CrossBondAngle{8000, 0.1, 0.11, 0.17}(0.12, 0.12, 0.19), 4.8, {160, 160, 240});
}

void hand_values(UreyBradley*)
{
    expect<2>(UreyBradley{400, 1.5, 20000, 0.17}(1.6, 0.18), 3, {40, 200}); // 2 + 10000 * 0.01^2
}

void hand_values(QuarticAngle*)
{
    // d = 0.2: 1 + 0.4 + 0.12 + 0.032 + 0.008; 2 + 1.2 + 0.48 + 0.16
    expect<1>(QuarticAngle{1.5, 1, 2, 3, 4, 5}(1.7), 1.56, {3.84});
}

void hand_values(LinearAngle*)
{
    // 0.75 (0.2, 0.04, 0) - (0.1, 0, 0) = (0.05, 0.03, 0): 500 * 0.0034
    const Vec3 d[] = {{0.1, 0, 0}, {0.2, 0.04, 0}};
    expect<2>(LinearAngle{0.25, 1000}(d), 1.7, {{{-50, -30, 0}, {37.5, 22.5, 0}}});
}

void hand_values(RestrictedAngle*)
{
    // 20 * 1.1^2/0.64; 40 * 1.1 * (1 + 0.3)/0.64^2
    expect<1>(RestrictedAngle{40, -0.5}(0.6), 37.8125, {139.6484375});
    EXPECT_FALSE(std::isfinite(RestrictedAngle{40, -0.5}(1.0).energy));
    EXPECT_FALSE(std::isfinite(RestrictedAngle{40, -0.5}(-1.0).energy));
}

void hand_values(PeriodicDihedral*)
{
    // cos(2 pi/3 - pi/3) = 1/2; -5 * 2 * sin(pi/3)
    expect<1>(PeriodicDihedral{5, pi / 3, 2}(pi / 3), 7.5, {-8.660254037844386});
}

void hand_values(PeriodicImproper*)
{
    expect<1>(PeriodicImproper{5, pi, 2}(pi / 4), 5, {10}); // cos(-pi/2) = 0; -10 sin(-pi/2)
}

void hand_values(HarmonicImproper*)
{
    // -6.2 + 2 pi = 0.0831853071795865
    expect<1>(HarmonicImproper{100, 3.1}(-3.1), 0.34598976652810454, {8.318530717958605});
}

void hand_values(RyckaertBellemans*)
{
    // c = cos(pi/3 - pi) = -1/2: 1 - 1 + 0.75 - 0.5 + 0.3125 - 0.1875;
    // (2 - 3 + 3 - 2.5 + 1.875) sin(pi/3)
    expect<1>(RyckaertBellemans{1, 2, 3, 4, 5, 6}(pi / 3), 0.375, {1.190784930203603});
}

void hand_values(RestrictedDihedral*)
{
    // 5 * 1/0.75; 10 * (1 + 0.25)/0.75^(3/2)
    expect<1>(RestrictedDihedral{10, 0.5}(2 * pi / 3), 20.0 / 3, {19.245008972987527});
    EXPECT_FALSE(std::isfinite(RestrictedDihedral{10, 0.5}(0.0).energy));
    EXPECT_FALSE(std::isfinite(RestrictedDihedral{10, 0.5}(pi).energy));
}

void hand_values(CombinedBendingTorsion*)
{
    // sin^3 = 0.512 and 1; cos phi = 1/2: 2 (1 + 1.5 - 0.5 + 0.125 + 0.03125) = 4.3125;
    // -3 * 0.8 * 0.6 * 4.3125; 0; -0.512 * 2 (3 - 2 + 0.75 + 0.25) sin(pi/3)
    expect<3>(CombinedBendingTorsion{2, 1, 3, -2, 1, 0.5}(0.6, 0.0, pi / 3), 2.208,
              {-6.21, 0, -1.7736200269505302});
}

void hand_values(LennardJones14*)
{
    // r^6 = 1/64: 3e-6 * 4096 - 0.002 * 64; (6 * 0.128 - 12 * 0.012288)/0.5
    expect<1>(LennardJones14{0.002, 3e-6}(0.5), -0.115712, {1.241088});
}

void hand_values(Coulomb14*)
{
    expect<1>(Coulomb14{5}(0.25), 20, {-80});
}

void hand_values(PairLennardJones*)
{
    expect<1>(PairLennardJones{0.002, 3e-6}(0.5), -0.115712, {1.241088}); // as LennardJones14
}

void hand_values(PairCoulomb*)
{
    expect<1>(PairCoulomb{5}(0.25), 20, {-80});
}

void hand_values(Polarization*)
{
    expect<1>(Polarization{1e5}(0.01), 5, {1000});
}

void hand_values(AnharmonicPolarization*)
{
    expect<1>(AnharmonicPolarization{1000, 0.02, 1e6}(0.01), 0.05, {10});
    // 500 * 0.0144 + 1e6 * 0.1^4; 120 + 4e6 * 0.1^3
    expect<1>(AnharmonicPolarization{1000, 0.02, 1e6}(0.12), 107.2, {4120});
}

void hand_values(WaterPolarization*)
{
    // frame: e_x = -z, e_y = -y, e_z = x; S - D = (0.001, 0.002, 0.003):
    // (1e5 * 9e-6 + 2e5 * 4e-6 + 3e5 * 1e-6)/2
    const Vec3 d[] = {{0.06, 0.08, 0}, {0.06, -0.08, 0}, {0.02, 0, 0}, {0.021, 0.002, 0.003}};
    expect<4>(WaterPolarization{1e5, 2e5, 3e5, 0.16}(d), 1.0,
              {{{}, {}, {-300, -400, -300}, {300, 400, 300}}});
}

void hand_values(TholePolarization*)
{
    // U(r) = 130/r [1 - (1 + 5 r) exp(-10 r)]: U(0.3) - U(0.25) - U(0.4) + U(0.2);
    // U' = 130 [-1/r^2 + e/r^2 + 10 e/r + 50 e]
    expect<4>(TholePolarization{130, 10}(0.3, 0.25, 0.4, 0.2), 122.3586707003617,
              {-833.1698828167815, 948.8687189626746, 619.0410642377451, -1050.8016474050432});
}

void hand_values(PositionRestraint*)
{
    // (1000 * 1e-4 + 2000 * 4e-4 + 3000 * 9e-4)/2
    const Vec3 d[] = {{0.01, 0.02, 0.03}};
    expect<1>(PositionRestraint{1000, 2000, 3000, 0, 0, 0}(d), 1.8, {{{10, 40, 90}}});
}

void hand_values(Cmap*)
{
    Cmap map{4, std::vector<double>(16, 0.0)};
    map.values[4 * 1 + 3] = 2.5; // at phi = -pi/2, psi = pi/2
    const std::vector<double> nodes = cmap_nodes(map);
    EXPECT_NEAR((CmapSurface<double>{nodes.data(), 4}(-pi / 2, pi / 2).energy), 2.5, digits);
    EXPECT_NEAR((CmapSurface<double>{nodes.data(), 4}(pi / 2, -pi / 2).energy), 0.0, digits);
}

template <class Term>
concept WorkedOutByHand = requires(Term* term) { hand_values(term); };

template <class Term>
class TermValues : public ::testing::Test {
};
TYPED_TEST_SUITE(TermValues, support::AllTerms, support::TermNames);

TYPED_TEST(TermValues, AreThoseWorkedOutByHand)
{
    static_assert(WorkedOutByHand<TypeParam>,
                  "this term of listed_terms.hpp has no values worked out by hand: write "
                  "void hand_values(YourTerm*) above, with the arithmetic beside it");
    if constexpr (WorkedOutByHand<TypeParam>) {
        hand_values(static_cast<TypeParam*>(nullptr));
    }
}

} // namespace
} // namespace tessera
