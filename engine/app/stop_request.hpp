#pragma once

namespace tessera
{

/// Lets writes to a closed pipe (SIGPIPE) and beyond a limit on file sizes (SIGXFSZ) fail as writes
/// do, instead of ending the program. To be called first in main().
void let_writes_fail();

/// A library that MPI brings along catches SIGHUP while it is loaded and does nothing with it.
/// Gives the signal back what the starting process had set: to end the program, or (nohup) to be
/// ignored. To be called first in main().
void give_back_hangup();

/// While this lives, SIGTERM, SIGINT, SIGUSR1, SIGHUP and SIGXCPU (a soft limit of processor time)
/// are remembered instead of ending the program; a second SIGINT ends it, and a SIGTERM at least
/// three seconds after the first. A SIGHUP that was ignored from the start (nohup) stays so.
class StopRequest {
public:
    StopRequest();
    ~StopRequest();
    StopRequest(const StopRequest&) = delete;
    StopRequest& operator=(const StopRequest&) = delete;

    /// The signal caught, or 0.
    [[nodiscard]] int signal() const;
};

} // namespace tessera
