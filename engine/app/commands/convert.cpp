#include "io/convert.hpp"

#include "engine/app/assemble.hpp"
#include "engine/app/commands/commands.hpp"
#include "engine/app/exit_status.hpp"

#include <iostream>

namespace tessera
{

int convert_command(const ConvertOptions& options)
{
    std::shared_ptr<const Topology> topology;
    if (!options.topology.empty()) {
        Deck deck;
        deck.system.topology = options.topology;
        topology = finish(read_topology(deck));
    }
    for (const std::string& remark :
         convert_coordinates(options.from.string(), options.to.string(), topology.get())) {
        std::cerr << "warning: " << remark << '\n';
    }
    return exit_status::done;
}

} // namespace tessera
