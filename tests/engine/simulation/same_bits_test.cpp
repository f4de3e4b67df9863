// Few steps of many kinds of systems; 1,000 steps of one: same_bits_long_test.cpp.
#include "tests/engine/simulation/dipeptide.hpp"
#include "tests/support/salt_water.hpp"
#include "tests/support/waters.hpp"

namespace tessera
{
namespace
{

using support::Bath;
using support::Circumstances;
using support::RunSetup;

void expect_the_same_bits_in_all_circumstances(const RunSetup& setup, std::int64_t steps)
{
    const support::Outcome reference = support::outcome(setup, {1, 0}, steps);

    for (const Circumstances how :
         {Circumstances{3, 1}, Circumstances{8, 2}, Circumstances{2, 3}}) {
        EXPECT_TRUE(support::has_bits_of(reference, support::outcome(setup, how, steps)))
            << how.text();
    }
}

/// The start relaxed, with velocities of 300 K to be drawn.
RunSetup relaxed(Topology topology, NonbondedSettings nonbonded, State start,
                 DynamicsSettings dynamics)
{
    DynamicsSettings descent;
    descent.integrator = Integrator::steepest_descent;
    descent.minimizer_tolerance = 500;
    const auto shared = finish(std::move(topology));
    Simulation minimiser(shared, nonbonded, descent, std::move(start), 1);
    minimiser.run(150);
    State state = minimiser.state();
    state.step = 0;
    state.time = 0;
    dynamics.generate_velocities = true;
    return {shared, nonbonded, dynamics, state};
}

DynamicsSettings femtosecond(Integrator integrator, ThermostatKind thermostat)
{
    DynamicsSettings s;
    s.integrator = integrator;
    s.timestep = 0.001;
    s.remove_com_every = 7;
    s.thermostat = thermostat;
    s.temperature_time = 0.1;
    return s;
}

TEST(SameBits, OfAMoleculeInRigidWaterAtConstantPressure)
{
    expect_the_same_bits_in_all_circumstances(
        support::dipeptide(Bath::v_rescale_and_pressure, Precision::mixed), 40);
}

TEST(SameBits, OfAMoleculeInRigidWaterWithLangevinNoiseInFp64)
{
    expect_the_same_bits_in_all_circumstances(support::dipeptide(Bath::langevin, Precision::fp64),
                                              20);
}

TEST(SameBits, OfFlexibleWatersWithVirtualSitesInADodecahedron)
{
    const double d = 1.6;
    const Mat3 cell{{{d, 0, 0}, {0, d, 0}, {0.5 * d, 0.5 * d, std::sqrt(0.5) * d}}};
    support::System system = support::waters_and_ions(42, 2, cell, 3);
    NonbondedSettings nonbonded;
    nonbonded.lj_cutoff = nonbonded.coulomb_cutoff = 0.5;
    nonbonded.list_buffer = 0.05;
    nonbonded.ewald_beta = 6;
    nonbonded.pme_grid = {18, 20, 16};
    nonbonded.pme_order = 5;
    DynamicsSettings dynamics = femtosecond(Integrator::langevin, ThermostatKind::langevin);
    dynamics.timestep = 0.0005;
    RunSetup setup = relaxed(std::move(system.topology), nonbonded,
                             support::at_positions(system.positions, {}, Box(cell)), dynamics);

    for (const Precision precision : {Precision::fp64, Precision::mixed}) {
        setup.nonbonded.precision = precision;
        expect_the_same_bits_in_all_circumstances(setup, 60);
    }
}

TEST(SameBits, OfADropInOpenSpaceWhereEveryPairCounts)
{
    const support::SaltWater water = support::salt_water(3);
    State start = water.start;
    start.box = Box();
    NonbondedSettings nonbonded;
    nonbonded.electrostatics = Electrostatics::cutoff;
    nonbonded.lj_modifier = LjModifier::none;

    expect_the_same_bits_in_all_circumstances(
        relaxed(*water.topology, nonbonded, start,
                femtosecond(Integrator::velocity_verlet, ThermostatKind::v_rescale)),
        60);
}

TEST(SameBits, OfAMeshOfDispersionAtConstantPressure)
{
    const support::SaltWater water = support::salt_water(3);
    NonbondedSettings nonbonded = water.nonbonded;
    nonbonded.lj_pme = true;
    nonbonded.lj_ewald_beta = 6;
    DynamicsSettings dynamics = femtosecond(Integrator::leap_frog, ThermostatKind::v_rescale);
    dynamics.barostat = BarostatKind::c_rescale;

    expect_the_same_bits_in_all_circumstances(
        relaxed(*water.topology, nonbonded, water.start, dynamics), 60);
}

} // namespace
} // namespace tessera
