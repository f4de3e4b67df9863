#include "engine/app/commands/commands.hpp"
#include "engine/app/exit_status.hpp"
#include "engine/app/load.hpp"
#include "engine/app/run_files.hpp"
#include "engine/app/start_state.hpp"
#include "engine/app/system_summary.hpp"
#include "engine/app/threads.hpp"
#include "engine/app/unwise.hpp"
#include "io/deck_keys.hpp"

#include <iostream>

namespace tessera
{

int check_command(const CheckOptions& options)
{
    if (options.list_keys) {
        std::cout << deck_reference();
        return exit_status::done;
    }
    refuse_several_ranks("check");
    Diagnostics diagnostics;
    const Deck deck = load_deck(options.input, diagnostics);
    // files are looked at even where the deck has faults: all faults at once
    const Assembly assembly =
        assemble(deck, options.strict ? NameCheck::fails : NameCheck::warns, diagnostics);
    if (!diagnostics.has_errors()) {
        warn_of_unwise(deck, assembly, true, diagnostics);
    }
    refuse_to_overwrite_inputs(deck, diagnostics);
    for (Diagnostic& fault : unwritable_outputs(deck)) {
        diagnostics.error(std::move(fault));
    }
    print_warnings(diagnostics);
    diagnostics.throw_if_any();
    refuse_far(deck, assembly);
    const std::size_t warnings = diagnostics.warnings().size();
    std::cout << system_summary(deck, assembly) << "no faults found";
    if (warnings > 0) {
        std::cout << ", but " << warnings << (warnings == 1 ? " warning" : " warnings")
                  << " above: the run may still fail for what is warned of";
    }
    std::cout << '\n';
    return exit_status::done;
}

} // namespace tessera
