#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace tessera
{

/// Wall-clock side of a run: speed, time left, when to write a checkpoint and when to stop.
class RunClock {
public:
    using Clock = std::chrono::steady_clock;

    /// Steps `first` to `last` of `timestep` ps each.
    RunClock(std::int64_t first, std::int64_t last, double timestep);

    /// To be called after each step.
    void at_step(std::int64_t step);
    /// The measured part begins at a quarter of the run.
    [[nodiscard]] std::optional<double> ns_per_day() const;
    /// Speed since the start, for the progress line.
    [[nodiscard]] double ns_per_day_so_far() const;
    [[nodiscard]] double seconds_left() const;
    /// Since this clock was made, s.
    [[nodiscard]] double elapsed() const;
    [[nodiscard]] std::int64_t measured_steps() const { return now_step_ - quarter_step_; }

private:
    [[nodiscard]] double speed(std::int64_t steps, Clock::duration time) const;

    std::int64_t first_, last_, quarter_step_;
    double timestep_;
    std::int64_t now_step_;
    Clock::time_point start_, quarter_, now_;
    bool quarter_passed_ = false;
};

/// "1 h 02 min", "12 s"
std::string duration_in_words(double seconds);

} // namespace tessera
