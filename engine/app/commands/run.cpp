#include "engine/app/agreement.hpp"
#include "engine/app/commands/commands.hpp"
#include "engine/app/load.hpp"
#include "engine/app/ranks.hpp"
#include "engine/app/run_session.hpp"
#include "engine/app/stop_request.hpp"

namespace tessera
{

int run_command(const RunOptions& options, Transport* ranks)
{
    const StopRequest stop; // from here on a signal is not lost
    LoadedSystem system =
        load_system(options.input, true, is_first(ranks) ? Voice::speaks : Voice::silent);
    if (ranks != nullptr) {
        Alike alike = told_by_system(system.deck, system.assembly);
        alike.emplace_back("--continue", options.continuation);
        require_agreement(*ranks, alike);
        refuse_on_ranks(system.deck, system.assembly, ranks->size());
    }
    RunSession session(std::move(system), options, stop, ranks);
    return session.run();
}

} // namespace tessera
