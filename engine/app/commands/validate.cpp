#include "engine/app/commands/commands.hpp"
#include "engine/app/energy_report.hpp"
#include "engine/app/exit_status.hpp"
#include "engine/app/load.hpp"
#include "engine/app/run_files.hpp"
#include "engine/app/start_state.hpp"
#include "engine/app/threads.hpp"
#include "engine/app/validation_report.hpp"
#include "engine/base/error.hpp"
#include "engine/simulation/simulation.hpp"
#include "io/write_text.hpp"

#include <fmt/format.h>
#include <iostream>

namespace tessera
{

namespace
{

/// Noise that must be found, over the rms of the total force (docs/accuracy.md).
constexpr double control_sizes[] = {1e-5, 1e-4, 1e-3};
constexpr std::uint64_t control_seed = 2026;

void check_request(const ValidateOptions& options, const Deck& deck)
{
    if (deck.dynamics.minimises()) {
        throw InputError(fmt::format(
            "{}: the deck minimises, but what is judged here are the forces and the heating of "
            "dynamics. Choose an integrator: --set run.integrator=leap-frog.",
            deck.file.string()));
    }
    if (!options.json.empty()) {
        Diagnostics diagnostics;
        const std::vector<NamedFile> written = {{"--json", options.json}};
        refuse_to_overwrite(deck, written, files_of(deck), diagnostics);
        diagnostics.throw_if_any();
        refuse_held(written);
        refuse_unwritable(written);
    }
}

std::vector<std::string> notes_on(const AccuracyStudy& study, const Assembly& assembly)
{
    std::vector<std::string> out;
    const bool is_mixed = assembly.nonbonded.precision == Precision::mixed;
    if (is_mixed && !study.has_fp32_pairs()) {
        out.push_back("the pairs of this system are evaluated in FP64 (no cut-off, or LJ-PME).");
    }
    out.push_back(is_mixed ? "bonded terms are FP64, the same code on both sides: their zero is no "
                             "finding."
                           : "bonded terms and meshes are the same code on both sides: their zero "
                             "is no finding.");
    return out;
}

} // namespace

int validate_command(const ValidateOptions& options)
{
    const LoadedSystem system = load_system(options.input, false);
    const Deck& deck = system.deck;
    const Assembly& assembly = system.assembly;
    check_request(options, deck);
    const int threads = threads_to_use(deck.compute.threads);

    Diagnostics diagnostics;
    State start = start_state(deck, assembly, diagnostics);
    print_warnings(diagnostics);
    diagnostics.throw_if_any();
    Simulation simulation(assembly.topology, assembly.nonbonded, deck.dynamics, std::move(start),
                          threads);
    simulation.begin();

    Validation found;
    found.system = fmt::format("{}: {} atoms, {}", deck.file.string(), assembly.topology->atoms(),
                               precision_in_words(assembly.nonbonded));
    found.timestep = deck.dynamics.timestep;
    found.temperature = deck.dynamics.expected_temperature();
    AccuracyStudy study(assembly.topology, assembly.nonbonded, simulation.degrees_of_freedom(),
                        found.timestep, found.temperature, threads);
    for (std::int64_t frame = 0; frame < options.frames; ++frame) {
        simulation.run(frame * options.stride);
        study.add(simulation.state());
    }
    for (const double size : control_sizes) {
        const auto seed = control_seed + found.controls.size(); // independent samples
        found.controls.push_back(study.inject_noise(size, seed));
    }
    found.joined = study.joined();
    found.force_rms = found.joined.force_rms();
    found.frames = study.frames();
    found.rows = study.rows();
    found.notes = notes_on(study, assembly);

    std::cout << validation_table(found, *assembly.topology);
    if (!options.json.empty()) {
        write_text(options.json, validation_json(found, assembly));
    }
    return found.is_within() ? exit_status::done : exit_status::accuracy_missed;
}

} // namespace tessera
