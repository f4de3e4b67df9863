#include "engine/cpu/nonbonded.hpp"
#include "tests/oracle/nonbonded.hpp"
#include "tests/support/geometries.hpp"
#include "tests/support/systems.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace tessera
{
namespace
{

using support::free_atoms;
using support::mixed_table;
using support::mixture;
using support::scattered;

constexpr double infinite = std::numeric_limits<double>::infinity();

/// Production and oracle are both FP64 sums of some 10^4 pairs; the force grid of 2^-36 kJ/mol/nm
/// adds less than 1e-10 kJ/mol/nm a force.
constexpr double double_sums = 2e-12;

const Mat3 tilted{{{2.6, 0, 0}, {0.9, 2.5, 0}, {-0.8, 0.7, 2.4}}};

struct Result {
    EnergySums energies;
    ForceSums forces;
};

Result evaluate_at(Nonbonded& nonbonded, const Box& box, const std::vector<Vec3>& x,
                   int threads, SumMode mode = SumMode::exact)
{
    Result result{{}, ForceSums(x.size(), mode)};
    nonbonded.add_forces(box, x, {true, true}, threads, result.forces, result.energies);
    return result;
}

Result computed(const Topology& topology, const NonbondedSettings& settings, const Box& box,
                const std::vector<Vec3>& x, int threads = 1, SumMode mode = SumMode::exact)
{
    Nonbonded nonbonded(topology, settings);
    nonbonded.search(box, x, threads);
    return evaluate_at(nonbonded, box, x, threads, mode);
}

struct Method {
    const char* name;
    NonbondedSettings settings;
};

NonbondedSettings base_settings()
{
    NonbondedSettings s;
    s.lj_cutoff = 1.0;
    s.coulomb_cutoff = 1.0;
    s.lj_switch = 0.7;
    s.lj_modifier = LjModifier::none;
    s.electrostatics = Electrostatics::none;
    s.ewald_beta = 3.1;
    s.lj_ewald_beta = 2.7;
    return s;
}

std::vector<Method> methods()
{
    std::vector<Method> all;
    const auto add = [&](const char* name, auto change) {
        Method m{name, base_settings()};
        change(m.settings);
        all.push_back(m);
    };
    using S = NonbondedSettings;
    add("lj_plain", [](S&) {});
    add("lj_potential_shift", [](S& s) { s.lj_modifier = LjModifier::potential_shift; });
    add("lj_force_switch", [](S& s) { s.lj_modifier = LjModifier::force_switch; });
    add("lj_potential_switch", [](S& s) { s.lj_modifier = LjModifier::potential_switch; });
    add("coulomb_cutoff", [](S& s) { s.electrostatics = Electrostatics::cutoff; });
    add("coulomb_shifted", [](S& s) {
        s.electrostatics = Electrostatics::cutoff;
        s.coulomb_potential_shift = true;
    });
    add("reaction_field", [](S& s) { s.electrostatics = Electrostatics::reaction_field; });
    add("conducting_field", [](S& s) {
        s.electrostatics = Electrostatics::reaction_field;
        s.reaction_field_permittivity = infinite;
    });
    add("ewald", [](S& s) { s.electrostatics = Electrostatics::pme; });
    add("ewald_shifted", [](S& s) {
        s.electrostatics = Electrostatics::pme;
        s.coulomb_potential_shift = true;
    });
    add("longer_coulomb", [](S& s) {
        s.electrostatics = Electrostatics::pme;
        s.lj_cutoff = 0.8;
        s.lj_modifier = LjModifier::potential_shift;
    });
    add("longer_lj", [](S& s) {
        s.electrostatics = Electrostatics::reaction_field;
        s.coulomb_cutoff = 0.85;
        s.lj_modifier = LjModifier::force_switch;
    });
    add("lj_pme_geometric", [](S& s) { s.lj_pme = true; });
    add("lj_pme_lorentz_berthelot", [](S& s) {
        s.lj_pme = true;
        s.lj_combination = LjCombination::lorentz_berthelot;
        s.lj_modifier = LjModifier::potential_shift;
        s.electrostatics = Electrostatics::pme;
    });
    return all;
}

class EveryMethod : public testing::TestWithParam<Method> {};

TEST_P(EveryMethod, EqualsTheOracleInATiltedCell)
{
    const NonbondedSettings& settings = GetParam().settings;
    const Topology topology = mixture(61);
    const std::vector<Vec3> x = scattered(61, tilted, 0.17, 3);
    oracle::Answer expected(61);
    oracle::add_pairs(expected, topology, settings, oracle::Cell(tilted), x);

    const Result result = computed(topology, settings, Box(tilted), x, 2);

    double scale = 0;
    std::vector<Vec3> forces, expected_forces;
    for (std::size_t a = 0; a < 61; ++a) {
        forces.push_back(result.forces.force(a));
        expected_forces.push_back(expected.force(a));
        scale = std::fmax(scale, norm(expected.force(a)));
    }
    EXPECT_EQ(result.forces.out_of_range(), -1);
    for (const EnergyKind kind : {EnergyKind::lj, EnergyKind::coulomb_real}) {
        EXPECT_NEAR(result.energies.energy(kind), expected.of(kind), double_sums * (1.0 + scale))
            << name_of(kind);
    }
    EXPECT_LT(support::relative_rms(forces, expected_forces), double_sums);
    EXPECT_LT(support::largest_element(result.energies.virial() - expected.virial),
              double_sums * (1.0 + scale));
}

TEST_P(EveryMethod, HasTheSameBitsForAnyNumberOfThreads)
{
    const NonbondedSettings& settings = GetParam().settings;
    const Topology topology = mixture(64);
    const std::vector<Vec3> x = scattered(64, tilted, 0.17, 4);

    const Result one = computed(topology, settings, Box(tilted), x, 1);

    for (const int threads : {2, 3}) {
        const Result many = computed(topology, settings, Box(tilted), x, threads);
        EXPECT_TRUE(one.energies == many.energies);
        EXPECT_TRUE(one.forces.fixed() == many.forces.fixed());
    }
}

TEST_P(EveryMethod, IsBlindToWhichImageIsGiven)
{
    const NonbondedSettings& settings = GetParam().settings;
    const Topology topology = mixture(63);
    const Box box(tilted);
    const std::vector<Vec3> x = scattered(63, tilted, 0.17, 5);
    // the lattice of whole vectors on the grid of positions: a shift by them is exact
    const PositionGrid grid(box);
    support::Dice dice(9);
    std::vector<Vec3> moved;
    for (const Vec3& p : x) {
        const Vec3 on_grid = to_nm(to_grid(p));
        const auto k = [&] { return static_cast<int>(dice.between(-3, 4)); };
        moved.push_back(on_grid + to_nm(grid.shift({k(), k(), k()})));
    }

    const Result here = computed(topology, settings, box, x);
    const Result there = computed(topology, settings, box, moved);

    EXPECT_TRUE(here.energies == there.energies);
    EXPECT_TRUE(here.forces.fixed() == there.forces.fixed());
}

TEST_P(EveryMethod, KeepsItsBitsAsTheListAges)
{
    const NonbondedSettings& settings = GetParam().settings;
    const Topology topology = mixture(63);
    const Box box(tilted);
    std::vector<Vec3> x = scattered(63, tilted, 0.19, 6);
    Nonbonded aged(topology, settings);
    aged.search(box, x);
    support::Dice dice(10);
    for (Vec3& p : x) {
        p += dice.in_cube(0.025); // less than half the buffer
    }
    x[7] += 2.0 * box.vectors()[1]; // wrapped by the caller meanwhile
    ASSERT_FALSE(aged.needs_search(box, x));

    const Result old_list = evaluate_at(aged, box, x, 1);
    const Result new_list = computed(topology, settings, box, x);

    EXPECT_TRUE(old_list.energies == new_list.energies);
    EXPECT_TRUE(old_list.forces.fixed() == new_list.forces.fixed());
}

TEST_P(EveryMethod, FloatingSumsAgreeWithExactOnes)
{
    const NonbondedSettings& settings = GetParam().settings;
    const Topology topology = mixture(30);
    const std::vector<Vec3> x = scattered(30, tilted, 0.19, 8);

    const Result exact = computed(topology, settings, Box(tilted), x, 1);
    const Result floating = computed(topology, settings, Box(tilted), x, 2, SumMode::floating);

    for (std::size_t a = 0; a < 30; ++a) {
        EXPECT_LT(norm(exact.forces.force(a) - floating.forces.force(a)),
                  double_sums * (1.0 + norm(exact.forces.force(a))) + 1e-9);
    }
    EXPECT_LT(support::largest_element(exact.energies.virial() - floating.energies.virial()), 1e-8);
}

INSTANTIATE_TEST_SUITE_P(Methods, EveryMethod, testing::ValuesIn(methods()),
                         [](const auto& test) { return std::string(test.param.name); });

/// One Lennard-Jones type.
Topology argon(int atoms)
{
    return free_atoms(std::vector<double>(static_cast<std::size_t>(atoms), 0.0),
                      std::vector<std::int32_t>(static_cast<std::size_t>(atoms), 0),
                      mixed_table({0.34}, {0.996}));
}

NonbondedSettings plain_lj(double cutoff)
{
    NonbondedSettings s = base_settings();
    s.lj_cutoff = s.coulomb_cutoff = cutoff;
    return s;
}

TEST(Nonbonded, FindsAPairAcrossATiltedCellAtEveryImage) // known fault B11
{
    const Box box(Mat3{{{4, 0, 0}, {2, 3.4641, 0}, {0, 0, 4}}});
    const Vec3 first{0.1, 0.2, 0.3};
    for (int n = 0; n < 343; ++n) {
        const Vec3 second =
            first + Vec3{-0.5, -0.6, 0.3} + box.shift(n % 7 - 3, n / 7 % 7 - 3, n / 49 - 3);

        const Result r = computed(argon(2), plain_lj(1.2), box, {first, second});

        EXPECT_NEAR(r.energies.energy(EnergyKind::lj), -0.01786233858438,
                    1e-12); // the grid of energies is 2^-40 kJ/mol
    }
}

/// A truncated octahedron of this edge.
Box octahedron(double edge)
{
    return Box::from_lengths_and_angles({edge, edge, edge},
                                        {70.528779365509, 109.471220634491, 70.528779365509});
}

TEST(Nonbonded, FindsTheSamePairsInAnOctahedronWhereverAtomsAreDrawn) // known fault B11 b, c
{
    struct Case {
        double edge;
        int atoms;
        double apart;
    };
    for (const Case& c : {Case{4, 1000, 0.3}, Case{30, 40, 0.3}}) {
        const Box box = octahedron(c.edge);
        const PositionGrid grid(box);
        std::vector<Vec3> x =
            scattered(static_cast<std::size_t>(c.atoms), box.vectors(), c.apart, 21);
        support::Dice dice(22);
        std::vector<Vec3> moved;
        for (Vec3& p : x) {
            const auto k = [&] { return static_cast<int>(dice.between(-3, 4)); };
            p = to_nm(to_grid(p));
            moved.push_back(p + to_nm(grid.shift({k(), k(), k()})));
        }

        const Result here = computed(argon(c.atoms), plain_lj(1.2), box, x);
        const Result there = computed(argon(c.atoms), plain_lj(1.2), box, moved);

        EXPECT_TRUE(here.forces.fixed() == there.forces.fixed());
        EXPECT_TRUE(here.energies == there.energies);
    }
}

TEST(Nonbonded, HasForcesThatDoNotDependOnTheListBuffer) // known fault B12
{
    const Box box = octahedron(3.381);
    const std::vector<Vec3> x = scattered(500, box.vectors(), 0.25, 31);
    std::vector<Result> results;
    for (const double buffer : {0.05001, 0.052, 0.0}) {
        NonbondedSettings s = plain_lj(0.7);
        s.list_buffer = buffer;
        Nonbonded nonbonded(argon(500), s);
        nonbonded.search(box, x);
        results.push_back(evaluate_at(nonbonded, box, x, 1));
    }

    EXPECT_TRUE(results[0].forces.fixed() == results[1].forces.fixed());
    EXPECT_TRUE(results[0].forces.fixed() == results[2].forces.fixed());
    EXPECT_TRUE(results[0].energies == results[2].energies);
}

TEST(Nonbonded, PlacesAtomsOnAndFarBeyondTheFaces) // known fault B13
{
    for (const Mat3& cell : {Mat3{{{3, 0, 0}, {0, 3, 0}, {0, 0, 3}}},
                             Mat3{{{3, 0, 0}, {1.5, 3, 0}, {-1.0, 1.25, 3}}}}) {
        for (int axis = 0; axis < 3; ++axis) {
            for (const double at :
                 {-1e-9, -0.0, 0.0, 1.5, -1.5, 3.0, 2.9999999, -8.229, 13.132, 3e5}) {
                Vec3 a{0.7, 0.7, 0.7};
                a[axis] = at;
                Vec3 b = a;
                b[(axis + 1) % 3] += 0.4;

                const Result r = computed(argon(2), plain_lj(1.2), Box(cell), {a, b});

                // 3e5 nm has an ulp of 6e-11 nm, and dU/dr is about 3 kJ/mol/nm here
                EXPECT_NEAR(r.energies.energy(EnergyKind::lj), -0.9358725098195, 1e-9)
                    << "axis " << axis << " at " << at;
            }
        }
    }
}

TEST(Nonbonded, GivesTheSameEnergyFarFromTheOriginInOpenSpace) // known fault B45 a
{
    std::vector<Vec3> x;
    for (int a = 0; a < 50; ++a) {
        x.push_back({0.375 * (a % 4), 0.375 * (a / 4 % 4), 0.375 * (a / 16)});
    }
    std::vector<Vec3> far = x;
    for (Vec3& p : far) {
        p += Vec3{1e4, 1e4, 1e4};
    }

    const Result near_origin = computed(argon(50), plain_lj(infinite), Box(), x);
    const Result far_away = computed(argon(50), plain_lj(infinite), Box(), far);

    EXPECT_EQ(near_origin.energies.energy(EnergyKind::lj),
              far_away.energies.energy(EnergyKind::lj));
    EXPECT_TRUE(near_origin.forces.fixed() == far_away.forces.fixed());
}

TEST(Nonbonded, RefusesACutoffBeyondHalfTheShortestHeight) // known fault B39
{
    const Box dodecahedron(Mat3{{{3.39, 0, 0}, {0, 3.39, 0}, {1.695, 1.695, 2.397092}}});
    const std::vector<Vec3> x{{0, 0, 0}, {1, 1, 1}};
    for (const double cutoff : {1.19, 1.1985}) {
        EXPECT_NO_THROW(computed(argon(2), plain_lj(cutoff), dodecahedron, x));
    }
    for (const double cutoff : {1.2, 1.6}) {
        try {
            computed(argon(2), plain_lj(cutoff), dodecahedron, x);
            FAIL() << "accepted " << cutoff;
        } catch (const InputError& e) {
            const std::string text = e.what();
            EXPECT_NE(text.find("half its shortest height is 1.198546"), std::string::npos) << text;
        }
    }
}

TEST(Nonbonded, RefusesAnEwaldSumWithoutCell)
{
    NonbondedSettings s = base_settings();
    s.electrostatics = Electrostatics::pme;

    EXPECT_THROW(computed(argon(2), s, Box(), {{0, 0, 0}, {1, 1, 1}}), InputError);
}

TEST(Nonbonded, MarksForcesBeyondTheGridInsteadOfWrapping) // known fault B35
{
    for (const double r : {0.0, 1e-10, 0.05, 0.09}) {
        const Result exact = computed(argon(2), plain_lj(infinite), Box(), {{0, 0, 0}, {r, 0, 0}});
        EXPECT_GE(exact.forces.out_of_range(), 0) << r;
    }

    const Result floating = computed(argon(2), plain_lj(infinite), Box(), {{0, 0, 0}, {0.05, 0, 0}},
                                     1, SumMode::floating);
    const double s6 = std::pow(0.34 / 0.05, 6);
    const double expected = 4 * 0.996 * (12 * s6 * s6 - 6 * s6) / 0.05;
    // 0.05 nm is rounded by up to 2^-49 nm, and the force goes with r^-13
    EXPECT_NEAR(floating.forces.force(1).x / expected, 1.0, 1e-12);
}

TEST(Nonbonded, RoundsLargeForcesWithinTheGridBySlowPath)
{
    const double r = 0.16; // some 10^6 kJ/mol/nm: beyond the fast rounding, within the grid
    const Result result = computed(argon(2), plain_lj(infinite), Box(), {{0, 0, 0}, {r, 0, 0}});
    const double s6 = std::pow(0.34 / r, 6);
    const double expected = 4 * 0.996 * (12 * s6 * s6 - 6 * s6) / r;

    ASSERT_GT(expected, 8192.0);
    EXPECT_EQ(result.forces.out_of_range(), -1);
    EXPECT_NEAR(result.forces.force(1).x / expected, 1.0, 1e-12);
}

TEST(Nonbonded, CountsTheFourthPowerOfIons)
{
    Topology t = argon(2);
    t.pairs.c4 = {0.01};
    const double r = 0.5;

    const Result with = computed(t, plain_lj(0.9), Box(Mat3{{{2, 0, 0}, {0, 2, 0}, {0, 0, 2}}}),
                                 {{0, 0, 0}, {r, 0, 0}});
    const Result without =
        computed(argon(2), plain_lj(0.9), Box(Mat3{{{2, 0, 0}, {0, 2, 0}, {0, 0, 2}}}),
                 {{0, 0, 0}, {r, 0, 0}});

    EXPECT_NEAR(with.energies.energy(EnergyKind::lj) - without.energies.energy(EnergyKind::lj),
                -0.01 / std::pow(r, 4), 1e-12);
    EXPECT_NEAR(with.forces.force(1).x - without.forces.force(1).x, -4 * 0.01 / std::pow(r, 5),
                1e-10);
}

TEST(Nonbonded, AsksForASearchWhenAtomsOrCellMoved)
{
    const Box box(Mat3{{{3, 0, 0}, {0, 3, 0}, {0, 0, 3}}});
    std::vector<Vec3> x = scattered(40, box.vectors(), 0.3, 2);
    NonbondedSettings s = plain_lj(1.0);
    s.list_buffer = 0.1;
    Nonbonded nonbonded(argon(40), s);
    EXPECT_TRUE(nonbonded.needs_search(box, x));
    nonbonded.search(box, x);
    EXPECT_FALSE(nonbonded.needs_search(box, x));

    std::vector<Vec3> moved = x;
    moved[3].x += 0.0499;
    EXPECT_FALSE(nonbonded.needs_search(box, moved));
    moved[3].x += 0.0002;
    EXPECT_TRUE(nonbonded.needs_search(box, moved));

    const auto scaled = [&](double factor) {
        std::vector<Vec3> y = x;
        for (Vec3& p : y) {
            p *= factor;
        }
        return y;
    };
    const auto cube = [](double edge) {
        return Box(Mat3{{{edge, 0, 0}, {0, edge, 0}, {0, 0, edge}}});
    };
    EXPECT_FALSE(nonbonded.needs_search(cube(3 * 0.99), scaled(0.99)));
    EXPECT_TRUE(nonbonded.needs_search(cube(3 * 0.90), scaled(0.90)));
}

TEST(Nonbonded, FindsEveryPairAfterTheCellHasShrunk)
{
    const Box before(Mat3{{{3, 0, 0}, {0.5, 3, 0}, {0, 0.4, 3}}});
    std::vector<Vec3> x = scattered(200, before.vectors(), 0.25, 12);
    Nonbonded nonbonded(argon(200), plain_lj(1.0));
    nonbonded.search(before, x);
    Mat3 h = before.vectors();
    for (int k = 0; k < 3; ++k) {
        h[k] *= 0.985;
    }
    const Box after(h);
    for (Vec3& p : x) {
        p *= 0.985;
    }
    ASSERT_FALSE(nonbonded.needs_search(after, x));

    const Result old_list = evaluate_at(nonbonded, after, x, 1);
    const Result new_list = computed(argon(200), plain_lj(1.0), after, x);

    EXPECT_TRUE(old_list.energies == new_list.energies);
    EXPECT_TRUE(old_list.forces.fixed() == new_list.forces.fixed());
}

TEST(Nonbonded, GivesALatticeTheSameEnergyAnAtomAtEverySize) // known fault B36
{
    double first = 0;
    for (const int n : {8, 32}) {
        const double edge = 0.4 * n;
        std::vector<Vec3> x;
        for (int k = 0; k < n * n * n; ++k) {
            x.push_back({0.4 * (k % n), 0.4 * (k / n % n), 0.4 * (k / (n * n))});
        }

        const Result r = computed(argon(n * n * n), plain_lj(1.0),
                                  Box(Mat3{{{edge, 0, 0}, {0, edge, 0}, {0, 0, edge}}}), x, 2);

        const double energy = r.energies.energy(EnergyKind::lj) / (n * n * n);
        first = n == 8 ? energy : first;
        EXPECT_NEAR(energy, first, 1e-11); // a pair is rounded to 2^-40, coordinates to 2^-49
        double largest = 0;
        for (std::size_t a = 0; a < x.size(); ++a) {
            largest = std::fmax(largest, norm(r.forces.force(a)));
        }
        EXPECT_LT(largest, 1e-9); // forces of 0.4 nm apart change by 1e3 kJ/mol/nm a nm
    }
}

} // namespace
} // namespace tessera
