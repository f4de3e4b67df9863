#include "engine/app/commands/commands.hpp"
#include "engine/app/energy_report.hpp"
#include "engine/app/exit_status.hpp"
#include "engine/app/load.hpp"
#include "engine/app/run_files.hpp"
#include "engine/app/threads.hpp"
#include "engine/base/error.hpp"
#include "engine/parallel/mpi_transport.hpp"
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

/// One of several ranks: each reads all files, the first one speaks and writes.
int energy_of_a_rank(const EnergyOptions& options, Transport& ranks)
{
    if (ranks.size() != launched_ranks()) {
        throw MpiError(fmt::format("{} processes were started, but MPI joins {} of them (the "
                                   "launcher belongs to another MPI). Use mpirun.mpich, or srun "
                                   "--mpi=pmi2.",
                                   launched_ranks(), ranks.size()));
    }
    const bool first = ranks.rank() == 0;
    try {
        const LoadedSystem system =
            load_system(options.input, false, first ? Voice::speaks : Voice::silent);
        check_outputs(options, system.deck);
        const Assembly& assembly = system.assembly;
        const SinglePoint result = parallel_single_point(
            assembly.topology, assembly.nonbonded, assembly.box, assembly.coordinates.positions,
            ranks, threads_to_use(system.deck.compute.threads));
        if (first) {
            tell(options, assembly, result);
        }
    } catch (const InputError&) {
        // the same fault on every rank: told once
        if (first) {
            throw;
        }
        return exit_status::bad_input;
    } catch (const PhysicsError&) {
        if (first) {
            throw;
        }
        return exit_status::simulation_failed;
    }
    return exit_status::done;
}

} // namespace

int energy_command(const EnergyOptions& options)
{
    if (launched_ranks() > 1) {
        int status = exit_status::done;
        run_mpi([&](Transport& ranks) { status = energy_of_a_rank(options, ranks); });
        return status;
    }
    const LoadedSystem system = load_system(options.input, false);
    check_outputs(options, system.deck);
    const Assembly& assembly = system.assembly;
    tell(options, assembly,
         single_point(assembly.topology, assembly.nonbonded, assembly.box,
                      assembly.coordinates.positions, threads_to_use(system.deck.compute.threads)));
    return exit_status::done;
}

} // namespace tessera
