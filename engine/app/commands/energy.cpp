#include "engine/app/agreement.hpp"
#include "engine/app/commands/commands.hpp"
#include "engine/app/energy_report.hpp"
#include "engine/app/exit_status.hpp"
#include "engine/app/load.hpp"
#include "engine/app/ranks.hpp"
#include "engine/app/run_files.hpp"
#include "engine/app/threads.hpp"
#include "engine/base/error.hpp"
#include "engine/simulation/parallel_single_point.hpp"

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

/// --json and --forces must not name what is read or what a run writes, and must be possible.
void check_outputs(const EnergyOptions& options, const Deck& deck)
{
    std::vector<NamedFile> written;
    if (!options.json.empty()) {
        written.push_back({"--json", options.json});
    }
    if (!options.forces.empty()) {
        written.push_back({"--forces", options.forces});
    }
    if (written.empty()) {
        return;
    }
    if (written.size() == 2 &&
        written[0].path.lexically_normal() == written[1].path.lexically_normal()) {
        throw InputError(
            fmt::format("--json and --forces are both {}. Name two files.", options.json));
    }
    Diagnostics diagnostics;
    refuse_to_overwrite(deck, written, files_of(deck), diagnostics);
    diagnostics.throw_if_any();
    refuse_held(written);
    refuse_unwritable(written);
}

void tell(const EnergyOptions& options, const Assembly& assembly, const SinglePoint& result)
{
    std::cout << energy_table(assembly, result);
    if (!options.json.empty()) {
        write_text(options.json, energy_json(assembly, result));
    }
    if (!options.forces.empty()) {
        write_text(options.forces, forces_text(result.forces));
    }
}

} // namespace

/// Each rank reads all files, the first one speaks and writes.
int energy_command(const EnergyOptions& options, Transport* ranks)
{
    const bool speaks = is_first(ranks);
    const LoadedSystem system =
        load_system(options.input, false, speaks ? Voice::speaks : Voice::silent);
    if (ranks != nullptr) {
        require_agreement(*ranks, told_by_system(system.deck, system.assembly));
    }
    if (speaks) {
        check_outputs(options, system.deck);
    }
    const Assembly& a = system.assembly;
    const int threads = threads_to_use(system.deck.compute.threads);
    const std::vector<Vec3>& x = a.coordinates.positions;
    const SinglePoint result =
        ranks == nullptr
            ? single_point(a.topology, a.nonbonded, a.box, x, threads)
            : parallel_single_point(a.topology, a.nonbonded, a.box, x, *ranks, threads);
    if (speaks) {
        tell(options, a, result);
    }
    return exit_status::done;
}

} // namespace tessera
