#include "engine/cpu/dispersion_correction.hpp"
#include "engine/cpu/long_range.hpp"
#include "engine/cpu/nonbonded.hpp"
#include "engine/plans/pme_plan.hpp"
#include "tests/oracle/nonbonded.hpp"
#include "tests/support/geometries.hpp"
#include "tests/support/systems.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace tessera
{
namespace
{

using support::exclude;
using support::free_atoms;
using support::mixed_table;
using support::scattered;

const Mat3 tilted{{{2.6, 0, 0}, {0.9, 2.5, 0}, {-0.8, 0.7, 2.4}}};
const Mat3 cube3{{{3, 0, 0}, {0, 3, 0}, {0, 0, 3}}};

struct Result {
    EnergySums energies;
    ForceSums forces;
    [[nodiscard]] double of(EnergyKind kind) const { return energies.energy(kind); }
};

/// The mesh or wave part alone.
Result long_range(const Topology& topology, const NonbondedSettings& settings, const Mat3& cell,
                  const std::vector<Vec3>& x, int threads = 1)
{
    Result result{{}, ForceSums(x.size(), SumMode::exact)};
    LongRange part(topology, settings);
    part.add_forces(Box(cell), x, {true, true}, threads, result.forces, result.energies);
    return result;
}

/// Pairs, corrections and mesh.
Result whole(const Topology& topology, const NonbondedSettings& settings, const Mat3& cell,
             const std::vector<Vec3>& x)
{
    Result result = long_range(topology, settings, cell, x);
    Nonbonded pairs(topology, settings);
    pairs.search(Box(cell), x);
    pairs.add_forces(Box(cell), x, {true, true}, 1, result.forces, result.energies);
    return result;
}

NonbondedSettings pme_settings(double beta, std::array<int, 3> grid, int order)
{
    NonbondedSettings s;
    s.lj_cutoff = s.coulomb_cutoff = 1.0;
    s.lj_modifier = LjModifier::none;
    s.electrostatics = Electrostatics::pme;
    s.ewald_beta = beta;
    s.lj_ewald_beta = 2.4;
    s.pme_grid = grid;
    s.pme_order = order;
    return s;
}

/// Atoms of three types with charges that do not cancel.
Topology mixture(int atoms)
{
    std::vector<double> charge;
    std::vector<std::int32_t> type;
    for (int a = 0; a < atoms; ++a) {
        charge.push_back(a % 3 == 0 ? -0.8 : 0.4 + 0.02 * (a % 5));
        type.push_back(a % 3);
    }
    return free_atoms(charge, type, mixed_table({0.3, 0.2, 0.0}, {0.65, 0.2, 0.0}));
}

std::vector<Vec3> forces_of(const Result& r, std::size_t n)
{
    std::vector<Vec3> f;
    for (std::size_t a = 0; a < n; ++a) {
        f.push_back(r.forces.force(a));
    }
    return f;
}

TEST(Ewald, EqualsTheOracleInATiltedCell)
{
    const Topology topology = mixture(20);
    const std::vector<Vec3> x = scattered(20, tilted, 0.2, 1);
    NonbondedSettings s = pme_settings(2.0, {0, 0, 0}, 4);
    s.electrostatics = Electrostatics::ewald;
    oracle::Answer expected(20);
    oracle::add_reciprocal(expected, topology, s, oracle::Cell(tilted), x);

    const Result r = long_range(topology, s, tilted, x, 2);

    const double size = std::fabs(expected.of(EnergyKind::coulomb_reciprocal));
    std::vector<Vec3> expected_forces;
    for (std::size_t a = 0; a < 20; ++a) {
        expected_forces.push_back(expected.force(a));
    }
    // sums of some thousand waves
    EXPECT_NEAR(r.of(EnergyKind::coulomb_reciprocal) / size,
                expected.of(EnergyKind::coulomb_reciprocal) / size, 1e-12);
    EXPECT_LT(support::relative_rms(forces_of(r, 20), expected_forces), 1e-11);
    EXPECT_LT(support::largest_element(r.energies.virial() - expected.virial) / size, 1e-12);
}

TEST(Pme, ConvergesToTheEwaldSumInATiltedCell)
{
    const Topology topology = mixture(20);
    const std::vector<Vec3> x = scattered(20, tilted, 0.2, 1);
    NonbondedSettings s = pme_settings(2.0, {64, 60, 60}, 12);
    NonbondedSettings exact = s;
    exact.electrostatics = Electrostatics::ewald;

    const Result mesh = long_range(topology, s, tilted, x);
    const Result waves = long_range(topology, exact, tilted, x);

    const double size = std::fabs(waves.of(EnergyKind::coulomb_reciprocal));
    // order 12 on a spacing of 0.04 nm at beta 2/nm: the spline's error is below 1e-11
    EXPECT_NEAR(mesh.of(EnergyKind::coulomb_reciprocal) / size,
                waves.of(EnergyKind::coulomb_reciprocal) / size, 1e-11);
    EXPECT_LT(support::relative_rms(forces_of(mesh, 20), forces_of(waves, 20)), 1e-10);
    EXPECT_LT(support::largest_element(mesh.energies.virial() - waves.energies.virial()) / size,
              1e-10);
}

TEST(LjPme, ConvergesToTheOraclesWavesForBothMixtures)
{
    const Topology topology = mixture(20);
    const std::vector<Vec3> x = scattered(20, tilted, 0.2, 1);
    for (const LjCombination mixing :
         {LjCombination::geometric, LjCombination::lorentz_berthelot}) {
        NonbondedSettings s = pme_settings(2.0, {64, 60, 60}, 12);
        s.electrostatics = Electrostatics::none;
        s.lj_pme = true;
        s.lj_combination = mixing;
        oracle::Answer expected(20);
        oracle::add_reciprocal(expected, topology, s, oracle::Cell(tilted), x);

        const Result r = long_range(topology, s, tilted, x, 2);

        const double size = std::fabs(expected.of(EnergyKind::lj_reciprocal));
        std::vector<Vec3> expected_forces;
        for (std::size_t a = 0; a < 20; ++a) {
            expected_forces.push_back(expected.force(a));
        }
        ASSERT_GT(size, 1e-3);
        EXPECT_NEAR(r.of(EnergyKind::lj_reciprocal) / size,
                    expected.of(EnergyKind::lj_reciprocal) / size, 1e-9);
        EXPECT_LT(support::relative_rms(forces_of(r, 20), expected_forces), 1e-8);
        EXPECT_LT(support::largest_element(r.energies.virial() - expected.virial) / size, 1e-8);
    }
}

struct MeshCase {
    const char* name;
    std::array<int, 3> grid;
    int order;
    int lj; ///< 0 none, 1 geometric, 2 Lorentz-Berthelot
};

class EveryMesh : public testing::TestWithParam<MeshCase> {
protected:
    [[nodiscard]] static NonbondedSettings settings()
    {
        NonbondedSettings s = pme_settings(2.8, GetParam().grid, GetParam().order);
        s.lj_pme = GetParam().lj != 0;
        s.lj_combination =
            GetParam().lj == 2 ? LjCombination::lorentz_berthelot : LjCombination::geometric;
        return s;
    }
    [[nodiscard]] static double energy(const Topology& t, const Mat3& cell,
                                       const std::vector<Vec3>& x)
    {
        return long_range(t, settings(), cell, x).energies.potential();
    }
};

TEST_P(EveryMesh, ForceIsMinusTheGradientOfTheEnergy)
{
    const Topology topology = mixture(12);
    const std::vector<Vec3> x = scattered(12, tilted, 0.2, 2);
    const double h = 1e-4;

    const Result r = long_range(topology, settings(), tilted, x);

    for (std::size_t a = 0; a < 3; ++a) {
        for (int k = 0; k < 3; ++k) {
            std::vector<Vec3> up = x, down = x;
            up[a][k] += h;
            down[a][k] -= h;
            const double slope =
                (energy(topology, tilted, up) - energy(topology, tilted, down)) / (2 * h);
            // h^2 times the third derivative; energies carry 2^-40 and rounding over 2h. Order 3
            // has a third derivative that jumps at mesh points.
            EXPECT_NEAR(r.forces.force(a)[k], -slope, GetParam().order < 5 ? 2e-3 : 5e-5);
        }
    }
}

TEST_P(EveryMesh, HasTheSameBitsForAnyNumberOfThreads)
{
    const Topology topology = mixture(40);
    const std::vector<Vec3> x = scattered(40, tilted, 0.2, 3);

    const Result one = long_range(topology, settings(), tilted, x, 1);

    for (const int threads : {2, 3}) {
        const Result many = long_range(topology, settings(), tilted, x, threads);
        EXPECT_TRUE(one.energies == many.energies);
        EXPECT_TRUE(one.forces.fixed() == many.forces.fixed());
    }
}

TEST_P(EveryMesh, IsBlindToWhichImageIsGiven)
{
    const Topology topology = mixture(12);
    const std::vector<Vec3> x = scattered(12, tilted, 0.2, 4);
    const PositionGrid grid{Box(tilted)};
    std::vector<Vec3> moved;
    for (std::size_t a = 0; a < x.size(); ++a) {
        const int k = static_cast<int>(a);
        moved.push_back(to_nm(to_grid(x[a])) +
                        to_nm(grid.shift({k % 5 - 2, k % 3 - 1, k % 4 - 2})));
    }

    const Result here = long_range(topology, settings(), tilted, x);
    const Result there = long_range(topology, settings(), tilted, moved);

    EXPECT_TRUE(here.energies == there.energies);
    EXPECT_TRUE(here.forces.fixed() == there.forces.fixed());
}

INSTANTIATE_TEST_SUITE_P(
    Meshes, EveryMesh,
    testing::Values(MeshCase{"order3", {24, 24, 24}, 3, 0}, MeshCase{"order4", {20, 24, 22}, 4, 0},
                    MeshCase{"order5_even_mesh", {24, 20, 28}, 5, 0},
                    MeshCase{"order6_odd_mesh", {25, 27, 21}, 6, 0},
                    MeshCase{"order8_prime_mesh", {31, 29, 23}, 8, 0},
                    MeshCase{"order12", {24, 24, 24}, 12, 0},
                    MeshCase{"dispersion_geometric", {24, 24, 24}, 5, 1},
                    MeshCase{"dispersion_lorentz_berthelot", {20, 24, 24}, 6, 2}),
    [](const auto& test) { return std::string(test.param.name); });

PairTable no_lennard_jones()
{
    return mixed_table({0.0}, {0.0});
}

TEST(LongRange, GivesTheBackgroundEnergyOfANetChargeForEverySplitting) // known fault B15
{
    for (const double charge : {1.0, 2.0}) {
        const Topology ion = free_atoms({charge}, {0}, no_lennard_jones());
        const double square = charge * charge;
        for (const double beta : {1.5, 2.0, 2.5, 3.0}) {
            NonbondedSettings s = pme_settings(beta, {72, 72, 72}, 12);
            s.lj_cutoff = s.coulomb_cutoff = 1.4;
            // the pair sum over the six nearest images, which a cut-off leaves out
            const double images = 3 * ion.coulomb_constant * std::erfc(3 * beta) / 3;
            for (const Vec3& x : {Vec3{0, 0, 0}, Vec3{1.234, 0.1, 2.9}}) {
                const Result r = whole(ion, s, cube3, {x});

                EXPECT_NEAR(r.energies.potential(), square * (-65.70020396415 - images), 1e-8)
                    << beta;
                EXPECT_LT(norm(r.forces.force(0)), 1e-6);
                const Mat3 virial = r.energies.virial();
                // P = -2/(3V) tr Xi = E/(3V): -13.4689 bar
                EXPECT_NEAR(-2.0 / 3.0 / 27.0 * trace(virial) * 16.6053906717, square * -13.4689,
                            4e-4);
            }
        }
    }
}

TEST(LongRange, GivesTheSelfEnergyOfAnIonInATruncatedOctahedron) // known fault B15
{
    const Topology ion = free_atoms({1.0}, {0}, no_lennard_jones());
    const Box box = Box::from_lengths_and_angles(
        {3, 3, 3}, {70.528779365509, 109.471220634491, 70.528779365509});
    for (const double beta : {2.2, 2.7, 3.2}) {
        NonbondedSettings s = pme_settings(beta, {72, 72, 72}, 12);
        s.lj_cutoff = s.coulomb_cutoff = 1.2;

        const Result r = whole(ion, s, box.vectors(), {{0.3, 0.4, 0.5}});

        // eight images at 2.598 nm: erfc < 1e-15 but for the least beta, 6e-16 kJ/mol each
        EXPECT_NEAR(r.energies.potential(), -72.97975362, 2e-8) << beta;
    }
}

TEST(LongRange, TakesExcludedPairsOutOfTheMesh) // known fault B16
{
    const double d = 0.09572, angle = 104.52 * std::acos(-1.0) / 180.0;
    Topology water = free_atoms({-0.834, 0.417, 0.417}, {0, 0, 0}, no_lennard_jones());
    exclude(water, {{0, 1}, {0, 2}, {1, 2}});
    struct Case {
        double edge, energy;
    };
    for (const Case& c : {Case{3.0, -0.0258477}, Case{2.0, -0.0877283}}) {
        const Mat3 cell{{{c.edge, 0, 0}, {0, c.edge, 0}, {0, 0, c.edge}}};
        for (const double origin : {0.5 * c.edge, 0.0}) { // in the middle, split across the corner
            const Vec3 o{origin, origin, origin};
            const std::vector<Vec3> x{o, o + Vec3{d, 0, 0},
                                      o + Vec3{d * std::cos(angle), d * std::sin(angle), 0}};
            NonbondedSettings s = pme_settings(4.2, {72, 72, 72}, 8);

            const Result r = whole(water, s, cell, x);

            EXPECT_NEAR(r.energies.potential(), c.energy, 1e-6);
        }
    }
}

TEST(LongRange, GivesTheMadelungEnergyOfRockSaltByMeshAndByWaves) // known fault B17
{
    const int n = 4; // ions along an edge
    const double spacing = 0.282, edge = n * spacing;
    std::vector<double> charge;
    std::vector<Vec3> x;
    for (int k = 0; k < n * n * n; ++k) {
        const int a = k % n, b = k / n % n, c = k / (n * n);
        charge.push_back((a + b + c) % 2 == 0 ? 1.0 : -1.0);
        x.push_back({a * spacing, b * spacing, c * spacing});
    }
    const Topology salt =
        free_atoms(charge, std::vector<std::int32_t>(charge.size(), 0), no_lennard_jones());
    const Mat3 cell{{{edge, 0, 0}, {0, edge, 0}, {0, 0, edge}}};
    const double expected = 32 * -860.98825077; // pairs of ions
    NonbondedSettings s = pme_settings(10.5, {64, 64, 64}, 12);
    s.lj_cutoff = s.coulomb_cutoff = 0.56;

    const Result mesh = whole(salt, s, cell, x);
    s.electrostatics = Electrostatics::ewald;
    const Result waves = whole(salt, s, cell, x);

    EXPECT_NEAR(waves.energies.potential() / expected, 1.0, 1e-11);
    EXPECT_NEAR(mesh.energies.potential() / expected, 1.0, 1e-9);
    for (std::size_t a = 0; a < x.size(); ++a) {
        EXPECT_LT(norm(waves.forces.force(a)), 1e-8);
    }
}

TEST(Pme, HasForceErrorsInProportionToTheTolerance) // known fault B17
{
    const int n = 8; // ions along an edge
    const double spacing = 0.282, edge = n * spacing;
    const Mat3 cell{{{edge, 0, 0}, {0, edge, 0}, {0, 0, edge}}};
    support::Dice dice(5);
    std::vector<double> charge;
    std::vector<Vec3> x;
    for (int k = 0; k < n * n * n; ++k) {
        const int a = k % n, b = k / n % n, c = k / (n * n);
        charge.push_back((a + b + c) % 2 == 0 ? 1.0 : -1.0);
        x.push_back(Vec3{a * spacing, b * spacing, c * spacing} + dice.in_cube(0.01));
    }
    const Topology salt =
        free_atoms(charge, std::vector<std::int32_t>(charge.size(), 0), no_lennard_jones());
    NonbondedSettings exact = pme_settings(6.0, {0, 0, 0}, 4);
    exact.electrostatics = Electrostatics::ewald;
    const std::vector<Vec3> expected = forces_of(whole(salt, exact, cell, x), x.size());
    for (const double tolerance : {1e-3, 1e-4, 1e-5}) {
        for (const std::array<int, 3>& grid :
             {std::array<int, 3>{36, 36, 36}, std::array<int, 3>{31, 37, 41}}) {
            NonbondedSettings s = pme_settings(ewald_beta_for_tolerance(1.0, tolerance), grid, 8);

            const Result r = whole(salt, s, cell, x);

            // the tolerance is that of a pair at the cut-off; in a crystal the forces themselves
            // nearly cancel, which leaves about nine times as much
            EXPECT_LT(support::relative_rms(forces_of(r, x.size()), expected), 12 * tolerance);
        }
    }
}

TEST(PmePlan, SolvesTheSplittingParameterToTheLastBits)
{
    const double beta = ewald_beta_for_tolerance(0.9, 1e-5);
    EXPECT_NEAR(std::erfc(beta * 0.9) / 1e-5, 1.0, 1e-13);
    EXPECT_NEAR(1.0 / beta, 0.288146, 5e-7); // as GROMACS prints it

    const double x = lj_ewald_beta_for_tolerance(0.9, 1e-3) * 0.9;
    EXPECT_NEAR(std::exp(-x * x) * (1 + x * x + 0.5 * x * x * x * x) / 1e-3, 1.0, 1e-13);
    EXPECT_THROW(ewald_beta_for_tolerance(0.9, 0.0), InputError);
    EXPECT_THROW(ewald_beta_for_tolerance(0.9, 2.0), InputError);
}

TEST(PmePlan, ChoosesSmoothMeshesNotFinerThanNeeded)
{
    const Box box(Mat3{{{6.2, 0, 0}, {0, 6.2, 0}, {0, 0, 6.3}}});

    const std::array<int, 3> grid = pme_grid_for_spacing(box, 0.12);

    EXPECT_EQ(grid, (std::array<int, 3>{54, 54, 54})); // 51.7 -> 54 (52 = 4 * 13, 53 is prime)
    EXPECT_EQ(pme_grid_for_spacing(Box(Mat3{{{1.2, 0, 0}, {0, 1.2, 0}, {0, 0, 1.2}}}), 0.12),
              (std::array<int, 3>{10, 10, 10}));
    EXPECT_EQ(pme_grid_for_spacing(Box(Mat3{{{1.8, 0, 0}, {0, 1.8, 0}, {0, 0, 1.8}}}), 0.12),
              (std::array<int, 3>{15, 15, 16})); // even along c
}

TEST(PmePlan, RefusesAbsurdMeshesBeforeAllocating) // known fault B45 c
{
    const Box box(Mat3{{{1000, 0, 0}, {0, 1000, 0}, {0, 0, 1000}}});
    try {
        pme_grid_for_spacing(box, 0.12);
        FAIL() << "accepted";
    } catch (const InputError& e) {
        EXPECT_NE(std::string(e.what()).find("GB"), std::string::npos) << e.what();
    }
    EXPECT_THROW(check_pme_grid({8340, 8340, 8340}, 4), InputError);
    EXPECT_THROW(check_pme_grid({32, 32, 3}, 4), InputError);
    EXPECT_THROW(check_pme_grid({32, 32, 32}, 13), InputError);
}

TEST(DispersionTail, IsProportionalToAtomsAndBlindToTypeNames) // known fault B21
{
    NonbondedSettings s;
    s.lj_cutoff = 0.9;
    s.lj_modifier = LjModifier::none;
    s.dispersion_correction = DispersionCorrection::energy_and_pressure;
    const auto tail = [&](int atoms, double volume, bool two_types) {
        std::vector<std::int32_t> type;
        for (int a = 0; a < atoms; ++a) {
            type.push_back(two_types ? a % 2 : 0);
        }
        const Topology t = free_atoms(std::vector<double>(type.size(), 0.0), type,
                                      two_types ? mixed_table({0.34, 0.34}, {0.996, 0.996})
                                                : mixed_table({0.34}, {0.996}));
        EnergySums sums;
        const double edge = std::cbrt(volume);
        DispersionTail(t, s).add(Box(Mat3{{{edge, 0, 0}, {0, edge, 0}, {0, 0, edge}}}),
                                 {true, true}, sums);
        return sums;
    };

    const double small = tail(216, 10.648, false).energy(EnergyKind::dispersion_correction);
    const double large = tail(55296, 10.648 * 256, false).energy(EnergyKind::dispersion_correction);
    const double renamed = tail(216, 10.648, true).energy(EnergyKind::dispersion_correction);

    EXPECT_NEAR(small, -77.4753197250471, 1e-10);
    EXPECT_NEAR(large / (256 * small), 1.0, 1e-13);
    EXPECT_NEAR(renamed, small, 1e-11);
    // P = -2/(3V) tr Xi
    const double pressure =
        -2.0 / 3.0 / 10.648 * trace(tail(216, 10.648, false).virial()) * 16.6053906717;
    EXPECT_NEAR(pressure, -241.643, 1e-3);
}

TEST(DispersionTail, EqualsTheOracleForEveryModifier)
{
    const Topology topology = mixture(60);
    for (const LjModifier modifier : {LjModifier::none, LjModifier::potential_shift,
                                      LjModifier::force_switch, LjModifier::potential_switch}) {
        NonbondedSettings s;
        s.lj_cutoff = 1.1;
        s.lj_switch = 0.8;
        s.lj_modifier = modifier;
        s.dispersion_correction = DispersionCorrection::energy_and_pressure;
        oracle::Answer expected(60);
        oracle::add_dispersion_correction(expected, topology, s, oracle::Cell(tilted));

        EnergySums sums;
        DispersionTail(topology, s).add(Box(tilted), {true, true}, sums);

        const double e = expected.of(EnergyKind::dispersion_correction);
        // the oracle integrates by another rule
        EXPECT_NEAR(sums.energy(EnergyKind::dispersion_correction) / e, 1.0, 1e-9);
        for (int k = 0; k < 3; ++k) {
            EXPECT_NEAR(sums.virial()[k][k] / expected.virial[k][k], 1.0, 1e-9);
        }
    }
}

} // namespace
} // namespace tessera
