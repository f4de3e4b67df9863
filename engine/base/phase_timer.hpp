#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera
{

/// Wall-clock time spent in named phases. Not shared between threads: phases are timed by the
/// thread that runs the step. Unit: s.
class PhaseTimes {
public:
    struct Entry {
        std::string_view name; ///< a string literal
        double seconds = 0;
        std::int64_t calls = 0;
    };

    void add(std::string_view name, double seconds)
    {
        for (Entry& entry : entries_) {
            if (entry.name == name) {
                entry.seconds += seconds;
                ++entry.calls;
                return;
            }
        }
        entries_.push_back({name, seconds, 1});
    }
    [[nodiscard]] double seconds(std::string_view name) const
    {
        for (const Entry& entry : entries_) {
            if (entry.name == name) {
                return entry.seconds;
            }
        }
        return 0;
    }
    /// In the order in which the phases first ran.
    [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
    void clear() { entries_.clear(); }

private:
    friend class ScopedPhase;
    std::vector<Entry> entries_;
    double inside_ = 0; ///< of the phase under way: what phases within it took, s
};

/// Times a phase from here to the end of the block, without the phases within it.
class ScopedPhase {
public:
    ScopedPhase(PhaseTimes& times, std::string_view name)
        : times_(times), name_(name), inside_outer_(std::exchange(times.inside_, 0))
    {
    }
    ~ScopedPhase()
    {
        const double all = std::chrono::duration<double>(Clock::now() - begin_).count();
        times_.add(name_, all - times_.inside_);
        times_.inside_ = inside_outer_ + all;
    }
    ScopedPhase(const ScopedPhase&) = delete;
    ScopedPhase& operator=(const ScopedPhase&) = delete;

private:
    using Clock = std::chrono::steady_clock;
    PhaseTimes& times_;
    std::string_view name_;
    double inside_outer_;
    Clock::time_point begin_ = Clock::now();
};

} // namespace tessera
