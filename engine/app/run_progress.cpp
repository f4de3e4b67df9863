#include "engine/app/run_progress.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <iostream>
#include <string_view>
#include <unistd.h>

namespace tessera
{

namespace
{

/// Past the stream, which shows control characters as '?' (PrintableStreams).
void clear_line()
{
    constexpr std::string_view clear = "\r\033[K";
    std::cout.flush();
    // a terminal that is gone is no fault of the run
    [[maybe_unused]] const auto written = write(STDOUT_FILENO, clear.data(), clear.size());
}

} // namespace

RunProgress::RunProgress(bool quiet) : quiet_(quiet), on_terminal_(isatty(STDOUT_FILENO) != 0) {}

void RunProgress::tell(double elapsed, std::ostream* log, const std::function<std::string()>& words)
{
    const bool line_due = elapsed > next_;
    if (line_due) {
        constexpr double longest = 1800; // s between lines
        next_ = elapsed + std::min(elapsed, longest);
        if (log != nullptr) {
            *log << "progress " << words() << std::endl;
        }
    }
    if (quiet_ || !(on_terminal_ ? elapsed - last_ > 0.5 : line_due)) {
        return;
    }
    last_ = elapsed;
    if (on_terminal_) {
        clear_line();
        std::cout << words() << std::flush;
    } else {
        std::cout << words() << std::endl;
    }
}

void RunProgress::finish()
{
    if (on_terminal_ && !quiet_) {
        clear_line();
    }
}

std::string time_of_day_in(double seconds)
{
    const std::time_t then = std::time(nullptr) + static_cast<std::time_t>(seconds);
    std::tm local{};
    localtime_r(&then, &local);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), seconds > 72000 ? "%Y-%m-%d %H:%M" : "%H:%M:%S",
                  &local);
    return text.data();
}

} // namespace tessera
