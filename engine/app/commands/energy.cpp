#include "engine/app/commands/commands.hpp"
#include "engine/app/energy_report.hpp"
#include "engine/app/exit_status.hpp"
#include "engine/app/load.hpp"
#include "engine/app/threads.hpp"
#include "engine/base/error.hpp"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <iostream>

namespace tessera
{

namespace
{

void write_text(const std::string& name, const std::string& text)
{
    errno = 0;
    std::ofstream file(name, std::ios::binary);
    file << text;
    file.close();
    if (!file) {
        throw FileError(fmt::format("{}: cannot be written ({}). Check the folder and the space on "
                                    "the disk.",
                                    name, std::strerror(errno)));
    }
}

} // namespace

int energy_command(const EnergyOptions& options)
{
    const LoadedSystem system = load_system(options.input, false);
    const Assembly& assembly = system.assembly;
    const SinglePoint result =
        single_point(assembly.topology, assembly.nonbonded, assembly.box,
                     assembly.coordinates.positions, threads_to_use(system.deck.compute.threads));
    std::cout << energy_table(assembly, result);
    if (!options.json.empty()) {
        write_text(options.json, energy_json(assembly, result));
    }
    if (!options.forces.empty()) {
        write_text(options.forces, forces_text(result.forces));
    }
    return exit_status::done;
}

} // namespace tessera
