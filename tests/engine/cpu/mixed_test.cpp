#include "engine/cpu/long_range.hpp"
#include "engine/cpu/nonbonded.hpp"
#include "engine/cpu/position_grid.hpp"
#include "engine/cpu/smooth_ewald.hpp"
#include "engine/math/inverse_sqrt.hpp"
#include "engine/physics/pair/ewald.hpp"
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

const Mat3 tilted{{{2.6, 0, 0}, {0.9, 2.5, 0}, {-0.8, 0.7, 2.4}}};

struct Result {
    EnergySums energies;
    ForceSums forces;
};

Result evaluate_at(Nonbonded& nonbonded, const Box& box, const std::vector<Vec3>& x, int threads)
{
    Result result{{}, ForceSums(x.size(), SumMode::exact)};
    nonbonded.add_forces(box, x, {true, true}, threads, result.forces, result.energies);
    return result;
}

Result pairs(const Topology& topology, NonbondedSettings settings, Precision precision,
             const Box& box, const std::vector<Vec3>& x, int threads = 1)
{
    settings.precision = precision;
    Nonbonded nonbonded(topology, settings);
    EXPECT_EQ(nonbonded.has_tiles(), precision == Precision::mixed && !settings.lj_pme);
    nonbonded.search(box, x, threads);
    return evaluate_at(nonbonded, box, x, threads);
}

Result mesh(const Topology& topology, NonbondedSettings settings, Precision precision,
            const Mat3& cell, const std::vector<Vec3>& x, int threads = 1)
{
    settings.precision = precision;
    Result result{{}, ForceSums(x.size(), SumMode::exact)};
    LongRange part(topology, settings);
    part.add_forces(Box(cell), x, {true, true}, threads, result.forces, result.energies);
    return result;
}

/// Root mean square of the difference of forces over that of the forces.
double relative_error(const Result& a, const Result& reference)
{
    double error = 0, size = 0;
    for (std::size_t k = 0; k < a.forces.size(); ++k) {
        error += norm2(a.forces.force(k) - reference.forces.force(k));
        size += norm2(reference.forces.force(k));
    }
    return std::sqrt(error / size);
}

Topology small_mixture(int atoms)
{
    return mixture(atoms, mixed_table({0.25, 0.2, 0.0}, {0.65, 0.2, 0.0}));
}

struct Method {
    const char* name;
    NonbondedSettings settings;
};

std::vector<Method> methods()
{
    NonbondedSettings base;
    base.lj_cutoff = base.coulomb_cutoff = 1.0;
    base.lj_switch = 0.7;
    base.lj_modifier = LjModifier::none;
    base.electrostatics = Electrostatics::none;
    base.ewald_beta = 3.1;
    base.lj_ewald_beta = 2.7;
    base.pme_grid = {24, 24, 24};
    std::vector<Method> all;
    const auto add = [&](const char* name, auto change) {
        Method m{name, base};
        change(m.settings);
        all.push_back(m);
    };
    using S = NonbondedSettings;
    add("lj_plain", [](S&) {});
    add("lj_force_switch", [](S& s) { s.lj_modifier = LjModifier::force_switch; });
    add("lj_potential_switch", [](S& s) { s.lj_modifier = LjModifier::potential_switch; });
    add("coulomb_shifted", [](S& s) {
        s.electrostatics = Electrostatics::cutoff;
        s.coulomb_potential_shift = true;
    });
    add("reaction_field", [](S& s) { s.electrostatics = Electrostatics::reaction_field; });
    add("ewald", [](S& s) { s.electrostatics = Electrostatics::pme; });
    add("ewald_of_short_range", [](S& s) {
        s.electrostatics = Electrostatics::pme;
        s.ewald_beta = 4.9;
    });
    add("two_cutoffs", [](S& s) {
        s.electrostatics = Electrostatics::pme;
        s.lj_cutoff = 0.8;
    });
    add("lj_pme_stays_fp64", [](S& s) {
        s.electrostatics = Electrostatics::pme;
        s.lj_pme = true;
    });
    return all;
}

class MixedPairs : public testing::TestWithParam<Method> {};

/// docs/accuracy.md: at most 5e-6 of the root mean square force; the FP32 of the pair arithmetic
/// leaves some 1e-6, the integer quantum of 2^-14 kJ/mol/nm less.
TEST_P(MixedPairs, AgreesWithFp64ToFiveMillionths)
{
    const Method& m = GetParam();
    const Topology topology = small_mixture(120);
    const std::vector<Vec3> x = scattered(120, tilted, 0.2, 3);

    const Result mixed = pairs(topology, m.settings, Precision::mixed, Box(tilted), x);
    const Result fp64 = pairs(topology, m.settings, Precision::fp64, Box(tilted), x);

    EXPECT_LT(mixed.forces.out_of_range(), 0);
    EXPECT_LT(relative_error(mixed, fp64), 5e-6);
    if (!m.settings.lj_pme) {
        EXPECT_GT(relative_error(mixed, fp64), 1e-8); // FP32 has been at work
    }
    // energies are FP64 in both; the virial errs as forces do: sum of |x F| is some 1e4 kJ/mol
    EXPECT_TRUE(mixed.energies.energy(EnergyKind::lj) == fp64.energies.energy(EnergyKind::lj));
    EXPECT_TRUE(mixed.energies.energy(EnergyKind::coulomb_real) ==
                fp64.energies.energy(EnergyKind::coulomb_real));
    EXPECT_LT(support::largest_element(mixed.energies.virial() - fp64.energies.virial()), 0.05);
}

TEST_P(MixedPairs, KeepsItsBitsOnAnyNumberOfThreads)
{
    const Method& m = GetParam();
    const Topology topology = small_mixture(120);
    const std::vector<Vec3> x = scattered(120, tilted, 0.2, 4);

    const Result one = pairs(topology, m.settings, Precision::mixed, Box(tilted), x, 1);
    for (const int threads : {2, 3, 8}) {
        const Result many = pairs(topology, m.settings, Precision::mixed, Box(tilted), x, threads);
        EXPECT_TRUE(one.energies == many.energies);
        EXPECT_TRUE(one.forces.fixed() == many.forces.fixed());
    }
}

TEST_P(MixedPairs, KeepsItsBitsInWhicheverImageAtomsAreGiven)
{
    const Method& m = GetParam();
    const Topology topology = small_mixture(60);
    const std::vector<Vec3> x = scattered(60, tilted, 0.2, 5);
    const Box box(tilted);
    const PositionGrid grid(box);
    support::Dice dice(9);
    std::vector<Vec3> moved;
    for (const Vec3& p : x) {
        const auto k = [&] { return static_cast<int>(dice.between(-3, 4)); };
        moved.push_back(to_nm(to_grid(p)) + to_nm(grid.shift({k(), k(), k()})));
    }

    const Result here = pairs(topology, m.settings, Precision::mixed, box, x);
    const Result there = pairs(topology, m.settings, Precision::mixed, box, moved);

    EXPECT_TRUE(here.energies == there.energies);
    EXPECT_TRUE(here.forces.fixed() == there.forces.fixed());
}

TEST_P(MixedPairs, KeepsItsBitsAsTheListAges)
{
    NonbondedSettings settings = GetParam().settings;
    settings.precision = Precision::mixed;
    const Topology topology = small_mixture(63);
    const Box box(tilted);
    for (unsigned seed = 10; seed < 40; ++seed) {
        std::vector<Vec3> x = scattered(63, tilted, 0.2, 6);
        Nonbonded aged(topology, settings);
        aged.search(box, x);
        support::Dice dice(seed);
        for (Vec3& p : x) {
            p += dice.in_cube(0.025); // less than half the buffer; some cross a face of the cell
        }
        x[7] += 2.0 * box.vectors()[1]; // wrapped by the caller meanwhile
        ASSERT_FALSE(aged.needs_search(box, x));

        const Result old_list = evaluate_at(aged, box, x, 1);
        const Result new_list = pairs(topology, settings, Precision::mixed, box, x);

        ASSERT_TRUE(old_list.energies == new_list.energies);
        ASSERT_TRUE(old_list.forces.fixed() == new_list.forces.fixed());
    }
}

/// Tiles are chosen from the list when forces are first evaluated; they age with small moves, and
/// are chosen anew after larger ones: before two atoms have come nearer by their buffer, 0.03 nm.
TEST_P(MixedPairs, KeepsItsBitsAsTilesAreChosenFromTheListAndAge)
{
    NonbondedSettings settings = GetParam().settings;
    settings.precision = Precision::mixed;
    const Mat3 cell{{{3.3, 0, 0}, {0.9, 3.2, 0}, {-0.8, 0.7, 3.1}}};
    const int atoms = 903;
    const Topology topology = mixture(atoms);
    for (unsigned seed = 40; seed < 43; ++seed) {
        Box box(cell);
        std::vector<Vec3> x = scattered(atoms, cell, 0.2, seed);
        Nonbonded aged(topology, settings);
        aged.search(box, x);
        std::vector<Vec3> step_of; // half the atoms against the others: ways add up
        for (int a = 0; a < atoms; ++a) {
            step_of.push_back({a % 2 == 0 ? 0.0055 : -0.0055, 0, 0});
        }
        for (int step = 0; step < 6; ++step) {
            const Result old_tiles = evaluate_at(aged, box, x, 1);
            const Result new_list = pairs(topology, settings, Precision::mixed, box, x);
            ASSERT_TRUE(old_tiles.energies == new_list.energies) << seed << " " << step;
            ASSERT_TRUE(old_tiles.forces.fixed() == new_list.forces.fixed()) << seed << " " << step;

            for (std::size_t a = 0; a < x.size(); ++a) {
                x[a] += step_of[a];
            }
            x[7] += (step == 1 ? 1.0 : 0.0) * box.vectors()[1]; // wrapped by the caller
            box = Box((step == 3 ? 1.002 : 1.0001) * box.vectors());
            ASSERT_FALSE(aged.needs_search(box, x));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Methods, MixedPairs, testing::ValuesIn(methods()),
                         [](const auto& test) { return std::string(test.param.name); });

NonbondedSettings open_space()
{
    NonbondedSettings s;
    s.electrostatics = Electrostatics::cutoff;
    s.lj_modifier = LjModifier::none;
    s.lj_cutoff = s.coulomb_cutoff = 1.2;
    return s;
}

Topology two_charges()
{
    return free_atoms({1.0, 1.0}, {0, 0}, mixed_table({0.0}, {0.0}));
}

TEST(MixedPairs, HoldsFarFromTheOriginOfOpenSpace)
{
    const Topology topology = small_mixture(90);
    std::vector<Vec3> x = scattered(90, tilted, 0.2, 7);
    for (Vec3& p : x) {
        p += Vec3{1000, -3000, 20000}; // nm; 32 bits of 2^-23 nm hold 512
    }

    const Result mixed = pairs(topology, open_space(), Precision::mixed, Box(), x);
    const Result fp64 = pairs(topology, open_space(), Precision::fp64, Box(), x);

    EXPECT_LT(relative_error(mixed, fp64), 5e-6); // docs/accuracy.md
}

TEST(MixedPairs, NamesThePairWhoseForceLeavesTheRange)
{
    // ke/r^2 = 139 kJ/mol/nm at 1 nm: 1.39e5 at 0.0316 nm, beyond 131000; 1.23e5 at 0.0336 nm
    const auto force_at = [](double r) {
        return pairs(two_charges(), open_space(), Precision::mixed, Box(),
                     {Vec3{1, 1, 1}, Vec3{1, 1, 1 + r}})
            .forces;
    };
    const ForceSums broken = force_at(0.0316);
    EXPECT_EQ(std::min(broken.out_of_range(), broken.out_of_range_partner()), 0);
    EXPECT_EQ(std::max(broken.out_of_range(), broken.out_of_range_partner()), 1);
    EXPECT_GE(force_at(0.0).out_of_range(), 0); // infinite
    const ForceSums fits = force_at(0.0336);
    EXPECT_LT(fits.out_of_range(), 0);
    // positions are rounded to 1.2e-7 nm, 3.5e-6 of the distance, twice that of the force
    EXPECT_NEAR(fits.force(1).z, 138.93545764438196 / (0.0336 * 0.0336), 1.5);
}

TEST(MixedPairs, AreFp64WithoutCutOff)
{
    NonbondedSettings s = open_space();
    s.lj_cutoff = s.coulomb_cutoff = std::numeric_limits<double>::infinity();
    s.precision = Precision::mixed;
    EXPECT_FALSE(Nonbonded(two_charges(), s).has_tiles());
}

TEST(MixedPairs, TakeAFinerQuantumWithoutCharges)
{
    // argon: forces of some 10 kJ/mol/nm, on which 2^-14 would show as 5e-6
    const std::size_t n = 150;
    const Topology argon = free_atoms(std::vector<double>(n, 0.0), std::vector<std::int32_t>(n, 0),
                                      mixed_table({0.34}, {0.996}));
    const std::vector<Vec3> x = scattered(n, tilted, 0.3, 3);
    NonbondedSettings s = methods().front().settings;
    const Result mixed = pairs(argon, s, Precision::mixed, Box(tilted), x);
    for (const auto& f : mixed.forces.fixed()) {
        EXPECT_EQ(f[0] % (1 << (fixed::force_bits - fixed::pair_force_bits_uncharged)), 0);
    }
    EXPECT_LT(relative_error(mixed, pairs(argon, s, Precision::fp64, Box(tilted), x)), 5e-6);
}

class MixedMesh : public testing::TestWithParam<int> {};

/// The FP32 mesh errs by 3e-6 to 1e-5 of the reciprocal force.
TEST_P(MixedMesh, AgreesWithFp64)
{
    NonbondedSettings s = methods().front().settings;
    s.electrostatics = Electrostatics::pme;
    s.pme_order = GetParam();
    const Topology topology = small_mixture(120);
    const std::vector<Vec3> x = scattered(120, tilted, 0.2, 8);

    const Result mixed = mesh(topology, s, Precision::mixed, tilted, x);
    const Result fp64 = mesh(topology, s, Precision::fp64, tilted, x);

    const double error = relative_error(mixed, fp64);
    EXPECT_LT(error, 1e-5);
    EXPECT_GT(error, 1e-9); // FP32 has been at work
    const double energy = fp64.energies.energy(EnergyKind::coulomb_reciprocal);
    EXPECT_NEAR(mixed.energies.energy(EnergyKind::coulomb_reciprocal), energy, 1e-6 * energy);
}

TEST_P(MixedMesh, KeepsItsBitsOnAnyNumberOfThreads)
{
    NonbondedSettings s = methods().front().settings;
    s.electrostatics = Electrostatics::pme;
    s.pme_order = GetParam();
    s.pme_grid = {20, 21, 24};
    const Topology topology = small_mixture(120);
    const std::vector<Vec3> x = scattered(120, tilted, 0.2, 9);

    const Result one = mesh(topology, s, Precision::mixed, tilted, x, 1);
    for (const int threads : {2, 3, 8}) {
        const Result many = mesh(topology, s, Precision::mixed, tilted, x, threads);
        EXPECT_TRUE(one.energies == many.energies);
        EXPECT_TRUE(one.forces.fixed() == many.forces.fixed());
    }
}

INSTANTIATE_TEST_SUITE_P(Orders, MixedMesh, testing::Values(3, 4, 5, 6, 8));

TEST(MixedMesh, StopsWhereChargesCrowdBeyondItsRange)
{
    NonbondedSettings s = methods().front().settings;
    s.electrostatics = Electrostatics::pme;
    const std::size_t n = 100; // 100 e on one point of a range of 16 e
    const Topology topology = free_atoms(std::vector<double>(n, 1.0),
                                         std::vector<std::int32_t>(n, 0), mixed_table({0.3}, {0}));
    EXPECT_THROW(mesh(topology, s, Precision::mixed, tilted, std::vector<Vec3>(n, Vec3{1, 1, 1})),
                 PhysicsError);
}

TEST(InverseSqrt, ErrsByLessThanTwoRoundings)
{
    for (double x = 1e-6; x < 1e6; x *= 1.000173) {
        const auto rounded = static_cast<float>(x);
        const double exact = 1.0 / std::sqrt(static_cast<double>(rounded));
        ASSERT_NEAR(static_cast<double>(inverse_sqrt(rounded)) / exact, 1.0, 1.3e-7) << x;
    }
}

TEST(SmoothEwald, FollowsTheFormulaWithinTheRoundingOfFp32)
{
    for (const double beta : {2.3, 3.47, 4.4, 5.0}) {
        const auto smooth = make_smooth_ewald(beta, 1.0);
        ASSERT_TRUE(smooth.has_value());
        for (double r = 0.0; r < 1.0; r += 0.003) {
            const auto t = static_cast<float>(r * r * static_cast<double>(smooth->scale) - 1.0);
            float value = 0;
            for (std::size_t k = smooth->coefficient.size(); k-- > 0;) {
                value = std::fma(value, t, smooth->coefficient[k]);
            }
            const double exact = -ewald_excluded(1.0, r * r, beta).force_over_r;
            // s is at most 0.75; a few roundings of 6e-8
            ASSERT_NEAR(static_cast<double>(value), exact, 4e-7 * beta * beta * beta) << r;
        }
    }
    EXPECT_FALSE(make_smooth_ewald(12.0, 1.0).has_value());
}

} // namespace
} // namespace tessera
