#include "engine/app/commands/commands.hpp"
#include "engine/base/error.hpp"

namespace tessera
{

int convert_command(const ConvertOptions& options)
{
    throw InputError("tessera convert " + options.from.string() + " " + options.to.string() +
                     ": not built yet.");
}

} // namespace tessera
