#include "engine/cpu/listed.hpp"
#include "engine/cpu/virtual_sites.hpp"
#include "tests/oracle/evaluate.hpp"
#include "tests/oracle/virtual_sites.hpp"
#include "tests/support/geometries.hpp"
#include "tests/support/systems.hpp"
#include "tests/support/term_types.hpp"

#include <gtest/gtest.h>

// The engine's bonded terms and virtual sites against the oracle, on random chains of atoms that
// straddle the faces of a tilted cell.
namespace tessera
{
namespace
{

using support::Dice;

const Mat3 cell = {{{1.6, 0, 0}, {0.5, 1.5, 0}, {-0.6, 0.7, 1.7}}};

/// Both sides are FP64 sums of tens of roundings, amplified at most ~1/sin^3(0.4) = 17 times by the
/// angles that chain() allows.
constexpr double rounding = 1e-12;

/// N atoms one behind the other, 0.06 to 0.24 nm apart, no angle with a sine below 0.4.
std::vector<Vec3> chain(Dice& dice, int atoms)
{
    std::vector<Vec3> x{
        row_times({dice.between(0, 1), dice.between(0, 1), dice.between(0, 1)}, cell)};
    Vec3 last;
    while (static_cast<int>(x.size()) < atoms) {
        const Vec3 step = dice.in_cube(1.0);
        const double size = norm(step);
        const bool bent = x.size() == 1 || norm(cross(step, last)) > 0.4 * size * norm(last);
        if (size > 0.1 && size < 1 && bent) {
            last = (dice.between(0.06, 0.24) / size) * step;
            x.push_back(x.back() + last);
        }
    }
    return x;
}

template <class Term>
Term sample(Dice&)
{
    return Term::typical();
}
template <>
Cmap sample<Cmap>(Dice& dice)
{
    Cmap map;
    map.size = 24;
    for (int k = 0; k < 24 * 24; ++k) {
        map.values.push_back(dice.between(-5, 5));
    }
    return map;
}

template <class Term>
std::vector<Vec3> geometry(Dice& dice)
{
    return chain(dice, Term::atoms);
}
/// A symmetric water turned at random, D on its axis and S near D: only there is the frame square.
template <>
std::vector<Vec3> geometry<WaterPolarization>(Dice& dice)
{
    const std::vector<Vec3> x = chain(dice, 3);
    const Vec3 axis = (1 / norm(x[1] - x[0])) * (x[1] - x[0]);
    const Vec3 off = (x[2] - x[0]) - dot(x[2] - x[0], axis) * axis;
    const Vec3 side = (0.076 / norm(off)) * off;
    const Vec3 d = x[0] + 0.02 * axis;
    return {x[0], x[0] + 0.06 * axis - side, x[0] + 0.06 * axis + side, d, d + dice.in_cube(0.01)};
}

template <class Term>
class ListedTerm : public testing::Test {
};
TYPED_TEST_SUITE(ListedTerm, support::AllTerms, support::TermNames);

TYPED_TEST(ListedTerm, EqualsTheOracle)
{
    using Term = TypeParam;
    constexpr int entries = 60;
    Dice dice(17);
    const Box box(cell);
    std::vector<Vec3> x;
    Topology t;
    const Term term = sample<Term>(dice);
    for (int e = 0; e < entries; ++e) {
        std::array<std::int32_t, static_cast<std::size_t>(Term::atoms)> atom{};
        for (const Vec3& p : geometry<Term>(dice)) {
            atom[x.size() % atom.size()] = static_cast<std::int32_t>(x.size());
            x.push_back(box.wrap(p));
        }
        t.table<Term>().add(atom, term);
    }
    oracle::Answer expected(x.size());
    ForceSums forces(x.size(), SumMode::floating);
    EnergySums sums;

    oracle::add_listed(expected, t, cell, x);
    Listed(t).add_forces(box, x, {true, true}, 1, forces, sums);

    std::vector<Vec3> engine;
    std::vector<Vec3> textbook;
    for (std::size_t a = 0; a < x.size(); ++a) {
        engine.push_back(forces.force(a));
        textbook.push_back(expected.force(a));
    }
    EXPECT_GT(std::fabs(expected.of(Term::kind)), 1e-3);
    EXPECT_LT(support::relative_rms(engine, textbook), rounding);
    EXPECT_NEAR(sums.energy(Term::kind), expected.of(Term::kind),
                rounding * (entries + std::fabs(expected.of(Term::kind))));
    EXPECT_LT(support::largest_element(sums.virial() - expected.virial),
              rounding * (entries + support::largest_element(expected.virial)));
}

/// One site of each kind over four parents.
std::vector<VirtualSite> one_of_each()
{
    return {{VirtualSiteKind::site2, 4, {0, 1}, {0.3}},
            {VirtualSiteKind::site2fd, 5, {1, 0}, {0.07}},
            {VirtualSiteKind::site3, 6, {0, 1, 2}, {0.2, 0.4}},
            {VirtualSiteKind::site3fd, 7, {1, 0, 2}, {0.45, -0.05}},
            {VirtualSiteKind::site3fad, 8, {2, 1, 0}, {0.11, 1.9}},
            {VirtualSiteKind::site3out, 9, {0, 2, 3}, {0.2, 0.3, 5.0}},
            {VirtualSiteKind::site4fdn, 10, {0, 1, 2, 3}, {1.2, 0.8, 0.09}},
            {VirtualSiteKind::siten, 11, {0, 1, 2, 3}, {0.1, 0.2, 0.3, 0.4}},
            {VirtualSiteKind::site2, 12, {7, 10}, {0.5}}}; // a site of sites
}

TEST(VirtualSites, EqualTheOracleInPlaceForceAndVirial)
{
    Dice dice(23);
    const Box box(cell);
    for (int trial = 0; trial < 20; ++trial) {
        Topology t;
        t.virtual_sites = one_of_each();
        std::vector<Vec3> x = chain(dice, 4);
        for (Vec3& p : x) {
            p = box.wrap(p);
        }
        x.resize(13);
        oracle::Answer expected(x.size());
        ForceSums forces(x.size(), SumMode::floating);
        EnergySums sums;
        for (std::size_t a = 0; a < x.size(); ++a) {
            const Vec3 f = dice.in_cube(100);
            forces.add(a, f);
            expected.gradient[a] = -f;
        }

        const std::vector<Vec3> textbook = oracle::with_sites_built(t, cell, x);
        oracle::spread_sites(expected, t, cell, textbook);
        const VirtualSites sites(t);
        sites.construct(box, x);
        sites.spread(box, x, {false, true}, forces, sums);

        for (std::size_t a = 0; a < x.size(); ++a) {
            EXPECT_LT(norm(box.shortest(x[a] - textbook[a])), 1e-14); // nm: units in the last place
            EXPECT_LT(norm(forces.force(a) - expected.force(a)), rounding * 1000);
        }
        EXPECT_LT(support::largest_element(sums.virial() - expected.virial), rounding * 1000);
    }
}

} // namespace
} // namespace tessera
