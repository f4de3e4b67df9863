// CpuBackend, second part: what needs the motion as a whole. Velocities of a start, kinetic energy,
// thermostat, barostat, minimiser.
#include "engine/base/error.hpp"
#include "engine/base/philox.hpp"
#include "engine/cpu/cpu_backend.hpp"
#include "engine/cpu/update.hpp"
#include "engine/cpu/update_groups.hpp"
#include "engine/math/units.hpp"
#include "engine/physics/thermostats/cell_rescale.hpp"
#include "engine/physics/thermostats/ornstein_uhlenbeck.hpp"
#include "engine/physics/thermostats/rescale.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace tessera
{

// ----- start

void CpuBackend::project_positions()
{
    if (!has_constraints()) {
        return;
    }
    std::fill(correction_.begin(), correction_.end(), Vec3{});
    require(correct_displacements(state_.position), "the distance");
    displace(state_.position, correction_, threads_);
}

void CpuBackend::adopt_velocities(bool half_step_behind)
{
    const double dt = settings_.timestep;
    if (state_.velocities_half_step_behind != half_step_behind) {
        kick(state_.velocity, topology_->mass, forces_, half_step_behind ? -0.5 * dt : 0.5 * dt,
             threads_);
        state_.velocities_half_step_behind = half_step_behind;
    }
    if (!has_constraints()) {
        return;
    }
    if (!half_step_behind) {
        run(ConstrainVelocities{});
        return;
    }
    // v(t - dt/2) must lead here from positions that met the constraints: project the step back
    for (std::size_t a = 0; a < correction_.size(); ++a) {
        correction_[a] = -dt * state_.velocity[a];
    }
    require(correct_displacements(state_.position), "the velocity");
    add_scaled(state_.velocity, correction_, -1 / dt, threads_);
}

void CpuBackend::draw_velocities(double temperature, std::uint64_t seed)
{
    std::fill(state_.velocity.begin(), state_.velocity.end(), Vec3{});
    // an Ornstein-Uhlenbeck step that forgets everything draws from the Maxwell-Boltzmann law
    const double width = std::sqrt(constants::boltzmann * temperature);
    for (std::size_t a = 0; a < state_.velocity.size(); ++a) {
        if (topology_->mass[a] > 0) {
            RandomStream random(seed, static_cast<std::uint32_t>(number_of(*topology_, a)), 0,
                                RandomPurpose::start_velocity);
            const auto xy = random.normal2();
            const auto z = random.normal2();
            state_.velocity[a] =
                (width * std::sqrt(1 / topology_->mass[a])) * Vec3{xy[0], xy[1], z[0]};
        }
    }
    if (settings_.remove_com_every > 0) { // else it has its thermal share, as its 3 degrees count
        remove_com_motion();
    }
    if (has_constraints()) {
        run(ConstrainVelocities{});
    }
    const double kinetic = trace(kinetic_tensor(state_.velocity, topology_->mass, crew_));
    const double wanted = 0.5 * totals_.degrees_of_freedom * constants::boltzmann * temperature;
    if (kinetic > 0) {
        scale_velocities(state_.velocity, std::sqrt(wanted / kinetic), threads_);
    }
}

// ----- kinetic energy at the time of the positions

/// Leap-frog: v(t + dt/2) as the coming step will make it (without thermostat); correction_ holds
/// the displacements by which its constraints act, as long as this is read.
VelocityOf CpuBackend::next_half_step_velocities()
{
    const double dt = settings_.timestep;
    const auto next = [this, dt](std::size_t a) {
        return kicked(state_.velocity[a], topology_->mass[a], forces_.force(a), dt);
    };
    if (!has_constraints()) {
        return next;
    }
    for (std::size_t a = 0; a < correction_.size(); ++a) {
        correction_[a] = dt * next(a);
    }
    require(correct_displacements(state_.position), "the distance");
    return [this, next, rate = 1 / dt](std::size_t a) { return next(a) + rate * correction_[a]; };
}

Motion CpuBackend::measure_motion()
{
    const ScopedPhase phase(times_, "update");
    const auto& mass = topology_->mass;
    Motion motion;
    if (settings_.minimises()) {
        return motion;
    }
    motion.kinetic = kinetic_tensor(state_.velocity, mass, crew_);
    if (state_.velocities_half_step_behind) {
        const VelocityOf next = next_half_step_velocities();
        motion.kinetic = 0.5 * (motion.kinetic + kinetic_tensor(next, mass, crew_));
        if (has_constraints()) {
            const double dt = settings_.timestep;
            motion.constraint_virial =
                constraints_.virial(state_.box, state_.position, correction_, 1 / (dt * dt), crew_);
        }
        return motion;
    }
    if (has_constraints()) {
        std::vector<Vec3> acceleration(state_.velocity.size());
        kick(acceleration, topology_->mass, forces_, 1, threads_);
        require(constraints_.constrain_accelerations(state_.box, state_.position, state_.velocity,
                                                     acceleration, correction_, threads_),
                "the acceleration");
        motion.constraint_virial =
            constraints_.virial(state_.box, state_.position, correction_, 1, crew_);
    }
    return motion;
}

// ----- baths

void CpuBackend::run(const Thermalize& s)
{
    const ScopedPhase phase(times_, "coupling");
    const OrnsteinUhlenbeck ou(s.friction, s.temperature, settings_.timestep);
    thermalize(state_.velocity, topology_->mass, topology_->number, ou.keep, ou.noise, s.seed,
               state_.step, threads_);
}

void CpuBackend::run(const MeterHeat& s)
{
    const ScopedPhase phase(times_, "coupling");
    baths_.thermostat += s.sign * trace(kinetic_tensor(state_.velocity, topology_->mass, crew_));
}

void CpuBackend::run(const RescaleVelocities& s)
{
    if (!is_due(s.every)) {
        return;
    }
    const ScopedPhase phase(times_, "coupling");
    const double kinetic = trace(kinetic_tensor(state_.velocity, topology_->mass, crew_));
    RandomStream random(s.seed, 0, state_.step, RandomPurpose::velocity_rescale);
    const double factor =
        velocity_rescale_factor(kinetic, totals_.degrees_of_freedom, s.temperature,
                                static_cast<double>(s.every) * settings_.timestep, s.time, random);
    baths_.thermostat += (factor * factor - 1) * kinetic;
    if (state_.velocities_half_step_behind) {
        // the kinetic energy at the step is the mean of K(v) and K(v + f/m dt): the cross term of
        // the second scales too
        baths_.thermostat +=
            0.5 * (factor - 1) * settings_.timestep * power(state_.velocity, forces_, crew_);
    }
    scale_velocities(state_.velocity, factor, threads_);
}

/// P = 2/(3V) (kinetic energy - virial) of update groups as points: constraint forces, which act
/// within them, drop out.
void CpuBackend::run(const MeasurePressure& s)
{
    pressure_.reset();
    if (!is_due(s.every)) {
        return;
    }
    const ScopedPhase phase(times_, "coupling");
    const RaggedList& groups = *constraints_.plan().update_groups;
    const auto measure = [&](const VelocityOf& velocity) {
        return measure_groups(groups, topology_->mass, state_.position, velocity, forces_, crew_);
    };
    const GroupMotion now = measure([&](std::size_t a) { return state_.velocity[a]; });
    double kinetic = trace(now.kinetic);
    if (state_.velocities_half_step_behind) {
        kinetic = 0.5 * (kinetic + trace(measure(next_half_step_velocities()).kinetic));
    }
    group_virial_ = trace(energies_.virial() + now.virial_correction);
    pressure_ = 2 * (kinetic - group_virial_) / (3 * state_.box.volume());
}

/// Energy given: kinetic exactly; potential dU/d ln(edge) = 2 tr(virial of groups), the mean of
/// before and after (finish_forces adds the second half): the first half alone would miss the
/// curvature, which noise only ever climbs.
void CpuBackend::run(const ScaleBox& s)
{
    if (!pressure_) {
        return;
    }
    const ScopedPhase phase(times_, "coupling");
    const double volume = state_.box.volume();
    RandomStream random(s.seed, 0, state_.step, RandomPurpose::cell_rescale);
    const double next_volume =
        rescaled_volume(volume, *pressure_, s.pressure, s.temperature, s.compressibility, s.time,
                        static_cast<double>(s.every) * settings_.timestep, random.normal2()[0]);
    const double stretch = std::cbrt(next_volume / volume);
    if (!(std::fabs(stretch - 1) < 0.05)) {
        throw PhysicsError(fmt::format(
            "{}: the barostat would change the cell's edges by {:.1f} % at once (pressure {:.4g} "
            "bar; the system is far from equilibrium, or the barostat too quick). Equilibrate at "
            "constant volume first, raise barostat.time_constant, or correct barostat.pressure "
            "({:.4g} bar).",
            when(), 100 * (stretch - 1), *pressure_ / units::bar, s.pressure / units::bar));
    }
    const Box next = place_grid(Box(stretch * state_.box.vectors())).box();
    if (next.shortest_height() < limits_.smallest) {
        throw PhysicsError(fmt::format(
            "{}: the cell shrank to a shortest height of {:.6g} nm, the cut-off needs {:.6g} nm "
            "(beyond it an atom would meet two images of another). Use a larger system, a shorter "
            "cut-off, or correct barostat.pressure ({:.4g} bar).",
            when(), next.shortest_height(), limits_.smallest, s.pressure / units::bar));
    }
    const double before = trace(kinetic_tensor(state_.velocity, topology_->mass, crew_));
    scale_groups(*constraints_.plan().update_groups, topology_->mass, state_.box, next, 1 / stretch,
                 state_.position, state_.velocity, threads_);
    adopt_box(next);
    const double after = trace(kinetic_tensor(state_.velocity, topology_->mass, crew_));
    pending_stretch_ = std::log(stretch);
    baths_.barostat += (after - before) + group_virial_ * pending_stretch_;
}

void CpuBackend::book_stretch()
{
    const GroupMotion now = measure_groups(*constraints_.plan().update_groups, topology_->mass,
                                           state_.position, state_.velocity, forces_, crew_);
    baths_.barostat += trace(energies_.virial() + now.virial_correction) * pending_stretch_;
    pending_stretch_ = 0;
}

// ----- steepest descent

namespace
{

/// Also where the square of the force is beyond the range of doubles; NaN stays NaN.
double length_of(const Vec3& f)
{
    const double largest = std::fmax(std::fabs(f.x), std::fmax(std::fabs(f.y), std::fabs(f.z)));
    return largest > 1e100 ? largest * norm((1 / largest) * f) : norm(f);
}

} // namespace

LargestForce CpuBackend::largest_free_force()
{
    std::vector<Vec3> acceleration(forces_.size());
    kick(acceleration, topology_->mass, forces_, 1, threads_);
    if (has_constraints()) {
        require(constraints_.constrain_velocities(state_.box, state_.position, acceleration,
                                                  correction_, threads_),
                "the force");
        add_scaled(acceleration, correction_, 1, threads_);
    }
    LargestForce largest;
    for (std::size_t a = 0; a < acceleration.size(); ++a) {
        const double force = topology_->mass[a] * length_of(acceleration[a]);
        if (topology_->mass[a] > 0 && (largest.atom < 0 || !(force <= largest.force))) {
            largest = {force, static_cast<std::int64_t>(a)};
            if (std::isnan(force)) {
                break;
            }
        }
    }
    return largest;
}

std::string CpuBackend::part_coincident_atoms()
{
    constexpr double step = 0.001; // nm: far enough for finite forces, too near to matter
    constexpr int most_named = 5;
    if (!std::exchange(descent_.at_start, false) || first_without_finite_force() < 0) {
        return "";
    }
    std::string named;
    std::int64_t parted = 0;
    std::fill(correction_.begin(), correction_.end(), Vec3{});
    for (std::size_t a = 0; a < forces_.size(); ++a) {
        const Vec3 f = forces_.force(a);
        if (!(topology_->mass[a] > 0) ||
            (std::isfinite(f.x) && std::isfinite(f.y) && std::isfinite(f.z))) {
            continue;
        }
        RandomStream random(0, static_cast<std::uint32_t>(a), 0, RandomPurpose::parting);
        const auto xy = random.normal2();
        const auto z = random.normal2();
        const Vec3 aside{xy[0], xy[1], z[0]};
        correction_[a] = (step / norm(aside)) * aside;
        if (++parted <= most_named) {
            named += (named.empty() ? "" : ", ") + describe(static_cast<std::int64_t>(a));
        }
    }
    const std::vector<GridPosition> from = state_.position;
    displace(state_.position, correction_, threads_);
    if (has_constraints()) {
        require(correct_displacements(from), "the distance");
        displace(state_.position, correction_, threads_);
    }
    return fmt::format(
        "no finite force acts on {}{}: they stand on other atoms, and were moved "
        "aside by {} nm each",
        named, parted > most_named ? fmt::format(" and {} more", parted - most_named) : "", step);
}

void CpuBackend::run(const Descend&)
{
    descent_.position = state_.position;
    descent_.forces = forces_;
    descent_.energies = energies_;
    double largest = 0;
    for (std::size_t a = 0; a < forces_.size(); ++a) {
        largest = std::fmax(largest, topology_->mass[a] > 0 ? length_of(forces_.force(a)) : 0);
    }
    for (std::size_t a = 0; a < forces_.size(); ++a) {
        correction_[a] = topology_->mass[a] > 0 && largest > 0
                             ? descent_.length * ((1 / largest) * forces_.force(a))
                             : Vec3{};
    }
    descent_.on_trial = true;
    descent_.broken = false;
    displace(state_.position, correction_, threads_);
}

void CpuBackend::run(const Judge&)
{
    descent_.on_trial = false;
    if (!descent_.broken && energies_.potential() < descent_.energies.potential()) {
        descent_.length *= 1.2;
        return;
    }
    descent_.length *= 0.2;
    state_.position = descent_.position;
    forces_ = descent_.forces;
    energies_ = descent_.energies;
    place_atoms();
    place_virtual_sites();
    clear_corrections();
}

void CpuBackend::require(const std::optional<BrokenConstraint>& broken, const char* what) const
{
    if (!broken) {
        return;
    }
    const auto i = static_cast<std::size_t>(broken->i), j = static_cast<std::size_t>(broken->j);
    const Vec3 side = nearest_side(state_.box, state_.position[i], state_.position[j]);
    const double step = settings_.timestep * norm(state_.velocity[i] - state_.velocity[j]);
    const double ratio = topology_->mass[i] / topology_->mass[j];
    std::string why = "atoms moved or turned too far in one step, or the constraints contradict "
                      "each other). Minimise the start structure, shorten run.timestep, or take "
                      "redundant constraints out.";
    if (!(ratio > 1e-6 && ratio < 1e6)) {
        why = fmt::format("their masses are {:.4g} and {:.4g} u: the light one moves too far in "
                          "a step). Correct the masses in the topology.",
                          topology_->mass[i], topology_->mass[j]);
    } else if (!settings_.minimises() && !(step < 0.25 * broken->length)) {
        why = fmt::format("their velocities would part them by {:.3g} nm in this step, more than "
                          "constraints can follow). Minimise the start structure, correct its "
                          "velocities, or shorten run.timestep.",
                          step);
    }
    fail_at(broken->i,
            fmt::format("{} between {} and {} could not be constrained to {:.6g} nm, they stand "
                        "{:.6g} nm apart ({}",
                        what, describe_atom(*topology_, broken->i),
                        describe_atom(*topology_, broken->j), broken->length, norm(side), why));
}

} // namespace tessera
