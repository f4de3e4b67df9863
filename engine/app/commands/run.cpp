#include "engine/app/commands/commands.hpp"
#include "engine/app/load.hpp"
#include "engine/app/run_session.hpp"
#include "engine/app/stop_request.hpp"
#include "engine/app/threads.hpp"

namespace tessera
{

int run_command(const RunOptions& options)
{
    refuse_several_ranks("run");
    const StopRequest stop; // from here on a signal is not lost
    RunSession session(load_system(options.input, true), options, stop);
    return session.run();
}

} // namespace tessera
