#pragma once

namespace tessera
{

/// While this lives, SIGTERM, SIGINT and SIGUSR1 are remembered instead of ending the program; a
/// second SIGINT ends it.
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
