#include "engine/math/constants.hpp"
#include "engine/simulation/simulation.hpp"
#include "tests/support/dynamics.hpp"

#include <gmock/gmock.h>

namespace tessera
{
namespace
{

using support::at_positions;
using support::forces_of;
using support::HarmonicWells;
using support::massive_atoms;

constexpr double boltzmann = constants::boltzmann;

std::shared_ptr<const Topology> gas(std::size_t atoms, double mass)
{
    return finish(massive_atoms(std::vector<double>(atoms, mass)));
}

State scattered_state(std::size_t atoms, double width, const Box& box = {})
{
    std::vector<Vec3> x;
    for (std::size_t a = 0; a < atoms; ++a) {
        x.push_back(width * support::scattered(static_cast<std::uint32_t>(a)));
    }
    return at_positions(x, {}, box);
}

DynamicsSettings at_300_kelvin(Integrator integrator, double dt)
{
    DynamicsSettings s;
    s.integrator = integrator;
    s.timestep = dt;
    s.remove_com_every = 0;
    s.generate_velocities = true;
    s.couple_every = 1;
    return s;
}

TEST(MaxwellBoltzmann, HasTheTemperatureAskedForAndNoDrift)
{
    auto water = support::water_lattice(4, 0.31);
    DynamicsSettings settings = at_300_kelvin(Integrator::velocity_verlet, 0.001);
    settings.remove_com_every = 100;
    Simulation simulation(finish(water.topology), settings,
                          at_positions(water.positions, {}, water.box), 1, forces_of());

    const Observables& o = simulation.observables();

    Vec3 p;
    for (std::size_t a = 0; a < water.positions.size(); ++a) {
        p += (a % 3 == 0 ? 15.9994 : 1.008) * simulation.state().velocity[a];
    }
    EXPECT_EQ(o.degrees_of_freedom, 64 * 6 - 3);
    EXPECT_NEAR(o.temperature, 300, 1e-9); // scaled to it, then projected again: rounding
    EXPECT_LT(norm(p), 1e-10);
}

// Drawn with the centre of mass in motion, its share is that of 3 of the 9 degrees of freedom.
TEST(MaxwellBoltzmann, GivesTheCentreItsShareWhereItMayMove)
{
    const auto three = gas(3, 10);
    DynamicsSettings settings = at_300_kelvin(Integrator::velocity_verlet, 0.001);
    double share = 0;
    constexpr int draws = 400;
    for (int k = 0; k < draws; ++k) {
        settings.seed = static_cast<std::uint64_t>(k);
        Simulation simulation(three, settings, scattered_state(3, 1), 1, forces_of());
        const Observables& o = simulation.observables();
        Vec3 p;
        for (const Vec3& v : simulation.state().velocity) {
            p += 10 * v;
        }
        EXPECT_EQ(o.degrees_of_freedom, 9);
        EXPECT_NEAR(o.temperature, 300, 1e-9);
        share += norm2(p) / (2 * 30) / o.kinetic / draws;
    }
    EXPECT_NEAR(share, 1.0 / 3, 0.05); // five standard errors of 400 draws of a Beta(1.5, 3)
}

struct Removal {
    std::int64_t every;
    double freedom; ///< of three atoms
};

class FewAtoms : public ::testing::TestWithParam<Removal> {};

// Where noise and removal of the drift took turns, three atoms would show up to 450 K.
TEST_P(FewAtoms, HaveTheLangevinBathsTemperature)
{
    DynamicsSettings settings = at_300_kelvin(Integrator::langevin, 0.01);
    settings.temperature_time = 0.1;
    settings.remove_com_every = GetParam().every;
    Simulation simulation(gas(3, 10), settings, scattered_state(3, 1, support::cube(5)), 1,
                          forces_of());
    double mean = 0;
    constexpr int samples = 20000;
    for (int k = 0; k < samples; ++k) {
        simulation.step();
        mean += simulation.observables().temperature / samples;
    }

    EXPECT_EQ(simulation.degrees_of_freedom(), GetParam().freedom);
    // single values scatter by sqrt(2/6), and one in ten is independent: 1.3 %, times five
    EXPECT_NEAR(mean, 300, 20);
}

INSTANTIATE_TEST_SUITE_P(Removals, FewAtoms,
                         ::testing::Values(Removal{0, 9}, Removal{1, 6}, Removal{7, 6},
                                           Removal{100, 6}));

// BAOAB samples positions in a harmonic well without any error of the time step; here w dt = 0.5,
// where a Verlet-like scheme is off by 6 %.
TEST(Langevin, SamplesHarmonicPositionsExactlyAtLongSteps)
{
    constexpr std::size_t atoms = 1000;
    DynamicsSettings settings = at_300_kelvin(Integrator::langevin, 0.05);
    settings.temperature_time = 0.2;
    Simulation simulation(gas(atoms, 10), settings, scattered_state(atoms, 0.1), 1,
                          forces_of(std::make_unique<HarmonicWells>(1000)));
    simulation.run(100);
    double square = 0;
    int samples = 0;
    for (; samples < 40; ++samples) {
        simulation.run(simulation.state().step + 10);
        for (const GridPosition& x : simulation.state().position) {
            square += norm2(to_nm(x));
        }
    }

    // 40 x 3000 squares with correlations between samples: standard error about 0.6 %
    EXPECT_NEAR(square / (3.0 * atoms * samples) * 1000 / (boltzmann * 300), 1, 0.025);
}

TEST(Langevin, KeepsItsConservedQuantity)
{
    constexpr std::size_t atoms = 100;
    Topology t = massive_atoms(std::vector<double>(atoms, 10));
    for (std::int32_t a = 0; a < 60; a += 2) {
        t.constraints.push_back({a, a + 1, 0.1});
    }
    std::vector<Vec3> x;
    for (std::uint32_t a = 0; a < atoms; a += 2) {
        x.push_back(0.1 * support::scattered(a));
        x.push_back(x.back() + Vec3{0, 0.1, 0});
    }
    DynamicsSettings settings = at_300_kelvin(Integrator::langevin, 0.002);
    Simulation simulation(finish(t), settings, at_positions(x, {}), 1,
                          forces_of(std::make_unique<HarmonicWells>(1000)));
    const double start = simulation.observables().conserved;
    const double total = simulation.observables().total;

    simulation.run(3000);

    const Observables& o = simulation.observables();
    EXPECT_GT(std::fabs(o.total - total), 3); // the bath has given or taken
    EXPECT_NEAR(o.conserved, start, 0.3);     // ripple of (w dt)^2/8 of 700 kJ/mol, and its walk
}

// Cross-correlation of velocities of free particles under strong friction: v is the noise.
TEST(Langevin, DecorrelatesSeeds)
{
    constexpr std::size_t atoms = 100;
    constexpr int steps = 2000;
    const auto noise_of = [&](std::uint64_t seed) {
        DynamicsSettings settings = at_300_kelvin(Integrator::langevin, 0.01);
        settings.generate_velocities = false;
        settings.temperature_time = 1e-4; // exp(-100): nothing is remembered
        settings.thermostat_seed = seed;
        Simulation simulation(gas(atoms, 10), settings, scattered_state(atoms, 1), 1, forces_of());
        std::vector<std::vector<double>> out;
        for (int k = 0; k < steps; ++k) {
            simulation.step();
            out.emplace_back();
            for (const Vec3& v : simulation.state().velocity) {
                out.back().push_back(v.x / std::sqrt(boltzmann * 300 / 10));
            }
        }
        return out;
    };
    const std::vector<std::uint64_t> seeds = {42, 43, 42 + (std::uint64_t{1} << 32), 0};
    std::vector<std::vector<std::vector<double>>> noise;
    for (const std::uint64_t seed : seeds) {
        noise.push_back(noise_of(seed));
    }

    double square = 0;
    for (const auto& run : noise) {
        for (const auto& step : run) {
            for (const double v : step) {
                square += v * v;
            }
        }
    }
    const double draws = 1.0 * static_cast<double>(seeds.size()) * steps * atoms;
    EXPECT_NEAR(square / draws, 1, 0.0064); // four standard errors sqrt(2/800000)
    for (std::size_t a = 0; a < seeds.size(); ++a) {
        for (std::size_t b = a; b < seeds.size(); ++b) {
            for (int lag = a == b ? 1 : -50; lag <= 50; ++lag) {
                double sum = 0;
                double n = 0;
                for (int k = 50; k < steps - 50; ++k) {
                    const auto& x = noise[a][static_cast<std::size_t>(k)];
                    const auto& y = noise[b][static_cast<std::size_t>(k + lag)];
                    for (std::size_t i = 0; i < atoms; ++i) {
                        sum += x[i] * y[i];
                        n += 1;
                    }
                }
                // 960 lags are looked at: five standard errors, not the four of a single one
                EXPECT_LT(std::fabs(sum / n), 5 / std::sqrt(n)) << seeds[a] << " " << seeds[b];
            }
        }
    }
}

class VelocityRescale : public ::testing::TestWithParam<Integrator> {};

TEST_P(VelocityRescale, GivesTheCanonicalKineticEnergyAndKeepsItsConservedQuantity)
{
    constexpr std::size_t atoms = 40;
    DynamicsSettings settings = at_300_kelvin(GetParam(), 0.005);
    settings.thermostat = ThermostatKind::v_rescale;
    settings.temperature_time = 0.05;
    settings.velocity_temperature = 100;
    Simulation simulation(gas(atoms, 10), settings, scattered_state(atoms, 0.1), 1,
                          forces_of(std::make_unique<HarmonicWells>(1000)));
    simulation.run(500);
    const double conserved = simulation.observables().conserved;
    double sum = 0, square = 0;
    constexpr int samples = 4000;
    for (int k = 0; k < samples; ++k) {
        simulation.run(simulation.state().step + 10);
        const double t = simulation.observables().temperature;
        sum += t;
        square += t * t;
    }

    const double mean = sum / samples;
    const double width = std::sqrt(square / samples - mean * mean);
    // width of a sample 300 sqrt(2/120) = 38.7 K, correlation time one sample: error 1 K and 3 %.
    // wells exchange kinetic and potential energy: both count, so the mean is that of the bath
    EXPECT_NEAR(mean, 300, 4);
    EXPECT_NEAR(width, 300 * std::sqrt(2.0 / 120), 4);
    // thousands of kJ/mol were exchanged; left are the ripple (w dt)^2/8 K and its walk
    EXPECT_NEAR(simulation.observables().conserved, conserved, 1);
}

INSTANTIATE_TEST_SUITE_P(BothPlaces, VelocityRescale,
                         ::testing::Values(Integrator::leap_frog, Integrator::velocity_verlet));

// Volume of an ideal gas at constant pressure: V^N exp(-PV/kT), so <V> = (N+1) kT/P and its
// variance (N+1) (kT/P)^2.
TEST(CellRescale, SamplesTheVolumeOfAnIdealGas)
{
    constexpr std::size_t atoms = 20;
    DynamicsSettings settings = at_300_kelvin(Integrator::langevin, 0.02);
    settings.temperature_time = 0.05;
    settings.barostat = BarostatKind::c_rescale;
    const double kt = boltzmann * 300;
    settings.pressure = kt; // so that volumes are counts
    settings.compressibility = 1 / settings.pressure;
    settings.pressure_time = 4;
    Simulation simulation(gas(atoms, 10), settings,
                          scattered_state(atoms, 1, support::cube(std::cbrt(21.0))), 1,
                          forces_of());
    simulation.run(1000);
    double sum = 0, square = 0;
    constexpr int samples = 6000;
    for (int k = 0; k < samples; ++k) {
        simulation.run(simulation.state().step + 10);
        const double v = simulation.state().box.volume();
        sum += v;
        square += v * v;
    }

    const double mean = sum / samples;
    // 1200 ps at a correlation time of about 4 ps: 150 independent samples of width 4.6
    EXPECT_NEAR(mean, 21, 1.2);
    EXPECT_NEAR(std::sqrt(square / samples - mean * mean), std::sqrt(21.0), 0.9);
}

// B25: the kinetic energy of a run that becomes another one, at the same time.
TEST(ChangeOfEnsemble, MovesTheKineticEnergyBySecondOrderOnly)
{
    constexpr std::size_t atoms = 50;
    const auto wells = [] { return forces_of(std::make_unique<HarmonicWells>(1000)); };
    DynamicsSettings settings = at_300_kelvin(Integrator::langevin, 0.002);
    Simulation nvt(gas(atoms, 10), settings, scattered_state(atoms, 0.1), 1, wells());
    nvt.run(100);
    const double before = nvt.observables().kinetic;
    const auto jump = [&](double dt) {
        settings.integrator = Integrator::leap_frog;
        settings.timestep = dt;
        Simulation nve(gas(atoms, 10), settings, nvt.state(), 1, wells(), StartKind::continued);
        EXPECT_NEAR(nve.observables().potential, nvt.observables().potential, 1e-9);
        return std::fabs(nve.observables().kinetic - before) / before;
    };

    EXPECT_LT(jump(0.002), 5e-4); // of order (w dt)^2/4 = 1e-4; a lost half kick would show 1e-2
    EXPECT_NEAR(jump(0.004) / jump(0.002), 4, 0.01);
}

} // namespace
} // namespace tessera
