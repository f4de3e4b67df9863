#include "engine/app/commands/commands.hpp"
#include "engine/base/error.hpp"

namespace tessera
{

int run_command(const RunOptions& options)
{
    throw InputError("tessera run " + options.input.deck.string() + ": not built yet.");
}

} // namespace tessera
