#include "tests/engine/physics/term_geometry.hpp"
#include "tests/support/term_types.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <string>

// What holds for every term of the list. A new term is tested by being in it.

namespace tessera::test
{
namespace
{

template <class Term>
class ListedTerm : public ::testing::Test {
protected:
    const Term term = Term::typical();
    const Box open;
    static constexpr bool is_restraint = TermVectors<typename Term::Coordinates>::is_absolute;

    double energy(const Positions<Term>& x, const Box& box) const
    {
        return evaluate(term, box, x).energy;
    }
};
TYPED_TEST_SUITE(ListedTerm, support::AllTerms, support::TermNames);

// Central differences with a step of 1e-6 nm err by about 1e-12 U''' and 1e-16 U/1e-6: below 1e-6
// of the force for forces that vary over 0.01 nm.
constexpr double step = 1e-6;
constexpr double difference_tolerance = 1e-6;

// Sums of a handful of doubles.
constexpr double rounding = 1e-12;

TYPED_TEST(ListedTerm, ForceIsMinusTheGradient)
{
    const auto x = bent_chain<TypeParam>();
    const auto found = evaluate(this->term, this->open, x);

    const std::size_t first = has_rigid_frame<TypeParam>() ? x.size() - 1 : 0;
    ASSERT_GT(norm(found.force[first]), 0.0);
    for (std::size_t a = first; a < x.size(); ++a) {
        for (int k = 0; k < 3; ++k) {
            auto ahead = x, behind = x;
            ahead[a][k] += step;
            behind[a][k] -= step;
            const double slope =
                (this->energy(ahead, this->open) - this->energy(behind, this->open)) /
                (ahead[a][k] - behind[a][k]);
            EXPECT_NEAR(found.force[a][k], -slope,
                        difference_tolerance * (largest_force(found) + 1.0))
                << "atom " << a << " direction " << k;
        }
    }
}

TYPED_TEST(ListedTerm, ForcesSumToZero)
{
    if (this->is_restraint) {
        GTEST_SKIP() << "a restraint pulls from outside";
    }
    const auto found = evaluate(this->term, this->open, bent_chain<TypeParam>());

    Vec3 sum;
    for (const Vec3& f : found.force) {
        sum += f;
    }

    EXPECT_LE(norm(sum), rounding * largest_force(found));
}

TYPED_TEST(ListedTerm, TorquesSumToZero)
{
    if (this->is_restraint || has_rigid_frame<TypeParam>()) {
        GTEST_SKIP() << "the frame is fixed from outside";
    }
    const auto x = bent_chain<TypeParam>();
    const auto found = evaluate(this->term, this->open, x);

    Vec3 sum;
    for (std::size_t a = 0; a < x.size(); ++a) {
        sum += cross(x[a], found.force[a]);
    }

    EXPECT_LE(norm(sum), rounding * largest_force(found));
}

TYPED_TEST(ListedTerm, DoesNotChangeWhenAllAtomsAreTurnedAndMoved)
{
    if (this->is_restraint) {
        GTEST_SKIP() << "a restraint knows where it is";
    }
    const auto x = bent_chain<TypeParam>();
    const auto found = evaluate(this->term, this->open, x);
    auto moved = x;
    for (Vec3& atom : moved) {
        atom = turned(atom) + Vec3{0.4, -0.3, 0.2};
    }

    const auto again = evaluate(this->term, this->open, moved);

    EXPECT_NEAR(again.energy, found.energy, 1e-11 * (std::fabs(found.energy) + 1.0));
    for (std::size_t a = 0; a < x.size(); ++a) {
        EXPECT_LE(norm(again.force[a] - turned(found.force[a])),
                  1e-11 * (largest_force(found) + 1.0));
    }
}

TYPED_TEST(ListedTerm, DoesNotChangeWhenAtomsMoveByCellVectors)
{
    const Box box = tilted_box();
    const auto x = bent_chain<TypeParam>();
    const auto found = evaluate(this->term, box, x);
    auto moved = x;
    for (std::size_t a = 0; a < x.size(); ++a) {
        const int n = static_cast<int>(a);
        moved[a] += box.shift(n - 1, 2 - n, n % 2 == 0 ? 1 : -2);
    }

    const auto again = evaluate(this->term, box, moved);

    EXPECT_NEAR(found.energy, this->energy(x, this->open), rounding * std::fabs(found.energy));
    EXPECT_NEAR(again.energy, found.energy, 1e-11 * (std::fabs(found.energy) + 1.0));
    for (std::size_t a = 0; a < x.size(); ++a) {
        EXPECT_LE(norm(again.force[a] - found.force[a]), 1e-10 * (largest_force(found) + 1.0));
    }
}

/// Finite, or plainly not a number and the term states where it ends: never a quiet wrong force.
template <class Term>
void expect_finite_or_stated(const Evaluated<Term>& e, const char* geometry)
{
    bool finite = std::isfinite(e.energy);
    for (const Vec3& f : e.force) {
        finite = finite && std::isfinite(norm2(f));
    }
    if (!finite) {
        EXPECT_TRUE(requires { Term::domain; }) << Term::name << ": " << geometry;
    }
}

TYPED_TEST(ListedTerm, IsFiniteOrStatesItsDomainAtDegenerateGeometry)
{
    auto straight = bent_chain<TypeParam>();
    auto folded = straight, together = straight, right_angled = straight;
    for (std::size_t a = 0; a < straight.size(); ++a) {
        const auto n = static_cast<double>(a);
        straight[a] = {0.1 * n, 0, 0};
        folded[a] = {a % 2 == 0 ? 0.0 : 0.125, 0, a == 4 ? 0.125 : 0.0};
        together[a] = {0.25, 0.25, 0.25};
        right_angled[a] = {a > 1 ? 0.1 : 0.0, a > 0 ? 0.1 : 0.0, a > 3 ? 0.1 : 0.0};
    }

    expect_finite_or_stated(evaluate(this->term, this->open, straight), "straight");
    expect_finite_or_stated(evaluate(this->term, this->open, folded), "folded");
    expect_finite_or_stated(evaluate(this->term, this->open, together), "together");
    expect_finite_or_stated(evaluate(this->term, this->open, right_angled), "right-angled");
}

} // namespace
} // namespace tessera::test
