#include "engine/cpu/cpu_backend.hpp"

#include "engine/base/atom_fault.hpp"
#include "engine/base/contract.hpp"
#include "engine/cpu/few.hpp"
#include "engine/cpu/phase_hashes.hpp"
#include "engine/cpu/position_grid.hpp"
#include "engine/cpu/update.hpp"
#include "engine/cpu/update_groups.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tessera
{

namespace
{

/// No atom of a sound simulation moves this far in one step; a pair list could not follow, nor
/// could constraints. nm
constexpr double longest_move = 0.5;

void check_particles(const Topology& topology)
{
    if (!topology.dynamics_refusals.empty()) {
        throw InputError(topology.dynamics_refusals.front() +
                         " (its energy can be evaluated, but it cannot be moved). Use `energy`, or "
                         "a model without it.");
    }
    for (std::int32_t a = 0; a < topology.atoms(); ++a) {
        const auto k = static_cast<std::size_t>(a);
        if (topology.kind[k] == ParticleKind::shell) {
            throw InputError(describe_atom(topology, a) + " is a shell (shells are not moved yet). "
                                                          "Use a model without shells.");
        }
        if (topology.kind[k] == ParticleKind::atom && !(topology.mass[k] > 0)) {
            throw InputError(fmt::format("{} has mass {} u (a force would move it infinitely "
                                         "fast). Give it a mass, or make it a virtual site.",
                                         describe_atom(topology, a), topology.mass[k]));
        }
    }
}

/// A minimiser knows no masses: with equal weights the constraints project at right angles, so that
/// a move down the forces stays one.
std::shared_ptr<const Topology> weighed_for(std::shared_ptr<const Topology> topology,
                                            Integrator integrator)
{
    check_particles(*topology);
    if (integrator != Integrator::steepest_descent) {
        return topology;
    }
    auto equal = std::make_shared<Topology>(*topology);
    for (double& m : equal->mass) {
        m = m > 0 ? 1 : 0;
    }
    return equal;
}

} // namespace

CpuBackend::CpuBackend(std::shared_ptr<const Topology> topology, const DynamicsSettings& settings,
                       Forces forces, const CellLimits& limits, const Crew& crew)
    : topology_(weighed_for(std::move(topology), settings.integrator)), settings_(settings),
      providers_(std::move(forces)), virtual_sites_(*topology_),
      constraints_(topology_, make_constraint_plan(*topology_)), limits_(limits), crew_(crew),
      threads_(crew.threads()), descent_{settings.minimizer_step, {}, {}, {}, false, false, false}
{
    for (const double m : topology_->mass) {
        totals_.mass += m;
    }
    totals_.degrees_of_freedom =
        tessera::degrees_of_freedom(*topology_, constraints_.plan(), settings.remove_com_every > 0);
    totals_.has_constraints = !constraints_.empty();
    prepare_atoms();
    descent_.at_start = settings.minimises();
}

/// Of the topology at hand.
void CpuBackend::prepare_atoms()
{
    forces_ = ForceSums(topology_->mass.size(), SumMode::exact);
    unconstrained_.clear();
    if (!totals_.has_constraints) {
        return;
    }
    const std::vector<bool> is_constrained = constrained_atoms(*topology_);
    for (std::int32_t a = 0; a < topology_->atoms(); ++a) {
        if (!is_constrained[static_cast<std::size_t>(a)]) {
            unconstrained_.push_back(a);
        }
    }
}

CpuBackend::~CpuBackend() = default;

void CpuBackend::load(const State& state)
{
    const std::size_t atoms = topology_->mass.size();
    if (state.position.size() != atoms ||
        (!state.velocity.empty() && state.velocity.size() != atoms)) {
        throw InputError(
            fmt::format("the state holds {} positions and {} velocities, the topology "
                        "{} atoms (they belong to different systems). Give coordinates "
                        "that match the topology.",
                        state.position.size(), state.velocity.size(), atoms));
    }
    state_ = state;
    adopt_box(state.box);
    time_origin_ = state.time - static_cast<double>(state.step) * settings_.timestep;
    set_atoms(state);
    make_groups_whole(*topology_, constraints_.plan(), state_.box, state_.position);
}

void CpuBackend::set_atoms(const State& state)
{
    const std::size_t atoms = topology_->mass.size();
    state_.position = state.position;
    state_.velocity = state.velocity;
    state_.velocity.resize(atoms);
    for (std::size_t a = 0; a < atoms; ++a) {
        if (!(topology_->mass[a] > 0)) {
            state_.velocity[a] = {};
        }
    }
    image_.assign(atoms, {0, 0, 0});
    placed_.assign(atoms, {});
    choose_images();
}

void CpuBackend::adopt_part(std::shared_ptr<const Topology> part, Forces forces, const State& state)
{
    topology_ = std::move(part);
    providers_ = std::move(forces);
    virtual_sites_ = VirtualSites(*topology_);
    constraints_ = Constraints(topology_, make_constraint_plan(*topology_));
    prepare_atoms();
    set_atoms(state); // groups are whole from load() on
}

std::string CpuBackend::when() const
{
    return fmt::format("step {}, time {:.6g} ps", state_.step, state_.time);
}

void CpuBackend::fail_at(std::int64_t atom, const std::string& what) const
{
    throw AtomFault(fmt::format("{}: {}", when(), what),
                    number_of(*topology_, static_cast<std::size_t>(atom)));
}

// ----- forces

void CpuBackend::adopt_box(const Box& box)
{
    places_ = place_grid(box);
    state_.box = places_.box();
    const Mat3& h = state_.box.vectors();
    cell_row_ = state_.box.is_periodic()
                    ? std::array<GridPosition, 3>{to_grid(h[0]), to_grid(h[1]), to_grid(h[2])}
                    : std::array<GridPosition, 3>{};
}

/// position - image, in integers, then rounded to the grid of places: exact near the cell.
Vec3 CpuBackend::placed(std::size_t atom) const
{
    const auto& row = cell_row_;
    const auto& n = image_[atom];
    GridPosition g = state_.position[atom];
    g.x -= n[0] * row[0].x + n[1] * row[1].x + n[2] * row[2].x;
    g.y -= n[1] * row[1].y + n[2] * row[2].y;
    g.z -= n[2] * row[2].z;
    return to_nm(places_.rounded(g));
}

void CpuBackend::place_atoms()
{
    const auto atoms = static_cast<std::int64_t>(placed_.size());
#pragma omp parallel for num_threads(threads_) if (atoms > few_atoms) schedule(static)
    for (std::int64_t a = 0; a < atoms; ++a) {
        placed_[static_cast<std::size_t>(a)] = placed(static_cast<std::size_t>(a));
    }
}

void CpuBackend::set_ghost(std::size_t atom, const GridPosition& x)
{
    state_.position[atom] = x;
    placed_[atom] = placed(atom);
}

/// Sites follow their parents, by whole steps of the grid of places.
void CpuBackend::place_virtual_sites()
{
    if (virtual_sites_.empty()) {
        return;
    }
    const ScopedPhase phase(times_, "virtual sites");
    virtual_sites_.construct(state_.box, placed_, places_);
    for (const VirtualSite& site : topology_->virtual_sites) {
        const auto s = static_cast<std::size_t>(site.site);
        const auto p = static_cast<std::size_t>(site.parents.front());
        const GridPosition g = to_grid(placed_[s]);
        const GridPosition parent = to_grid(placed_[p]);
        placed_[s] = to_nm(g);
        image_[s] = image_[p];
        const GridPosition& home = state_.position[p];
        state_.position[s] = {home.x + (g.x - parent.x), home.y + (g.y - parent.y),
                              home.z + (g.z - parent.z)};
    }
}

/// Takes from every atom the cell vectors that bring it into the cell.
void CpuBackend::choose_images()
{
    if (!state_.box.is_periodic()) {
        return;
    }
    const PositionGrid cell(state_.box);
    for (std::size_t a = 0; a < image_.size(); ++a) {
        static_cast<void>(cell.canonical(places_.rounded(state_.position[a]), image_[a]));
    }
}

void CpuBackend::place_sites()
{
    if (!virtual_sites_.empty()) {
        place_atoms();
        place_virtual_sites();
    }
}

bool CpuBackend::place_and_ask()
{
    place_atoms();
    place_virtual_sites();
    return std::any_of(providers_.begin(), providers_.end(), [&](const auto& p) {
        return p->needs_search(state_.box, placed_, threads_);
    });
}

void CpuBackend::search()
{
    const ScopedPhase phase(times_, "search");
    for (const auto& provider : providers_) {
        provider->make_room();
    }
    choose_images();
    place_atoms();
    place_virtual_sites();
    for (const auto& provider : providers_) {
        provider->search(state_.box, placed_, threads_);
    }
}

void CpuBackend::begin_forces(Wanted wanted)
{
    if (place_and_ask()) {
        search();
    }
    clear_forces(wanted);
}

void CpuBackend::clear_forces(Wanted wanted)
{
    if (forces_.mode() == SumMode::exact) {
        forces_.clear();
    } else {
        forces_ = ForceSums(topology_->mass.size(), SumMode::exact);
    }
    energies_ = {};
    if (wanted.hashes) {
        hashes_ = {{"positions", hash_of_positions(state_.box, placed_).value()}};
    }
}

void CpuBackend::let_go()
{
    for (const auto& provider : providers_) {
        provider->let_go();
    }
}

void CpuBackend::add_forces_of(bool long_range, Wanted wanted, int threads)
{
    for (const auto& provider : providers_) {
        if (provider->is_long_range() == long_range) {
            const ScopedPhase phase(times_, provider->phase());
            const ForceSums before = wanted.hashes ? forces_ : ForceSums();
            provider->add_forces(state_.box, placed_, wanted, threads, forces_, energies_);
            if (wanted.hashes) {
                for (PhaseHash& hash : provider->phase_hashes()) {
                    hashes_.push_back(std::move(hash));
                }
                hashes_.push_back({std::string(provider->phase()),
                                   hash_of_added_forces(before, forces_).value()});
            }
        }
    }
}

void CpuBackend::add_local_forces(Wanted wanted)
{
    add_forces_of(false, wanted, threads_);
}

/// A piece of one of the providers'.
bool CpuBackend::add_ahead(bool long_range, Wanted wanted)
{
    return std::any_of(providers_.begin(), providers_.end(), [&](const auto& provider) {
        if (provider->is_long_range() != long_range) {
            return false;
        }
        const ScopedPhase phase(times_, provider->phase());
        return provider->add_ahead(state_.box, placed_, wanted, threads_, forces_, energies_);
    });
}

bool CpuBackend::add_ahead(Wanted wanted)
{
    return !wanted.hashes && add_ahead(false, wanted); // phases are told apart by their sums
}

LongRangeToken CpuBackend::begin_long_range(Wanted wanted)
{
    while (add_ahead(true, wanted)) {
    }
    return LongRangeToken(wanted);
}

void CpuBackend::join(LongRangeToken token)
{
    TESSERA_EXPECT(token.is_open());
    add_forces_of(true, token.wanted(), threads_);
}

/// Trial positions of a minimiser may overlap beyond the range of exact sums. On one thread, so
/// that the order of sums is that of the list.
void CpuBackend::sum_in_floating_point(Wanted wanted)
{
    forces_ = ForceSums(topology_->mass.size(), SumMode::floating);
    energies_ = {};
    wanted.hashes = false;
    add_forces_of(false, wanted, 1);
    add_forces_of(true, wanted, 1);
}

void CpuBackend::finish_forces(Wanted wanted)
{
    if (settings_.minimises() && forces_.out_of_range() >= 0) {
        sum_in_floating_point(wanted);
    }
    if (!virtual_sites_.empty()) {
        const ScopedPhase phase(times_, "virtual sites");
        virtual_sites_.spread(state_.box, placed_, wanted, forces_, energies_);
    }
    if (wanted.energies || wanted.virial) {
        crew_.add_up(energies_);
    }
    if (wanted.hashes) {
        hashes_.push_back({"all forces", hash_of_added_forces(ForceSums(), forces_).value()});
        hashes_.push_back({"energies", energies_.hash_of_energies().value()});
        hashes_.push_back({"virial", energies_.hash_of_virial().value()});
    }
    const std::int64_t atom = first_without_finite_force();
    if (const std::int64_t partner = forces_.out_of_range_partner(); partner >= 0) {
        const Vec3 x = to_nm(state_.position[static_cast<std::size_t>(atom)]);
        const double apart =
            norm(nearest_side(state_.box, state_.position[static_cast<std::size_t>(atom)],
                              state_.position[static_cast<std::size_t>(partner)]));
        if (apart > 0.15) { // nm: farther than bonded atoms
            fail_at(
                atom,
                fmt::format(
                    "the force between {} and {} is beyond the range of mixed precision, although "
                    "they stand {:.4g} nm apart (too near for atoms of their size, or their "
                    "charges or "
                    "Lennard-Jones numbers are larger than those of atoms). Minimise the start "
                    "structure, correct the topology, or set compute.precision = \"fp64\".",
                    describe_atom(*topology_, atom), describe_atom(*topology_, partner), apart));
        }
        fail_at(atom,
                fmt::format(
                    "the force between {} at ({:.4f}, {:.4f}, {:.4f}) nm and {} is not finite or "
                    "beyond the range of mixed precision, {:.6g} kJ/mol/nm, without charges {:.6g} "
                    "(atoms "
                    "overlap, or the step is too long). Minimise the start structure, shorten "
                    "run.timestep, or set "
                    "compute.precision = \"fp64\".",
                    describe_atom(*topology_, atom), x.x, x.y, x.z,
                    describe_atom(*topology_, partner), fixed::largest_pair_force,
                    fixed::largest_pair_force_uncharged));
    }
    if (descent_.on_trial) {
        const bool sound = atom < 0 && (!wanted.energies || std::isfinite(energies_.potential()));
        descent_.broken = descent_.broken || !sound;
    } else if (atom >= 0 && !descent_.at_start) {
        const Vec3 x = to_nm(state_.position[static_cast<std::size_t>(atom)]);
        fail_at(atom,
                fmt::format(
                    "the force on {} at ({:.4f}, {:.4f}, {:.4f}) nm is not finite or beyond {:.3g} "
                    "kJ/mol/nm (atoms overlap, or the step is too long). Minimise the start "
                    "structure, or "
                    "shorten run.timestep.",
                    describe_atom(*topology_, atom), x.x, x.y, x.z, fixed::largest_force));
    }
    if (pending_stretch_ != 0) {
        book_stretch();
    }
    clear_corrections();
}

/// Other things were there; constraints leave those of other atoms alone.
void CpuBackend::clear_corrections()
{
    for (const std::int32_t atom : unconstrained_) {
        correction_[static_cast<std::size_t>(atom)] = {};
    }
}

/// Makes corrections of the displacements from there.
std::optional<BrokenConstraint>
CpuBackend::correct_displacements(std::span<const GridPosition> from)
{
    const auto broken =
        constraints_.constrain_positions(state_.box, from, correction_, correction_, threads_);
    clear_corrections();
    return broken;
}

/// Or beyond the range of exact sums; -1: none.
std::int64_t CpuBackend::first_without_finite_force() const
{
    if (forces_.mode() == SumMode::exact) {
        return forces_.out_of_range();
    }
    for (std::size_t a = 0; a < forces_.size(); ++a) {
        const Vec3 f = forces_.force(a);
        if (!std::isfinite(f.x) || !std::isfinite(f.y) || !std::isfinite(f.z)) {
            return static_cast<std::int64_t>(a);
        }
    }
    return -1;
}

std::string CpuBackend::describe(std::int64_t atom) const
{
    return describe_atom(*topology_, atom);
}

std::vector<Vec3> CpuBackend::forces() const
{
    std::vector<Vec3> out;
    out.reserve(forces_.size());
    for (std::size_t a = 0; a < forces_.size(); ++a) {
        out.push_back(forces_.force(a));
    }
    return out;
}

// ----- sub-steps that move atoms

void CpuBackend::perform(const SubStep& sub_step)
{
    std::visit([this](const auto& s) { run(s); }, sub_step);
}

void CpuBackend::run(const Kick& s)
{
    const ScopedPhase phase(times_, "update");
    kick(state_.velocity, topology_->mass, forces_, s.fraction.of(settings_.timestep), threads_);
}

void CpuBackend::run(const Drift& s)
{
    const ScopedPhase phase(times_, "update");
    const std::int64_t atom =
        find_displacements(state_.velocity, topology_->mass, s.fraction.of(settings_.timestep),
                           longest_move, correction_, threads_);
    if (atom >= 0) {
        const Vec3 v = state_.velocity[static_cast<std::size_t>(atom)];
        fail_at(atom,
                fmt::format(
                    "{} has the velocity ({:.4g}, {:.4g}, {:.4g}) nm/ps and would move more "
                    "than {} nm in this step (the simulation has become unstable). Minimise the "
                    "start structure, or shorten run.timestep.",
                    describe_atom(*topology_, atom), v.x, v.y, v.z, longest_move));
    }
    if (!has_constraints()) {
        displace(state_.position, correction_, threads_);
    }
}

/// Finishes the drift, which has only found displacements, or corrects the descent.
void CpuBackend::run(const ConstrainPositions& s)
{
    const ScopedPhase phase(times_, "constraints");
    if (descent_.on_trial) {
        if (correct_displacements(descent_.position)) {
            descent_.broken = true; // too long a trial: it will be taken back and shortened
            state_.position = descent_.position;
        } else {
            displace(state_.position, correction_, threads_);
        }
        return;
    }
    const double dt = s.fraction.of(settings_.timestep);
    if (const auto broken = correct_displacements(state_.position)) {
        find_displacements(state_.velocity, topology_->mass, dt, longest_move, correction_,
                           threads_);
        displace(state_.position, correction_, threads_); // to tell where they would be
        require(broken, "the distance");
    }
    drift_corrected(state_.position, state_.velocity, topology_->mass, dt, correction_, threads_);
}

void CpuBackend::run(const ConstrainVelocities&)
{
    const ScopedPhase phase(times_, "constraints");
    require(constraints_.constrain_velocities(state_.box, state_.position, state_.velocity,
                                              correction_, threads_),
            "the velocity");
    add_scaled(state_.velocity, correction_, 1, threads_);
}

/// Returns the kinetic energy that went.
double CpuBackend::remove_com_motion()
{
    const Vec3 p = momentum(state_.velocity, topology_->mass, crew_);
    shift_velocities(state_.velocity, topology_->mass, (1 / totals_.mass) * p, threads_);
    return 0.5 * norm2(p) / totals_.mass;
}

void CpuBackend::run(const RemoveComMotion& s)
{
    if (is_due(s.every)) {
        const ScopedPhase phase(times_, "update");
        baths_.thermostat -= remove_com_motion();
    }
}

void CpuBackend::run(const tessera::Forces&)
{
    throw ContractViolation("forces are evaluated by their own verbs, not by perform()");
}

void CpuBackend::advance_clock()
{
    ++state_.step;
    state_.time = time_origin_ + static_cast<double>(state_.step) * settings_.timestep;
}

ExtraState CpuBackend::export_extra() const
{
    return {{"bath_energies", {baths_.thermostat, baths_.barostat}},
            {"time_origin", {time_origin_}},
            {"trial_length", {descent_.length}}};
}

void CpuBackend::import_extra(const ExtraState& extra)
{
    const auto numbers = [&](const char* name, std::size_t count) {
        const auto at = extra.find(name);
        if (at == extra.end() || at->second.size() != count) {
            throw InputError(fmt::format("the checkpoint lacks \"{}\" with {} numbers (it was "
                                         "written by another version). Start anew from its last "
                                         "positions.",
                                         name, count));
        }
        return at->second;
    };
    const auto baths = numbers("bath_energies", 2);
    baths_ = {baths[0], baths[1]};
    time_origin_ = numbers("time_origin", 1)[0];
    descent_.length = numbers("trial_length", 1)[0];
}

} // namespace tessera
