#pragma once

#include "engine/math/constants.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <string>

namespace tessera
{

enum class LjModifier : std::uint8_t { none, potential_shift, force_switch, potential_switch };
enum class DispersionCorrection : std::uint8_t { none, energy, energy_and_pressure };
enum class Electrostatics : std::uint8_t { none, cutoff, reaction_field, pme, ewald };
enum class LjCombination : std::uint8_t { geometric, lorentz_berthelot };

/// Arithmetic of the forces between atoms that are not bonded (ADR 0010). mixed: positions on
/// a 2^-23 nm grid, FP32 pair and mesh arithmetic, integer sums; everything else stays FP64.
enum class Precision : std::uint8_t { fp64, mixed };

/// How forces between non-bonded atoms are cut, shifted and summed (deck tables [nonbonded] and
/// [pme]). Lengths in nm.
struct NonbondedSettings {
    double lj_cutoff =
        std::numeric_limits<double>::infinity(); ///< infinite: every pair counts (no cell)
    double coulomb_cutoff = std::numeric_limits<double>::infinity();
    LjModifier lj_modifier = LjModifier::potential_shift;
    double lj_switch = 0.8;
    DispersionCorrection dispersion_correction = DispersionCorrection::none;
    Electrostatics electrostatics = Electrostatics::pme;
    bool coulomb_potential_shift = false;
    double reaction_field_permittivity = 78.0; ///< infinite allowed
    double list_buffer = 0.1;                  ///< list radius = largest cut-off + buffer

    double ewald_beta = 0; ///< 1/nm; resolved from pme.tolerance before forces are made
    std::array<int, 3> pme_grid = {0, 0, 0};
    int pme_order = 4;
    bool lj_pme = false;
    double lj_ewald_beta = 0; ///< 1/nm
    LjCombination lj_combination = LjCombination::geometric;

    Precision precision = Precision::fp64;
    std::uint64_t shuffle_seed = 0; ///< debugging: not 0 permutes what must not reach the bits

    [[nodiscard]] double cutoff() const
    {
        return lj_cutoff > coulomb_cutoff ? lj_cutoff : coulomb_cutoff;
    }
    /// Charges act on every image of the cell, not only within the cut-off.
    [[nodiscard]] bool has_coulomb_lattice() const
    {
        return electrostatics == Electrostatics::pme || electrostatics == Electrostatics::ewald;
    }
};

enum class Integrator : std::uint8_t { leap_frog, velocity_verlet, langevin, steepest_descent };
enum class ThermostatKind : std::uint8_t { none, v_rescale, langevin };
enum class BarostatKind : std::uint8_t { none, c_rescale };

/// Deck tables [run], [thermostat], [barostat]: how the state moves. Units: ps, K, kJ/mol/nm^3 for
/// pressures.
struct DynamicsSettings {
    Integrator integrator = Integrator::leap_frog;
    double timestep = 0.002;
    std::int64_t steps = 5000;
    std::uint64_t seed = 42;
    std::int64_t remove_com_every = 100; ///< steps; 0 never; Langevin: each step, unless 0
    bool generate_velocities = false;    ///< Maxwell-Boltzmann at `velocity_temperature`
    double velocity_temperature = 300;

    ThermostatKind thermostat = ThermostatKind::none;
    double temperature = 300;
    double temperature_time = 1.0; ///< ps; langevin: 1/gamma
    std::uint64_t thermostat_seed = 42;
    std::int64_t couple_every = 10; ///< steps between actions of v-rescale and of the barostat

    BarostatKind barostat = BarostatKind::none;
    double pressure = 0.0602214076; ///< kJ/mol/nm^3 (1 bar)
    double pressure_time = 2.0;
    double compressibility = 4.5e-5 * 16.6053906717; ///< nm^3 mol/kJ (4.5e-5 /bar)

    double minimizer_step = 0.01;    ///< nm, first step of steepest descent
    double minimizer_tolerance = 10; ///< kJ/mol/nm, largest force at which it stops

    [[nodiscard]] bool minimises() const { return integrator == Integrator::steepest_descent; }
    /// K: what the thermostat holds, else what velocities are drawn at, else room temperature.
    [[nodiscard]] double expected_temperature() const
    {
        return thermostat != ThermostatKind::none ? temperature : velocity_temperature;
    }
};

} // namespace tessera
