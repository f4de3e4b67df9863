#include "io/convert.hpp"

#include "engine/app/assemble.hpp"
#include "engine/app/commands/commands.hpp"
#include "engine/app/exit_status.hpp"
#include "engine/app/run_files.hpp"
#include "engine/base/error.hpp"
#include "io/coordinates.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <iostream>

namespace tessera
{

int convert_command(const ConvertOptions& options)
{
    std::shared_ptr<const Topology> topology;
    int ifbox = -1;
    if (!options.topology.empty()) {
        Deck deck;
        deck.system.topology = options.topology;
        topology = finish(read_topology(deck, [&](long long atoms) {
            if (atoms >= many_atoms) {
                const std::string from = options.from.string();
                refuse_other_count(from, read_coordinates(from), atoms);
            }
            return true;
        }));
        if (const auto cell = amber_cell(options.topology)) {
            ifbox = cell->ifbox;
        }
    }
    std::error_code ignored;
    if (std::filesystem::equivalent(options.from, options.to, ignored) ||
        std::filesystem::equivalent(options.topology, options.to, ignored)) {
        throw InputError(fmt::format("{}: would be overwritten (it is read, too). Write to another "
                                     "file.",
                                     options.to.string()));
    }
    refuse_held({{"convert", options.to}});
    for (const std::string& remark :
         convert_coordinates(options.from.string(), options.to.string(), topology.get(), ifbox)) {
        std::cerr << "warning: " << remark << '\n';
    }
    return exit_status::done;
}

} // namespace tessera
