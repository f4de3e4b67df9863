#pragma once

#include "tests/support/dynamics.hpp"
#include "tests/support/same_bits.hpp"
#include "tests/support/waters.hpp"

namespace tessera::support
{

/// The start relaxed, with velocities of 300 K to be drawn.
inline RunSetup relaxed(Topology topology, NonbondedSettings nonbonded, State start,
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

inline DynamicsSettings femtosecond(Integrator integrator, ThermostatKind thermostat)
{
    DynamicsSettings s;
    s.integrator = integrator;
    s.timestep = 0.001;
    s.remove_com_every = 7;
    s.thermostat = thermostat;
    s.temperature_time = 0.1;
    return s;
}

/// 42 four-site waters with bonds and angles and two pairs of ions under Langevin noise.
inline RunSetup flexible_waters_in_a_dodecahedron()
{
    const double d = 1.6;
    const Mat3 cell{{{d, 0, 0}, {0, d, 0}, {0.5 * d, 0.5 * d, std::sqrt(0.5) * d}}};
    System system = waters_and_ions(42, 2, cell, 3);
    NonbondedSettings nonbonded;
    nonbonded.lj_cutoff = nonbonded.coulomb_cutoff = 0.5;
    nonbonded.list_buffer = 0.05;
    nonbonded.ewald_beta = 6;
    nonbonded.pme_grid = {18, 20, 16};
    nonbonded.pme_order = 5;
    DynamicsSettings dynamics = femtosecond(Integrator::langevin, ThermostatKind::langevin);
    dynamics.timestep = 0.0005;
    return relaxed(std::move(system.topology), nonbonded,
                   at_positions(system.positions, {}, Box(cell)), dynamics);
}

} // namespace tessera::support
