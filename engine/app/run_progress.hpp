#pragma once

#include <functional>
#include <ostream>
#include <string>

namespace tessera
{

/// Tells how far a run has come: on a terminal in one line that is overwritten twice a second;
/// elsewhere, and always in the log, in a line of its own after 10, 20, 40 s and so on, at least
/// every half an hour.
class RunProgress {
public:
    explicit RunProgress(bool quiet);

    /// `elapsed`: s since the run began. `words` is called where something is due. `log`: nullptr
    /// where there is none.
    void tell(double elapsed, std::ostream* log, const std::function<std::string()>& words);
    /// Leaves the line of the terminal empty.
    void finish();

private:
    bool quiet_;
    bool on_terminal_;
    double last_ = 0;  ///< on the terminal, s
    double next_ = 10; ///< as a line, s
};

/// "14:03:20", with the date where that is more than 20 hours off.
std::string time_of_day_in(double seconds);

} // namespace tessera
