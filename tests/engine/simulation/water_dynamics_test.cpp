#include "engine/base/error.hpp"
#include "engine/math/units.hpp"
#include "engine/simulation/simulation.hpp"
#include "tests/support/salt_water.hpp"
#include "tests/support/same_bits.hpp"

#include <gmock/gmock.h>

namespace tessera
{
namespace
{

using support::salt_water;
using support::SaltWater;

DynamicsSettings femtosecond(Integrator integrator)
{
    DynamicsSettings s;
    s.integrator = integrator;
    s.timestep = 0.001;
    s.generate_velocities = true;
    s.remove_com_every = 7;
    s.temperature_time = 0.1;
    s.pressure_time = 1;
    return s;
}

/// The lattice relaxed and at 300 K, made once.
const State& equilibrated(const SaltWater& system)
{
    static const State state = [&] {
        DynamicsSettings s = femtosecond(Integrator::steepest_descent);
        s.minimizer_tolerance = 500;
        Simulation minimiser(system.topology, system.nonbonded, s, system.start, 1);
        minimiser.run(60);
        s = femtosecond(Integrator::langevin);
        Simulation bath(system.topology, system.nonbonded, s, minimiser.state(), 1);
        bath.run(200);
        return bath.state();
    }();
    return state;
}

struct Ensemble {
    std::string name;
    Integrator integrator;
    ThermostatKind thermostat;
    BarostatKind barostat;

    [[nodiscard]] DynamicsSettings settings() const
    {
        DynamicsSettings s = femtosecond(integrator);
        s.generate_velocities = false;
        s.thermostat = thermostat;
        s.barostat = barostat;
        return s;
    }
};

class EveryEnsemble : public ::testing::TestWithParam<Ensemble> {};

void expect_same_bits(Simulation& a, Simulation& b)
{
    EXPECT_EQ(support::differences(support::arrays_of(a), support::arrays_of(b)), "");
}

// B24: the interruption falls between couplings, list searches and removals of drift.
TEST_P(EveryEnsemble, RestartsToTheBitOnOtherThreads)
{
    for (const Precision precision : {Precision::fp64, Precision::mixed}) {
        SaltWater system = salt_water(3);
        system.nonbonded.precision = precision;
        const DynamicsSettings settings = GetParam().settings();
        Simulation whole(system.topology, system.nonbonded, settings, equilibrated(system), 1);
        Simulation first(system.topology, system.nonbonded, settings, equilibrated(system), 1);
        const std::int64_t begin = whole.state().step;
        whole.run(begin + 200);
        first.run(begin + 93);

        Simulation second(system.topology, system.nonbonded, settings, first.state(), 3,
                          StartKind::continued);
        second.import_extra(first.export_extra());
        second.run(begin + 200);

        EXPECT_NE(support::differences(support::arrays_of(first), support::arrays_of(second)), "");
        expect_same_bits(whole, second);
    }
}

TEST_P(EveryEnsemble, KeepsItsConservedQuantity)
{
    const SaltWater system = salt_water(3);
    Simulation simulation(system.topology, system.nonbonded, GetParam().settings(),
                          equilibrated(system), 1);
    const double start = simulation.observables().conserved;
    double largest = 0;

    for (int k = 0; k < 40; ++k) {
        simulation.run(simulation.state().step + 10);
        largest = std::fmax(largest, std::fabs(simulation.observables().conserved - start));
    }

    // 0.4 kJ/mol without baths (a cut-off of 0.45 nm); baths exchange 20 to 60 kJ/mol meanwhile
    EXPECT_LT(largest, 1.2);
}

TEST_P(EveryEnsemble, HasTheSameBitsOnAnyNumberOfThreads)
{
    const SaltWater system = salt_water(3);
    const DynamicsSettings settings = GetParam().settings();
    Simulation one(system.topology, system.nonbonded, settings, equilibrated(system), 1);
    Simulation three(system.topology, system.nonbonded, settings, equilibrated(system), 3);

    one.run(one.state().step + 12);
    three.run(three.state().step + 12);

    expect_same_bits(one, three);
}

TEST_P(EveryEnsemble, DoesNotFeelThePairListsBuffer)
{
    SaltWater system = salt_water(3);
    const DynamicsSettings settings = GetParam().settings();
    Simulation often(system.topology, system.nonbonded, settings, equilibrated(system), 1);
    system.nonbonded.list_buffer *= 0.3;
    Simulation seldom(system.topology, system.nonbonded, settings, equilibrated(system), 1);

    often.run(often.state().step + 60);
    seldom.run(seldom.state().step + 60);

    expect_same_bits(often, seldom);
}

constexpr auto none = ThermostatKind::none;
constexpr auto fixed_cell = BarostatKind::none;
constexpr auto c_rescale = BarostatKind::c_rescale;
INSTANTIATE_TEST_SUITE_P(
    Ensembles, EveryEnsemble,
    ::testing::Values(
        Ensemble{"NveLeapFrog", Integrator::leap_frog, none, fixed_cell},
        Ensemble{"NveVelocityVerlet", Integrator::velocity_verlet, none, fixed_cell},
        Ensemble{"Langevin", Integrator::langevin, none, fixed_cell},
        Ensemble{"LeapFrogVRescale", Integrator::leap_frog, ThermostatKind::v_rescale, fixed_cell},
        Ensemble{"LeapFrogNpt", Integrator::leap_frog, ThermostatKind::v_rescale, c_rescale},
        Ensemble{"VelocityVerletNpt", Integrator::velocity_verlet, ThermostatKind::v_rescale,
                 c_rescale},
        Ensemble{"LangevinNpt", Integrator::langevin, ThermostatKind::langevin, c_rescale}),
    [](const auto& instance) { return instance.param.name; });

DynamicsSettings undisturbed()
{
    DynamicsSettings settings = femtosecond(Integrator::velocity_verlet);
    settings.generate_velocities = false;
    settings.remove_com_every = 0;
    return settings;
}

TEST(Water, KeepsItsEnergyWithoutBaths)
{
    const SaltWater system = salt_water(3);
    Simulation simulation(system.topology, system.nonbonded, undisturbed(), equilibrated(system),
                          1);
    const double e0 = simulation.observables().total;
    double largest = 0;
    for (int k = 0; k < 20; ++k) {
        simulation.run(simulation.state().step + 10);
        largest = std::fmax(largest, std::fabs(simulation.observables().total - e0));
    }

    // a cut-off of 0.45 nm jumps in the LJ force; kinetic energy is about 170 kJ/mol
    EXPECT_LT(largest, 0.5);
}

TEST(Water, KeepsItsMomentumUnderPairForces)
{
    SaltWater system = salt_water(3);
    system.nonbonded.electrostatics = Electrostatics::reaction_field; // a mesh would not keep it
    Simulation simulation(system.topology, system.nonbonded, undisturbed(), equilibrated(system),
                          1);
    const auto momentum = [&] {
        Vec3 p;
        for (std::size_t a = 0; a < system.topology->mass.size(); ++a) {
            p += system.topology->mass[a] * simulation.state().velocity[a];
        }
        return p;
    };
    const Vec3 before = momentum();

    simulation.run(simulation.state().step + 100);

    EXPECT_LT(norm(momentum() - before), 1e-10); // forces cancel to the bit, velocities are rounded
}

// B19: coordinates as in a .gro; one step of no length must not change energy or pressure.
TEST(Water, HasTheSamePressureAtStepsZeroAndOne)
{
    const SaltWater system = salt_water(3);
    for (const Integrator integrator : {Integrator::leap_frog, Integrator::velocity_verlet}) {
        State start = equilibrated(system);
        for (std::size_t a = 0; a < start.position.size(); ++a) {
            Vec3 x = to_nm(start.position[a]);
            for (int k = 0; k < 3; ++k) {
                x[k] = std::rint(x[k] * 1000) / 1000;
            }
            start.position[a] = to_grid(x);
        }
        DynamicsSettings settings = femtosecond(integrator);
        settings.generate_velocities = false;
        // leap-frog takes constraint forces from displacements / dt^2: the grid of positions
        // (3.6e-15 nm) would show through at 1e-7 ps
        settings.timestep = integrator == Integrator::leap_frog ? 1e-6 : 1e-7;
        Simulation simulation(system.topology, system.nonbonded, settings, start, 1);
        const Observables zero = simulation.observables();

        simulation.step();

        const Observables& one = simulation.observables();
        EXPECT_NEAR(one.total / zero.total, 1, 1e-7);
        // pressure is a small difference of this ideal part and the virial
        const double ideal = 2 * zero.kinetic / (3 * zero.volume);
        EXPECT_NEAR(one.pressure, zero.pressure, 1e-4 * ideal);
    }
}

// B20: pressure with constraint forces, whatever image each atom stands in.
TEST(Water, HasOnePressureInAllImages)
{
    const SaltWater system = salt_water(3);
    const auto pressure_of = [&](const State& start) {
        DynamicsSettings settings = femtosecond(Integrator::velocity_verlet);
        settings.generate_velocities = false;
        Simulation simulation(system.topology, system.nonbonded, settings, start, 1);
        return simulation.observables().pressure_tensor;
    };
    const State whole = equilibrated(system);
    State broken = whole;
    for (std::size_t a = 0; a < broken.position.size(); ++a) {
        broken.position[a] = to_grid(whole.box.wrap(to_nm(whole.position[a])));
    }
    State shifted = whole;
    const GridPosition shift = to_grid({0.4321, -0.1234, 0.777});
    for (GridPosition& x : shifted.position) {
        x = {x.x + shift.x, x.y + shift.y, x.z + shift.z};
    }

    const Mat3 expected = pressure_of(whole);

    EXPECT_EQ(pressure_of(broken), expected);
    // against the mesh a shift is felt: the case's 1e-10 holds for all other terms
    const Mat3 moved = pressure_of(shifted);
    EXPECT_NEAR(trace(moved) / trace(expected), 1, 1e-2);
}

// Waters at rest on a lattice: rigid bodies of unequal masses must still run downhill.
TEST(SteepestDescent, LowersTheEnergyOfRigidWatersSteadily)
{
    const SaltWater system = salt_water(3);
    DynamicsSettings settings = femtosecond(Integrator::steepest_descent);
    settings.generate_velocities = false;
    settings.minimizer_tolerance = 50;
    Simulation simulation(system.topology, system.nonbonded, settings, system.start, 1);
    const double start = simulation.observables().potential;

    simulation.run(3000);

    EXPECT_LT(simulation.state().step, 3000);
    EXPECT_LT(simulation.observables().potential, start - 500);
    Simulation there(system.topology, system.nonbonded, settings, simulation.state(), 1);
    EXPECT_TRUE(there.minimised()); // by its force: the trial length is new
}

// Forces of 1e14 kJ/mol/nm lie far beyond exact sums: minimisers add in floating point.
TEST(SteepestDescent, PullsOverlappingAtomsApart)
{
    const auto topology =
        finish(support::free_atoms({0, 0}, {0, 0}, support::mixed_table({0.34}, {0.996}))); // argon
    NonbondedSettings open;
    open.electrostatics = Electrostatics::none;
    open.lj_modifier = LjModifier::none;
    DynamicsSettings settings = femtosecond(Integrator::steepest_descent);
    settings.minimizer_tolerance = 1e-3;
    Simulation simulation(topology, open, settings,
                          support::at_positions({{0, 0, 0}, {0.03, 0.01, 0}}, {}), 1);

    simulation.run(2000);

    const State& end = simulation.state();
    const double d = norm(to_nm(end.position[0]) - to_nm(end.position[1]));
    EXPECT_NEAR(d, std::pow(2, 1.0 / 6) * 0.34, 1e-5); // the minimum of the potential
}

// Four-site water (TIP4P: W. L. Jorgensen et al., 1983): a charge without mass in each.
SaltWater four_site_water()
{
    auto lattice = support::water_lattice(3, 0.31);
    std::vector<double> charge, mass;
    std::vector<std::int32_t> type;
    std::vector<std::array<std::int32_t, 2>> excluded;
    std::vector<Vec3> x;
    std::vector<VirtualSite> sites;
    std::vector<RigidWater> waters;
    for (std::int32_t w = 0; w < 27; ++w) {
        const std::int32_t o = 4 * w;
        charge.insert(charge.end(), {0, 0.52, 0.52, -1.04});
        mass.insert(mass.end(), {15.9994, 1.008, 1.008, 0});
        type.insert(type.end(), {0, 1, 1, 1});
        for (std::int32_t i = 0; i < 4; ++i) {
            for (std::int32_t j = i + 1; j < 4; ++j) {
                excluded.push_back({o + i, o + j});
            }
        }
        const auto from = lattice.positions.begin() + 3 * w;
        x.insert(x.end(), from, from + 3);
        x.emplace_back();
        constexpr double a = 0.128012065; // of each O-H, for O-M 0.015 nm
        sites.push_back({VirtualSiteKind::site3, o + 3, {o, o + 1, o + 2}, {a, a}});
        waters.push_back({o, o + 1, o + 2, support::water_oh, support::water_hh});
    }
    Topology t = support::free_atoms(charge, type, support::mixed_table({0.315365, 0}, {0.648, 0}));
    t.mass = mass;
    t.rigid_waters = waters;
    t.virtual_sites = sites;
    for (std::size_t s = 3; s < t.kind.size(); s += 4) {
        t.kind[s] = ParticleKind::virtual_site;
    }
    support::exclude(t, excluded);
    SaltWater out = salt_water(3);
    out.topology = finish(std::move(t));
    out.start = support::at_positions(x, {}, lattice.box);
    return out;
}

TEST(FourSiteWater, KeepsItsEnergyAndCarriesItsSites)
{
    const SaltWater system = four_site_water();
    DynamicsSettings settings = femtosecond(Integrator::steepest_descent);
    settings.minimizer_tolerance = 500;
    Simulation minimiser(system.topology, system.nonbonded, settings, system.start, 1);
    minimiser.run(60);
    settings = femtosecond(Integrator::langevin);
    Simulation bath(system.topology, system.nonbonded, settings, minimiser.state(), 1);
    bath.run(200);
    Simulation simulation(system.topology, system.nonbonded, undisturbed(), bath.state(), 1);
    const double e0 = simulation.observables().total;
    double largest = 0;

    for (int k = 0; k < 20; ++k) {
        simulation.run(simulation.state().step + 10);
        largest = std::fmax(largest, std::fabs(simulation.observables().total - e0));
    }

    EXPECT_EQ(simulation.degrees_of_freedom(), 27 * 6); // undisturbed: the centre may move
    EXPECT_LT(largest, 0.5);                            // as three-site water
    const State& end = simulation.state();
    for (std::size_t o = 0; o < end.position.size(); o += 4) {
        const Vec3 to_site = to_nm(end.position[o + 3]) - to_nm(end.position[o]);
        EXPECT_NEAR(norm(to_site), 0.015, 1e-6);
        EXPECT_EQ(norm(simulation.forces()[o + 3]), 0);
    }
}

// B39: a run that squeezes its cell below the cut-off stops and says so.
TEST(Water, StopsWhenTheCellShrinksToTheCutOff)
{
    const SaltWater system = salt_water(3);
    DynamicsSettings settings = femtosecond(Integrator::leap_frog);
    settings.thermostat = ThermostatKind::v_rescale;
    settings.barostat = BarostatKind::c_rescale;
    settings.pressure = 50000 * units::bar;
    settings.pressure_time = 0.5;
    Simulation simulation(system.topology, system.nonbonded, settings, equilibrated(system), 1);

    try {
        simulation.run(simulation.state().step + 2000);
        FAIL() << "the cell must have shrunk by a twenty-fifth";
    } catch (const PhysicsError& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr("shortest height"));
    }
}

} // namespace
} // namespace tessera
