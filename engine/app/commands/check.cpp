#include "engine/app/agreement.hpp"
#include "engine/app/close_pairs.hpp"
#include "engine/app/commands/commands.hpp"
#include "engine/app/exit_status.hpp"
#include "engine/app/first_steps.hpp"
#include "engine/app/load.hpp"
#include "engine/app/rank_places.hpp"
#include "engine/app/ranks.hpp"
#include "engine/app/run_files.hpp"
#include "engine/app/start_state.hpp"
#include "engine/app/system_summary.hpp"
#include "engine/app/unwise.hpp"
#include "engine/simulation/domain_backend.hpp"
#include "io/deck_keys.hpp"

#include <fmt/format.h>
#include <iostream>

namespace tessera
{

namespace
{

/// Where atoms nearly touch the run may break at once: the first steps are tried, and what they say
/// is a fault. Returns what is left to say of the warnings.
std::string try_first_steps(const Deck& deck, const Assembly& assembly, Diagnostics& diagnostics)
{
    constexpr int steps = 3;
    constexpr double touching = 0.1; // nm; atoms that are not bonded keep 0.15 nm at least
    const bool minimises = deck.dynamics.minimises();
    if (minimises || !assembly.topology->dynamics_refusals.empty() ||
        close_pairs(*assembly.topology, assembly.box, assembly.coordinates.positions, touching, 1)
            .empty()) {
        return "look at it before the run";
    }
    if (const std::string fault = fault_of_first_steps(deck, assembly, steps); !fault.empty()) {
        diagnostics.error({deck.place_of("system.coordinates"),
                           fmt::format("the run would break in its first {} steps, which were "
                                       "tried since atoms are closer than {} nm: {}",
                                       steps, touching, fault),
                           "", "minimise first (run.integrator = \"steepest-descent\")"});
    }
    return fmt::format(
        "the first {} steps were tried since atoms are closer than {} nm, and the run "
        "gets through them; it may still fail later",
        steps, touching);
}

/// What `tessera run` refuses although its forces are known.
void warn_of_refusals(const Deck& deck, const Assembly& assembly, Diagnostics& diagnostics)
{
    for (const std::string& reason : assembly.topology->dynamics_refusals) {
        diagnostics.warning({deck.place_of("system.topology"),
                             fmt::format("this system cannot be run, only evaluated (tessera "
                                         "energy): {}",
                                         reason),
                             "", ""});
    }
}

/// How ranks would share the work.
std::string shares_in_words(const Assembly& assembly, int ranks)
{
    const DomainGrid grid = domains_at_first(assembly.nonbonded, assembly.box, ranks);
    std::string out = fmt::format("{:<13} {}, one domain each: {} x {} x {} of the cell\n", "ranks",
                                  ranks, grid.count[0], grid.count[1], grid.count[2]);
    const double atoms = static_cast<double>(assembly.topology->atoms()) / ranks;
    out += fmt::format("{:<13} about {:.0f} atoms a rank\n", "", atoms);
    return out + mesh_in_words(assembly.nonbonded, ranks);
}

} // namespace

int check_command(const CheckOptions& options, Transport* ranks)
{
    const bool speaks = is_first(ranks);
    if (options.list_keys) {
        std::cout << (speaks ? deck_reference() : std::string());
        return exit_status::done;
    }
    Diagnostics diagnostics;
    const Deck deck = load_deck(options.input, diagnostics);
    // files are looked at even where the deck has faults: all faults at once
    const Assembly assembly =
        assemble(deck, options.strict ? NameCheck::fails : NameCheck::warns, diagnostics);
    if (!diagnostics.has_errors()) {
        warn_of_unwise(deck, assembly, true, diagnostics);
        static_cast<void>(start_state(deck, assembly, diagnostics)); // for what it says
        warn_of_refusals(deck, assembly, diagnostics);
        refuse_impossible_constraints(assembly, diagnostics);
    }
    refuse_to_overwrite_inputs(deck, diagnostics);
    for (Diagnostic& fault : unwritable_outputs(deck)) {
        diagnostics.error(std::move(fault));
    }
    if (speaks) {
        print_warnings(diagnostics);
    }
    diagnostics.throw_if_any();
    if (ranks != nullptr) {
        require_agreement(*ranks, told_by_system(deck, assembly));
        refuse_on_ranks(deck, assembly, ranks->size());
    }
    if (!speaks) {
        return exit_status::done;
    }
    const std::string tried = try_first_steps(deck, assembly, diagnostics);
    diagnostics.throw_if_any();
    const std::size_t warnings = diagnostics.warnings().size();
    std::cout << system_summary(deck, assembly)
              << (ranks != nullptr ? shares_in_words(assembly, ranks->size()) : std::string())
              << "no faults found";
    if (warnings > 0) {
        std::cout << ", but " << warnings << (warnings == 1 ? " warning" : " warnings")
                  << " above: " << tried;
    }
    std::cout << '\n';
    return exit_status::done;
}

} // namespace tessera
