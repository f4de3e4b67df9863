#include "engine/app/run_clock.hpp"

#include <cmath>
#include <fmt/format.h>

namespace tessera
{

RunClock::RunClock(std::int64_t first, std::int64_t last, double timestep)
    : first_(first), last_(last), quarter_step_(first + (last - first) / 4), timestep_(timestep),
      now_step_(first), start_(Clock::now()), quarter_(start_), now_(start_)
{
    quarter_passed_ = quarter_step_ == first_;
}

void RunClock::at_step(std::int64_t step)
{
    now_step_ = step;
    now_ = Clock::now();
    if (!quarter_passed_ && step >= quarter_step_) {
        quarter_passed_ = true;
        quarter_step_ = step;
        quarter_ = now_;
    }
}

double RunClock::speed(std::int64_t steps, Clock::duration time) const
{
    const double seconds = std::chrono::duration<double>(time).count();
    const double nanoseconds = static_cast<double>(steps) * timestep_ * 1e-3;
    return seconds > 0 ? nanoseconds * 86400 / seconds : 0;
}

std::optional<double> RunClock::ns_per_day() const
{
    if (!quarter_passed_ || now_step_ <= quarter_step_) {
        return std::nullopt;
    }
    return speed(now_step_ - quarter_step_, now_ - quarter_);
}

double RunClock::ns_per_day_so_far() const
{
    return speed(now_step_ - first_, now_ - start_);
}

double RunClock::seconds_left() const
{
    const double done = static_cast<double>(now_step_ - first_);
    const double seconds = std::chrono::duration<double>(now_ - start_).count();
    return done > 0 ? seconds / done * static_cast<double>(last_ - now_step_) : 0;
}

double RunClock::elapsed() const
{
    return std::chrono::duration<double>(Clock::now() - start_).count();
}

std::string duration_in_words(double seconds)
{
    const auto whole = static_cast<long long>(std::llround(seconds));
    if (whole >= 3600) {
        return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
    }
    return whole >= 60 ? fmt::format("{} min {:02} s", whole / 60, whole % 60)
                       : fmt::format("{} s", whole);
}

} // namespace tessera
