#include "engine/app/commands/commands.hpp"
#include "engine/app/load.hpp"
#include "engine/app/ranks.hpp"
#include "engine/app/run_session.hpp"
#include "engine/app/stop_request.hpp"

namespace tessera
{

int run_command(const RunOptions& options)
{
    const StopRequest stop; // from here on a signal is not lost
    return on_ranks([&](Transport* ranks) {
        const bool speaks = ranks == nullptr || ranks->rank() == 0;
        RunSession session(load_system(options.input, true, speaks ? Voice::speaks : Voice::silent),
                           options, stop, ranks);
        return session.run();
    });
}

} // namespace tessera
