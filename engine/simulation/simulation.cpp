#include "engine/simulation/simulation.hpp"

#include "engine/base/error.hpp"
#include "engine/cpu/cpu_backend.hpp"
#include "engine/cpu/cpu_forces.hpp"
#include "engine/cpu/nonbonded.hpp"
#include "engine/integrators/integrators.hpp"
#include "engine/math/constants.hpp"
#include "engine/simulation/domain_backend.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace tessera
{

namespace
{

void check_cell(const NonbondedSettings& nonbonded, const DynamicsSettings& dynamics,
                const Box& box)
{
    if (dynamics.barostat != BarostatKind::none && !box.is_periodic()) {
        throw InputError("a barostat without a cell (open space has no pressure). Give a cell, or "
                         "set barostat.kind = \"none\".");
    }
    if (!box.is_periodic() || !std::isfinite(nonbonded.cutoff())) {
        return;
    }
    const double limit = 0.5 * box.shortest_height();
    if (nonbonded.cutoff() > limit) {
        const Mat3& h = box.vectors();
        throw InputError(fmt::format(
            "cut-off {:.6g} nm does not fit the cell ({:.6g} {:.6g} {:.6g} / {:.6g} {:.6g} {:.6g}: "
            "half its shortest height is {:.6g} nm). Choose a cut-off of at most {:.6g} nm, or a "
            "larger cell.",
            nonbonded.cutoff(), h[0].x, h[1].y, h[2].z, h[1].x, h[2].x, h[2].y, limit, limit));
    }
}

std::unique_ptr<Backend> loaded(std::unique_ptr<Backend> backend, const State& start)
{
    backend->load(start);
    return backend;
}

std::unique_ptr<Backend> cpu_backend(const std::shared_ptr<const Topology>& topology,
                                     NonbondedSettings nonbonded, const DynamicsSettings& dynamics,
                                     const State& start, int threads, Transport* ranks)
{
    if (dynamics.minimises()) {
        nonbonded.precision = Precision::fp64; // trial positions may overlap
        nonbonded.shuffle_seed = 0;            // nor are all sums exact
    }
    check_cell(nonbonded, dynamics, start.box);
    const bool has_limit = start.box.is_periodic() && std::isfinite(nonbonded.cutoff());
    const double smallest_cell = has_limit ? 2 * nonbonded.cutoff() : 0;
    if (ranks != nullptr && ranks->size() > 1) {
        return loaded(std::make_unique<DomainBackend>(topology, nonbonded, dynamics, smallest_cell,
                                                      *ranks, threads),
                      start);
    }
    return loaded(
        std::make_unique<CpuBackend>(topology, dynamics, make_cpu_forces(topology, nonbonded),
                                     CellLimits{smallest_cell, list_reach(nonbonded)}, threads),
        start);
}

std::unique_ptr<Backend> cpu_backend(std::shared_ptr<const Topology> topology,
                                     std::vector<std::unique_ptr<ForceProvider>> forces,
                                     const DynamicsSettings& dynamics, const State& start,
                                     int threads)
{
    check_cell({}, dynamics, start.box);
    return loaded(std::make_unique<CpuBackend>(std::move(topology), dynamics, std::move(forces),
                                               CellLimits{}, threads),
                  start);
}

} // namespace

Simulation::Simulation(std::shared_ptr<const Topology> topology, NonbondedSettings nonbonded,
                       DynamicsSettings dynamics, State start, int threads, StartKind kind,
                       Transport* ranks)
    : Simulation(cpu_backend(topology, nonbonded, dynamics, start, threads, ranks), dynamics, kind)
{
}

Simulation::Simulation(std::shared_ptr<const Topology> topology, DynamicsSettings dynamics,
                       State start, int threads, std::vector<std::unique_ptr<ForceProvider>> forces,
                       StartKind kind)
    : Simulation(cpu_backend(std::move(topology), std::move(forces), dynamics, start, threads),
                 dynamics, kind)
{
}

Simulation::Simulation(std::unique_ptr<Backend> backend, const DynamicsSettings& dynamics,
                       StartKind kind)
    : dynamics_(dynamics), backend_(std::move(backend)),
      scheme_(make_scheme(dynamics, backend_->has_constraints())), kind_(kind)
{
}

Simulation::~Simulation() = default;

void Simulation::add_observer(Observer& observer)
{
    observers_.push_back(&observer);
}

StepPlan Simulation::plan_for(std::int64_t step)
{
    StepPlan plan{step};
    for (const Observer* observer : observers_) {
        const Interest interest = observer->interest(step);
        plan.listeners = plan.listeners || interest.listens;
        plan.energies = plan.energies || (interest.listens && interest.wanted.energies);
        plan.virial = plan.virial || (interest.listens && interest.wanted.virial);
        plan.hashes = plan.hashes || (interest.listens && interest.wanted.hashes);
        plan.atoms = plan.atoms || (interest.listens && interest.atoms);
        plan.forces = plan.forces || (interest.listens && interest.forces);
        plan.room = plan.room || (interest.listens && observer->needs_room());
    }
    bool* const flags[] = {&plan.listeners, &plan.energies, &plan.virial, &plan.hashes,
                           &plan.atoms,     &plan.forces,   &plan.room};
    std::array<std::int64_t, std::size(flags)> asked{};
    std::transform(std::begin(flags), std::end(flags), asked.begin(),
                   [](const bool* flag) { return *flag ? 1 : 0; });
    backend_->agree(asked); // any rank's listeners count
    for (std::size_t k = 0; k < asked.size(); ++k) {
        *flags[k] = asked[k] > 0;
    }
    // the barostat measures the pressure where the next step begins, and after it has acted; a
    // minimiser judges by energy
    plan.virial =
        plan.virial ||
        (dynamics_.barostat != BarostatKind::none &&
         (step % dynamics_.couple_every == 0 || (step - 1) % dynamics_.couple_every == 0));
    plan.energies = plan.energies || dynamics_.minimises();
    return plan;
}

void Simulation::begin()
{
    if (begun_) {
        return;
    }
    begun_ = true;
    if (kind_ == StartKind::fresh) {
        backend_->project_positions();
        if (dynamics_.generate_velocities) {
            backend_->draw_velocities(dynamics_.velocity_temperature, dynamics_.seed);
        }
    }
    plan_ = plan_for(state().step);
    plan_.energies = plan_.virial = true; // one evaluation, and the state can be looked at
    compute_forces(plan_);
    if (dynamics_.minimises()) {
        make_descent_possible();
    }

    const bool half_step_behind = scheme_.velocities_half_step_behind;
    if (kind_ == StartKind::fresh || state().velocities_half_step_behind != half_step_behind) {
        backend_->adopt_velocities(half_step_behind);
    }
    if (kind_ == StartKind::fresh) {
        notify(plan_);
    }
}

/// Atoms that stand on one another have no force to follow.
void Simulation::make_descent_possible()
{
    if (std::string parted = backend_->part_coincident_atoms(); !parted.empty()) {
        notes_.push_back(std::move(parted));
        compute_forces(plan_);
    }
    const double potential = backend_->energies().potential();
    if (!std::isfinite(potential)) {
        const LargestForce largest = backend_->largest_free_force();
        throw PhysicsError(
            fmt::format("step {}: the potential energy is {}, the largest force {:.6g} kJ/mol/nm "
                        "on {} (without a finite energy nothing tells which way is down). Correct "
                        "the start structure there.",
                        state().step, potential, largest.force, describe(largest.atom)));
    }
}

void Simulation::step()
{
    begin();
    const StepPlan plan = plan_for(state().step + 1); // energies? virial? who listens?
    observables_.reset();

    for (const SubStep& sub : scheme_) { // e.g. kick, drift, forces, kick
        if (is_force_evaluation(sub)) {
            compute_forces(plan);
        } else {
            backend_->perform(sub);
        }
    }

    backend_->advance_clock();
    plan_ = plan;
    notify(plan);
}

/// Forces at the present positions.
///
/// What must precede what, and what may run at the same time:
///
///     begin          places virtual sites, makes pair lists     before all others
///     local forces   need the lists
///     long range     needs positions only                       beside local forces, until joined
///     long.join      before anyone reads forces
///     finish         spreads virtual sites' forces              after all others
///
/// On return forces are complete.
void Simulation::compute_forces(const StepPlan& plan)
{
    const Wanted wanted{plan.energies, plan.virial, plan.hashes};

    backend_->begin_forces(wanted);
    auto long_range = backend_->begin_long_range(wanted);
    backend_->add_local_forces(wanted);
    backend_->join(std::move(long_range));
    backend_->finish_forces(wanted);
}

void Simulation::notify(const StepPlan& plan)
{
    if (!plan.listeners) {
        return;
    }
    // what ranks do together comes first: not all of them have listeners
    if (plan.energies && plan.virial) {
        static_cast<void>(observables());
    }
    std::vector<Vec3> all_forces;
    if (plan.atoms) {
        backend_->collect();
    }
    if (plan.forces) {
        all_forces = forces();
    }
    if (plan.room) {
        backend_->let_go();
    }
    const StepView view(
        plan, state(), [this]() -> const Observables& { return observables(); },
        [&] { return all_forces; }, backend_->phase_hashes());
    for (Observer* observer : observers_) {
        if (observer->interest(plan.step).listens) {
            const ScopedPhase phase(backend_->times(), observer->phase());
            observer->notify(view);
        }
    }
}

void Simulation::run(std::int64_t until_step, const std::function<bool()>& stop)
{
    begin();
    const bool minimises = dynamics_.minimises();
    while (state().step < until_step && !(minimises && (is_stuck() || minimised()))) {
        step();
        if (stop && stop()) {
            return;
        }
    }
}

void Simulation::collect()
{
    backend_->collect();
}

void Simulation::make_room()
{
    backend_->let_go();
}

void Simulation::agree(std::span<std::int64_t> numbers)
{
    backend_->agree(numbers);
}

const State& Simulation::state() const
{
    return backend_->state();
}

std::vector<Vec3> Simulation::forces()
{
    begin();
    return backend_->forces();
}

double Simulation::degrees_of_freedom() const
{
    return backend_->degrees_of_freedom();
}

const Observables& Simulation::observables()
{
    begin();
    if (!observables_) {
        if (!plan_.energies || !plan_.virial) {
            plan_.energies = plan_.virial = true;
            compute_forces(plan_); // exact sums: the forces keep their bits
        }
        observables_ = gather();
    }
    return *observables_;
}

Observables Simulation::gather()
{
    const State& now = state();
    const EnergySums& sums = backend_->energies();
    const Motion motion = backend_->measure_motion();
    const BathEnergies baths = backend_->bath_energies();

    Observables o;
    o.step = now.step;
    o.time = now.time;
    o.box = now.box;
    for (std::size_t k = 0; k < energy_kind_count; ++k) {
        o.energy[k] = sums.energy(static_cast<EnergyKind>(k));
    }
    o.potential = sums.potential();
    o.kinetic_tensor = motion.kinetic;
    o.kinetic = trace(motion.kinetic);
    o.total = o.potential + o.kinetic;
    o.conserved = o.total - baths.thermostat - baths.barostat;
    o.degrees_of_freedom = backend_->degrees_of_freedom();
    o.temperature = o.degrees_of_freedom > 0
                        ? 2 * o.kinetic / (o.degrees_of_freedom * constants::boltzmann)
                        : 0;
    if (dynamics_.minimises()) {
        const LargestForce largest = backend_->largest_free_force();
        o.largest_force = largest.force;
        o.largest_force_atom = largest.atom;
    }
    o.constraint_virial = motion.constraint_virial;
    o.virial = sums.virial() + motion.constraint_virial;
    if (now.box.is_periodic()) {
        o.volume = now.box.volume();
        o.pressure_tensor = (2 / o.volume) * (o.kinetic_tensor - o.virial);
        o.pressure = trace(o.pressure_tensor) / 3;
    }
    return o;
}

bool Simulation::minimised()
{
    return largest_force().force < dynamics_.minimizer_tolerance; // NaN is not
}

bool Simulation::is_stuck()
{
    constexpr double shortest_trial = 1e-9; // nm; below it energies differ by rounding alone
    return backend_->trial_length() < shortest_trial;
}

LargestForce Simulation::largest_force()
{
    begin();
    return backend_->largest_free_force();
}

std::string Simulation::describe(std::int64_t atom) const
{
    return backend_->describe(atom);
}

ExtraState Simulation::export_extra() const
{
    return backend_->export_extra();
}

void Simulation::import_extra(const ExtraState& extra)
{
    backend_->import_extra(extra);
}

const PhaseTimes& Simulation::times() const
{
    return backend_->times();
}

void Simulation::clear_times()
{
    backend_->times().clear();
}

} // namespace tessera
