#pragma once

#include "engine/app/commands/commands.hpp"
#include "engine/app/file_lock.hpp"
#include "engine/app/load.hpp"
#include "engine/app/log_file.hpp"
#include "engine/app/output_watch.hpp"
#include "engine/app/run_clock.hpp"
#include "engine/app/run_progress.hpp"
#include "engine/app/stop_request.hpp"
#include "engine/backend/transport.hpp"
#include "engine/simulation/accuracy_check.hpp"
#include "engine/simulation/simulation.hpp"
#include "io/checkpoint.hpp"
#include "io/energy_log.hpp"
#include "io/hash_log.hpp"
#include "io/trajectory_observer.hpp"

#include <fstream>
#include <functional>
#include <memory>
#include <optional>

namespace tessera
{

/// One run of `tessera run`: a simulation with its log, trajectory and checkpoints.
///
/// What must precede what:
///
///     files locked         before anything is read or renamed
///     earlier run kept     its checkpoint is put aside before its trajectory is
///     checkpoint read      before the trajectory is opened: it is cut behind the checkpoint's step
///     observers added      before the simulation begins: step 0 is shown to them
///     trajectory flushed   before each checkpoint: no checkpoint is ahead of its trajectory
class RunSession {
public:
    /// Reads the checkpoint where asked to, opens all files. Throws InputError, FileError. With
    /// `ranks`, these share the run: the first one writes all files and decides when to stop.
    RunSession(LoadedSystem system, const RunOptions& options, const StopRequest& stop,
               Transport* ranks = nullptr);
    ~RunSession();

    /// Runs to the end, the time limit or a signal. Returns the exit status.
    int run();

private:
    void lock_files();
    void choose_start(const std::string& continuation);
    void choose_mesh();
    void open_files();
    void open_log();
    void check_log() const;
    /// Flushes or closes it; may fail where the file is lost.
    void put_trajectory_in_place(const std::function<void(H5mdTrajectory&)>& how);
    void open_trajectory();
    void look_at_trajectory() const;
    H5mdTrajectory continued_trajectory(const TrajectorySettings& settings) const;
    void make_simulation();
    void add_accuracy_check();
    void write_opening(const std::string& places);
    [[nodiscard]] int tell_that_nothing_is_left() const;
    void simulate();
    /// Puts the files in order and says how it ended. Returns the exit status.
    int close();
    [[nodiscard]] bool minimises() const;
    void write_closing(const std::string& how_it_ended);
    void write_checkpoint_now();
    /// A barostat that drives the cell into the cut-off stops the run: keep a state before it does.
    void keep_state_before_the_cell_is_too_small();
    /// After each step: checkpoint if due, progress, and whether to stop.
    bool after_step();
    struct Decision {
        bool stop = false, checkpoint = false;
    };
    Decision decide();
    /// "step 120 of 500 (24.0 %), 0.24 ps, 298.4 K ..., 2.5 ns/day, 12 s left (done 14:03)"
    [[nodiscard]] std::string progress_in_words() const;
    /// To the log and, unless quiet, to standard output.
    void tell(const std::string& text);
    [[nodiscard]] double time_for_a_checkpoint() const;

    LoadedSystem system_;
    const StopRequest& stop_;
    Transport* ranks_; ///< null: alone
    bool speaks_;      ///< the first rank: it has the files
    bool quiet_;
    int threads_;
    RunClock::Clock::time_point made_ = RunClock::Clock::now();

    State start_;
    std::optional<Checkpoint> continued_;
    std::string continued_from_; ///< its file: the checkpoint, or the one before
    std::vector<EnergyKind> kinds_;
    std::string hash_;

    std::vector<FileLock> locks_;
    std::string kept_;  ///< a line on the files of an earlier run
    std::string tuned_; ///< lines on meshes that were tried
    LogFile log_;
    std::optional<H5mdTrajectory> trajectory_;
    std::unique_ptr<EnergyLog> energy_log_;
    std::unique_ptr<HashLog> hash_log_;
    std::unique_ptr<TrajectoryObserver> trajectory_observer_;
    std::unique_ptr<AccuracyCheck> accuracy_check_; ///< none where it is not asked for
    std::unique_ptr<Simulation> simulation_;
    std::unique_ptr<RunClock> clock_;

    double last_checkpoint_ = 0; ///< on the clock, s
    double checkpoint_cost_ = 0; ///< of the last one, s
    RunProgress progress_;
    bool narrow_told_ = false;
    OutputWatch watch_;
    std::string stopped_by_; ///< why the run ends early; empty: it does not
};

} // namespace tessera
