#include "io/convert.hpp"

#include "engine/app/commands/commands.hpp"
#include "engine/app/exit_status.hpp"

#include <iostream>

namespace tessera
{

int convert_command(const ConvertOptions& options)
{
    for (const std::string& remark :
         convert_coordinates(options.from.string(), options.to.string())) {
        std::cerr << "warning: " << remark << '\n';
    }
    return exit_status::done;
}

} // namespace tessera
