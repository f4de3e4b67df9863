// RunSession, second part: its files.
#include "engine/app/run_files.hpp"
#include "engine/app/run_session.hpp"
#include "engine/app/start_state.hpp"
#include "engine/app/system_summary.hpp"
#include "engine/app/tune_mesh.hpp"
#include "engine/app/version.hpp"
#include "io/topology_hash.hpp"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>

namespace tessera
{

void RunSession::open_files()
{
    const Deck& deck = system_.deck;
    if (!continued_) {
        kept_ = keep_earlier_run(deck);
    }
    open_log();
    open_trajectory();
    for (const auto& file : {deck.output.trajectory, deck.output.log}) {
        if (file) {
            watch_.add(*file);
        }
    }
}

/// Of a run that has nothing left to do.
void RunSession::look_at_trajectory() const
{
    const auto& file = system_.deck.output.trajectory;
    const TrajectoryEnd end = trajectory_end(*continued_);
    if (!file || end.file != file->filename().string()) {
        return;
    }
    if (!std::filesystem::exists(*file)) {
        throw InputError(fmt::format("{}: the trajectory is missing (the checkpoint {} belongs to "
                                     "it). Nothing is left to compute: put the file back.",
                                     file->string(), continued_from_));
    }
    H5mdTrajectory::require_frames(file->string(), *system_.assembly.topology, start_.step,
                                   end.last_frame);
}

void RunSession::lock_files()
{
    const auto faults = unwritable_outputs(system_.deck);
    if (!faults.empty()) {
        throw FileError(faults.front().text());
    }
    const OutputDeck& output = system_.deck.output;
    for (const auto& file : {output.checkpoint, output.trajectory, output.log}) {
        std::error_code ignored;
        if (file && !std::filesystem::is_other(*file, ignored)) { // not of a device
            locks_.emplace_back(*file);
        }
    }
}

void RunSession::open_log()
{
    const auto& file = system_.deck.output.log;
    if (!file) {
        return;
    }
    errno = 0;
    // to append: a log that others cut is not filled up with zeros
    log_.open(*file, std::ios::app);
    if (!log_) {
        throw FileError(fmt::format("{}: cannot be written ({}). Check the folder of output.log.",
                                    file->string(), std::strerror(errno)));
    }
    if (continued_ && !ends_a_line(*file)) {
        log_ << '\n';
    }
}

void RunSession::check_log() const
{
    if (!log_.is_open() || log_) {
        return;
    }
    const auto& checkpoint = system_.deck.output.checkpoint;
    throw FileError(fmt::format("{}: cannot be written any more ({}). Free space, or name another "
                                "file with output.log; what was written before is intact{}.",
                                system_.deck.output.log->string(), log_.cause(),
                                checkpoint ? "; " + what_stands(checkpoint->string()) : ""));
}

void RunSession::put_trajectory_in_place(const std::function<void(H5mdTrajectory&)>& how)
{
    try {
        how(*trajectory_);
    } catch (const FileError&) {
        if (!watch_.lost()) { // else that is told, and the state is worth its checkpoint
            throw;
        }
    }
}

void RunSession::open_trajectory()
{
    const Deck& deck = system_.deck;
    const auto& file = deck.output.trajectory;
    if (!file) {
        return;
    }
    TrajectorySettings settings;
    settings.path = file->string();
    settings.position_precision =
        deck.output.double_positions ? FloatWidth::float64 : FloatWidth::float32;
    settings.position_grid = deck.output.position_grid;
    settings.deflate_level = deck.output.deflate_level;
    settings.periodic = system_.assembly.box.is_periodic();
    const OutputDeck& output = deck.output;
    settings.velocities = output.velocities_every == output.every;
    settings.forces = output.forces_every == output.every;
    TrajectoryStrides strides{output.every, output.energies_every};
    if (!settings.velocities) {
        strides.velocities_apart = output.velocities_every;
        settings.velocities_apart = output.velocities_every > 0;
    }
    if (!settings.forces) {
        strides.forces_apart = output.forces_every;
        settings.forces_apart = output.forces_every > 0;
    }
    if (deck.dynamics.integrator == Integrator::leap_frog) {
        settings.velocity_time_offset = -0.5 * deck.dynamics.timestep;
    }
    settings.observables = TrajectoryObserver::observable_columns(!minimises());
    settings.energies = TrajectoryObserver::energy_columns(kinds_, !minimises());
    const NonbondedSettings& nonbonded = system_.assembly.nonbonded;
    settings.provenance.deck_text = deck_echo(deck) + tuned_mesh_in_words(deck, nonbonded);
    settings.provenance.program_version = version_text();
    settings.provenance.seeds = {{"run", deck.dynamics.seed},
                                 {"thermostat", deck.dynamics.thermostat_seed}};
    settings.first_step = start_.step;
    trajectory_ = continued_ ? continued_trajectory(settings)
                             : H5mdTrajectory::create(settings, *system_.assembly.topology);
    trajectory_observer_ =
        std::make_unique<TrajectoryObserver>(*trajectory_, settings, kinds_, strides, !minimises());
}

H5mdTrajectory RunSession::continued_trajectory(const TrajectorySettings& settings) const
{
    const Topology& topology = *system_.assembly.topology;
    const std::string remedy =
        fmt::format("\n hint: the checkpoint is sound: name another file with output.trajectory = "
                    "\"...\", its frames then begin after step {}",
                    start_.step);
    const TrajectoryEnd end = trajectory_end(*continued_);
    if (!std::filesystem::exists(settings.path)) {
        if (end.file == system_.deck.output.trajectory->filename().string()) {
            throw InputError(fmt::format("{}: the trajectory to continue is missing (the "
                                         "checkpoint {} belongs to it){}",
                                         settings.path, system_.deck.output.checkpoint->string(),
                                         remedy));
        }
        return H5mdTrajectory::create(settings, topology);
    }
    try {
        return H5mdTrajectory::append_to(settings, topology, start_.step, end.last_frame);
    } catch (const InputError& fault) {
        throw InputError(fault.what() + remedy);
    } catch (const FileError& fault) {
        throw FileError(fault.what() + remedy);
    }
}

void RunSession::write_checkpoint_now()
{
    const auto begin = RunClock::Clock::now();
    simulation_->collect();
    simulation_->make_room(); // the file is made in memory
    if (!speaks_) {
        return;
    }
    if (trajectory_) {
        put_trajectory_in_place([](H5mdTrajectory& file) { file.flush(); });
    }
    Checkpoint checkpoint;
    checkpoint.doubles = simulation_->export_extra();
    checkpoint.deck_text = binding_settings(system_.deck);
    keep_system(hash_, *system_.assembly.topology, checkpoint);
    checkpoint.program_version = version_text();
    keep_mesh(system_.assembly.nonbonded, checkpoint);
    if (trajectory_) {
        keep_trajectory_end(
            {system_.deck.output.trajectory->filename().string(), trajectory_->last_step()},
            checkpoint);
    }
    write_checkpoint(system_.deck.output.checkpoint->string(), simulation_->state(), checkpoint);
    checkpoint_cost_ = std::chrono::duration<double>(RunClock::Clock::now() - begin).count();
}

} // namespace tessera
