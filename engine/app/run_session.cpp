#include "engine/app/run_session.hpp"

#include "engine/app/agreement.hpp"
#include "engine/app/energy_report.hpp"
#include "engine/app/exit_status.hpp"
#include "engine/app/rank_places.hpp"
#include "engine/app/run_closing.hpp"
#include "engine/app/run_files.hpp"
#include "engine/app/slurm_time.hpp"
#include "engine/app/start_state.hpp"
#include "engine/app/system_summary.hpp"
#include "engine/app/threads.hpp"
#include "engine/app/tune_mesh.hpp"
#include "engine/app/version.hpp"
#include "engine/base/let_go.hpp"
#include "io/topology_hash.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <iostream>
#include <numeric>

namespace tessera
{

RunSession::RunSession(LoadedSystem system, const RunOptions& options, const StopRequest& stop,
                       Transport* ranks)
    : system_(std::move(system)), stop_(stop), ranks_(ranks),
      speaks_(ranks == nullptr || ranks->rank() == 0), quiet_(options.quiet || !speaks_),
      threads_(threads_to_use(system_.deck.compute.threads)), progress_(quiet_)
{
    const Deck& deck = system_.deck;
    const Topology& topology = *system_.assembly.topology;
    if (!topology.dynamics_refusals.empty()) {
        std::string reasons;
        for (const std::string& reason : topology.dynamics_refusals) {
            reasons += "\n  " + reason;
        }
        throw InputError(fmt::format("{}: this system cannot be run, only evaluated (tessera "
                                     "energy):{}",
                                     deck.system.topology.string(), reasons));
    }
    if (deck.output.time_limit_of_slurm && speaks_) {
        system_.deck.output.time_limit = time_left_in_slurm_job(deck.place_of("output.time_limit"));
    }
    system_.deck.compute.threads = threads_;         // what the opening tells
    let_go(system_.assembly.coordinates.atom_names); // compared with the topology's
    let_go(system_.assembly.coordinates.residue_names);
    let_go(system_.assembly.coordinates.residue_numbers);
    if (speaks_) {
        lock_files();
    }
    hash_ = topology_hash(topology);
    kinds_ = kinds_present(topology, system_.assembly.nonbonded);
    choose_start(options.continuation);
    if (ranks_ != nullptr) { // each has read the checkpoint for itself
        require_agreement(*ranks_, told_by_checkpoint(continued_ ? &start_ : nullptr));
    }
    if (start_.step < deck.dynamics.steps || !continued_) { // of zero steps the start is written
        if (speaks_) {
            open_files();
        }
        make_simulation();
    } else if (speaks_) {
        look_at_trajectory();
    }
}

RunSession::~RunSession() = default;

void RunSession::choose_start(const std::string& continuation)
{
    const Deck& deck = system_.deck;
    const auto& file = deck.output.checkpoint;
    if (!continuation.empty()) {
        if (!file) {
            throw InputError(fmt::format("{}: --continue needs a checkpoint (output.checkpoint = "
                                         "\"none\"). Name the file to continue from.",
                                         deck.file.string()));
        }
        if (has_checkpoint(file->string())) {
            ReadCheckpoint read = read_checkpoint(file->string());
            if (!read.warning.empty() && speaks_) {
                std::cerr << "warning: " << read.warning << '\n';
            }
            check_same_system(deck, hash_, *system_.assembly.topology, read.checkpoint, read.path);
            check_same_settings(deck, read.checkpoint, file->string());
            take_mesh(read.checkpoint, system_.assembly.nonbonded);
            start_ = read.checkpoint.state;
            continued_from_ = read.path;
            continued_ = std::move(read.checkpoint);
            return;
        }
        if (continuation != "if-present") {
            throw InputError(fmt::format("{}: there is no checkpoint to continue from. Run without "
                                         "--continue to start anew, or with --continue=if-present.",
                                         file->string()));
        }
    }
    Diagnostics diagnostics;
    start_ = start_state(deck, system_.assembly, diagnostics);
    if (speaks_) {
        print_warnings(diagnostics);
    }
    diagnostics.throw_if_any();
    if (deck.pme.tune) {
        choose_mesh();
    }
}

/// By its speed, which is no two ranks' the same: the first one chooses for all.
void RunSession::choose_mesh()
{
    NonbondedSettings& nonbonded = system_.assembly.nonbonded;
    std::array<std::int64_t, 4> choice{};
    if (speaks_) {
        const TunedMesh tuned = tune_mesh(system_.assembly, start_, threads_);
        const auto& best = tuned.tried[tuned.chosen];
        choice = {best.grid[0], best.grid[1], best.grid[2], best.order};
        tuned_ = in_words(tuned);
    }
    if (ranks_ != nullptr) {
        ranks_->add(choice);
    }
    for (std::size_t d = 0; d < 3; ++d) {
        nonbonded.pme_grid[d] = static_cast<int>(choice[d]);
    }
    nonbonded.pme_order = static_cast<int>(choice[3]);
}

void RunSession::make_simulation()
{
    const Deck& deck = system_.deck;
    system_.assembly.coordinates = {}; // the start has them
    simulation_ = std::make_unique<Simulation>(
        system_.assembly.topology, system_.assembly.nonbonded, deck.dynamics, std::move(start_),
        threads_, continued_ ? StartKind::continued : StartKind::fresh, ranks_);
    if (continued_) {
        ExtraState extra;
        for (const auto& [name, values] : continued_->doubles) {
            if (name.rfind("settings.", 0) != 0) {
                extra[name] = values;
            }
        }
        simulation_->import_extra(extra);
    }
    if (speaks_) {
        add_accuracy_check();
    }
    if (log_.is_open()) {
        energy_log_ = std::make_unique<EnergyLog>(
            log_, kinds_, deck.output.energies_every, system_.assembly.box.is_periodic(),
            minimises() ? LogKind::minimisation : LogKind::dynamics,
            std::accumulate(system_.assembly.topology->mass.begin(),
                            system_.assembly.topology->mass.end(), 0.0));
        simulation_->add_observer(*energy_log_);
    }
    if (log_.is_open() && deck.output.hash_every > 0) {
        hash_log_ = std::make_unique<HashLog>(log_, deck.output.hash_every);
        simulation_->add_observer(*hash_log_);
    }
    if (trajectory_observer_) {
        simulation_->add_observer(*trajectory_observer_);
    }
}

/// First among the observers: a frame of unsound forces is not written. A minimiser's forces are
/// FP64 and its steps heat nothing.
void RunSession::add_accuracy_check()
{
    const Deck& deck = system_.deck;
    if (deck.compute.check_every <= 0 || minimises()) {
        return;
    }
    accuracy_check_ = std::make_unique<AccuracyCheck>(
        system_.assembly.topology, system_.assembly.nonbonded, deck.dynamics,
        simulation_->degrees_of_freedom(), deck.compute.check_every, threads_,
        [this](const AccuracyCheck::Finding& found) {
            if (log_.is_open()) {
                log_ << fmt::format("# check at step {}: {}\n", found.step, in_words(found));
            }
        });
    simulation_->add_observer(*accuracy_check_);
}

void RunSession::tell(const std::string& text)
{
    if (log_.is_open()) {
        log_ << text;
        log_.flush();
        check_log();
    }
    if (!quiet_) {
        std::cout << text << std::flush;
    }
}

void RunSession::write_opening(const std::string& places)
{
    tell(fmt::format("{}, deck {}\n{}{}", version_text(), system_.deck.file.string(),
                     system_summary(system_.deck, system_.assembly), places));
    tell(tuned_);
    if (!kept_.empty()) {
        tell(kept_);
    }
    if (continued_) {
        tell(fmt::format("continued at step {} from {}\n", start_.step, continued_from_));
    }
    if (log_.is_open()) {
        log_ << "\nkeys of the deck, defaults included\n" << keys_in_words(system_.deck) << '\n';
        energy_log_->write_head();
    }
}

int RunSession::run()
{
    if (simulation_ == nullptr) {
        return tell_that_nothing_is_left();
    }
    const std::string places = ranks_ != nullptr
                                   ? in_words(places_of_ranks(*ranks_, threads_)) +
                                         mesh_in_words(system_.assembly.nonbonded, ranks_->size())
                                   : std::string();
    if (speaks_) {
        write_opening(places);
    }
    simulate();
    progress_.finish();
    watch_.look();
    if (system_.deck.output.checkpoint) {
        write_checkpoint_now();
    }
    std::array<std::int64_t, 1> status{speaks_ ? close() : 0};
    if (ranks_ != nullptr) {
        ranks_->add(status); // all end with the first one's
    }
    return static_cast<int>(status[0]);
}

int RunSession::tell_that_nothing_is_left() const
{
    const std::int64_t last = system_.deck.dynamics.steps;
    if (!quiet_) {
        std::cout << fmt::format("nothing to do: the state is at step {} of {}\n", start_.step,
                                 last);
    }
    if (start_.step > last && speaks_) {
        std::cerr << fmt::format("warning: run.steps = {} is fewer than the {} steps that have "
                                 "been made already (it counts from step 0, not from the "
                                 "checkpoint)\n",
                                 last, start_.step);
    }
    return exit_status::done;
}

void RunSession::simulate()
{
    const std::int64_t last = system_.deck.dynamics.steps;
    try {
        simulation_->begin();
        for (const std::string& note : simulation_->notes()) {
            tell("note: " + note + '\n');
        }
        clock_ = std::make_unique<RunClock>(start_.step, last, system_.deck.dynamics.timestep);
        if (start_.step < last) {
            keep_state_before_the_cell_is_too_small(); // the first step may end the run
        }
        simulation_->run(last, [this] { return after_step(); });
    } catch (const std::exception& fault) {
        // frames so far stay readable; the state after a fault is not worth a checkpoint
        try {
            if (trajectory_) {
                trajectory_->flush();
            }
        } catch (const FileError&) { // may be the fault itself: the first one is told
        }
        if (log_.is_open()) {
            log_ << '\n' << fault.what() << '\n';
        }
        throw;
    }
}

int RunSession::close()
{
    const bool kept = system_.deck.output.checkpoint.has_value();
    if (trajectory_) {
        put_trajectory_in_place([](H5mdTrajectory& file) { file.close(); });
    }
    write_closing(stopped_by_);
    if (watch_.lost()) {
        log_ << watch_.loss() << '\n';
        throw FileError(loss_and_remedy(watch_.loss(), kept));
    }
    if (stopped_by_.empty()) {
        return exit_status::done;
    }
    if (!kept) {
        throw EnvironmentError(stopped_by_ + ", and no checkpoint was written (output.checkpoint = "
                                             "\"none\"). Name a checkpoint file to continue.");
    }
    return exit_status::stopped;
}

bool RunSession::after_step()
{
    clock_->at_step(simulation_->state().step);
    Decision decision = decide();
    if (ranks_ != nullptr) {
        std::array<std::int64_t, 2> votes{decision.stop ? 1 : 0, decision.checkpoint ? 1 : 0};
        ranks_->add(votes);
        if (votes[0] > 0 && !decision.stop) {
            stopped_by_ = "stopped by a signal to another rank";
        }
        decision = {votes[0] > 0, votes[1] > 0};
    }
    if (decision.stop) {
        return true;
    }
    keep_state_before_the_cell_is_too_small();
    if (decision.checkpoint) {
        write_checkpoint_now();
        last_checkpoint_ = clock_->elapsed();
    }
    if (speaks_) {
        progress_.tell(clock_->elapsed(), log_.is_open() ? &log_ : nullptr,
                       [this] { return progress_in_words(); });
    }
    return false;
}

/// What this rank has reasons for; all but signals are the first rank's.
RunSession::Decision RunSession::decide()
{
    const Deck& deck = system_.deck;
    const std::int64_t step = simulation_->state().step;
    if (step >= deck.dynamics.steps) {
        return {}; // arrived all the same
    }
    if (const int signal = stop_.signal(); signal != 0) {
        stopped_by_ = fmt::format("stopped by signal {} ({})", signal, strsignal(signal));
    }
    if (!speaks_) {
        return {!stopped_by_.empty(), false};
    }
    check_log();
    const double running = std::chrono::duration<double>(RunClock::Clock::now() - made_).count();
    if (deck.output.time_limit && running + time_for_a_checkpoint() > *deck.output.time_limit) {
        stopped_by_ = fmt::format("stopped before the time limit ({})",
                                  duration_in_words(*deck.output.time_limit));
    }
    const bool checkpoint_due = deck.output.checkpoint &&
                                clock_->elapsed() - last_checkpoint_ > deck.output.checkpoint_every;
    if (checkpoint_due || writes_at(deck.output, step + 1)) {
        watch_.look(); // before more is lost
    }
    if (watch_.lost()) {
        stopped_by_ = "stopped, since an output is lost: " + watch_.loss();
    }
    return {!stopped_by_.empty(), checkpoint_due};
}

void RunSession::keep_state_before_the_cell_is_too_small()
{
    constexpr double narrow = 0.02; // of the cut-off: a few actions of the barostat away
    const double cutoff = system_.assembly.nonbonded.cutoff();
    if (narrow_told_ || system_.deck.dynamics.barostat == BarostatKind::none ||
        !std::isfinite(cutoff)) {
        return;
    }
    const double half = 0.5 * simulation_->state().box.shortest_height();
    if (half > (1 + narrow) * cutoff) {
        return;
    }
    narrow_told_ = true;
    const bool kept = system_.deck.output.checkpoint.has_value();
    if (kept) {
        write_checkpoint_now();
    }
    if (!speaks_) {
        return;
    }
    std::cerr << fmt::format("warning: step {}: half the cell's shortest height ({:.6g} nm) nears "
                             "the cut-off ({:.6g} nm), below which the run stops{}\n",
                             simulation_->state().step, half, cutoff,
                             kept ? "; a checkpoint was written" : "");
}

double RunSession::time_for_a_checkpoint() const
{
    constexpr double least = 1.0; // s: a checkpoint of a large system on a slow disk
    return std::max(least, 3 * checkpoint_cost_);
}

std::string RunSession::progress_in_words() const
{
    const std::int64_t step = simulation_->state().step, last = system_.deck.dynamics.steps;
    std::string out = fmt::format("step {} of {} ({:.1f} %)", step, last,
                                  100.0 * static_cast<double>(step) / static_cast<double>(last));
    if (!minimises()) {
        out += fmt::format("  {:.6g} ps  {:.3g} ns/day so far", simulation_->state().time,
                           clock_->ns_per_day_so_far());
    }
    if (energy_log_ && !energy_log_->last_row().empty()) {
        out += "  " + energy_log_->last_row();
    }
    const double left = clock_->seconds_left();
    return out + fmt::format("  {} left (until {})", duration_in_words(left), time_of_day_in(left));
}

bool RunSession::minimises() const
{
    return system_.deck.dynamics.minimises();
}

void RunSession::write_closing(const std::string& how_it_ended)
{
    const Assembly& assembly = system_.assembly;
    const std::string statistics =
        energy_log_ ? energy_log_->summary(assembly.topology->atoms()) : std::string();
    tell(statistics + closing_words(system_.deck, assembly, *simulation_, *clock_,
                                    {how_it_ended, start_.step,
                                     ranks_ != nullptr ? ranks_->size() : 1, threads_}));
}

} // namespace tessera
