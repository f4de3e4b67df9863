#include "engine/integrators/integrators.hpp"

#include "engine/base/error.hpp"
#include "engine/integrators/langevin_baoab.hpp"
#include "engine/integrators/leap_frog.hpp"
#include "engine/integrators/steepest_descent.hpp"
#include "engine/integrators/velocity_verlet.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tessera
{

namespace
{

Scheme bare_scheme(const DynamicsSettings& s)
{
    switch (s.integrator) {
    case Integrator::leap_frog:
        return leap_frog();
    case Integrator::velocity_verlet:
        return velocity_verlet();
    case Integrator::langevin:
        return langevin_baoab(1 / s.temperature_time, s.temperature, s.thermostat_seed);
    case Integrator::steepest_descent:
        return steepest_descent();
    }
    throw InputError("unknown integrator. Choose one that the manual lists.");
}

void check(const DynamicsSettings& s)
{
    const bool langevin = s.integrator == Integrator::langevin;
    const bool minimises = s.minimises();
    if (!minimises && !(s.timestep > 0 && std::isfinite(s.timestep))) {
        throw InputError(fmt::format("the time step is {} ps (time must go forward). Give a "
                                     "positive run.timestep.",
                                     s.timestep));
    }
    if (s.thermostat == ThermostatKind::langevin && !langevin) {
        throw InputError("thermostat \"langevin\" beside another integrator (its noise is part of "
                         "the step). Set run.integrator = \"langevin\" or leave it out.");
    }
    if (langevin && s.thermostat == ThermostatKind::v_rescale) {
        throw InputError(
            "thermostat \"v-rescale\" beside the Langevin integrator (two baths). Keep "
            "one of them.");
    }
    const bool bath = langevin || s.thermostat != ThermostatKind::none;
    if (bath && !(s.temperature_time > 0)) {
        throw InputError(fmt::format("thermostat.time_constant is {} ps (must be positive). Give "
                                     "e.g. \"1 ps\".",
                                     s.temperature_time));
    }
    if ((bath || s.barostat != BarostatKind::none) && !(s.temperature >= 0)) {
        throw InputError(fmt::format("the bath temperature is {} K (below zero). Give a "
                                     "temperature of at least 0 K.",
                                     s.temperature));
    }
    if (s.barostat != BarostatKind::none) {
        if (minimises) {
            throw InputError("a barostat beside a minimiser (the cell of a minimisation is fixed). "
                             "Set barostat.kind = \"none\".");
        }
        if (!bath) {
            throw InputError("a barostat without a thermostat (c-rescale needs a temperature for "
                             "its noise). Choose thermostat.kind too.");
        }
        if (!(s.pressure_time > 0) || !(s.compressibility > 0)) {
            throw InputError(fmt::format("barostat.time_constant is {} ps and compressibility {} "
                                         "nm^3 mol/kJ (both must be positive). Correct them.",
                                         s.pressure_time, s.compressibility));
        }
    }
    if (s.couple_every < 1 || s.remove_com_every < 0) {
        throw InputError("a coupling interval below one step. Give a positive number of steps.");
    }
    if (minimises && (!(s.minimizer_step > 0) || !(s.minimizer_tolerance > 0))) {
        throw InputError(
            "a minimiser whose first step or tolerance is not positive. Correct them.");
    }
}

} // namespace

Scheme make_scheme(const DynamicsSettings& s, bool has_constraints)
{
    check(s);
    Scheme scheme = bare_scheme(s);
    auto& steps = scheme.sub_steps;
    if (s.thermostat == ThermostatKind::v_rescale) {
        const RescaleVelocities rescale{s.temperature, s.temperature_time, s.thermostat_seed,
                                        s.couple_every};
        // leap-frog's velocities are complete when the step begins, the others' when it ends
        steps.insert(scheme.velocities_half_step_behind ? steps.begin() : steps.end(), rescale);
    }
    if (s.barostat == BarostatKind::c_rescale) {
        const ScaleBox scale{s.temperature,     s.pressure,        s.pressure_time,
                             s.compressibility, s.thermostat_seed, s.couple_every};
        // positions change just before their forces are computed: no force is ever out of date
        steps.insert(std::find_if(steps.begin(), steps.end(), is_force_evaluation), scale);
        steps.insert(steps.begin(), MeasurePressure{s.couple_every});
    }
    if (s.remove_com_every > 0 && !s.minimises()) {
        // noise gives the centre its thermal share at once: only what is removed in every step
        // counts no degrees of freedom
        const bool noisy = s.integrator == Integrator::langevin;
        steps.push_back(RemoveComMotion{noisy ? 1 : s.remove_com_every});
    }
    return has_constraints ? constrained(scheme) : scheme;
}

} // namespace tessera
