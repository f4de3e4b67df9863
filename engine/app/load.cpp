#include "engine/app/load.hpp"

#include "engine/app/run_files.hpp"
#include "engine/app/unwise.hpp"

#include <fmt/format.h>
#include <iostream>

namespace tessera
{

namespace fs = std::filesystem;

void print_warnings(const Diagnostics& diagnostics)
{
    for (const Diagnostic& warning : diagnostics.warnings()) {
        std::cerr << "warning: " << warning.text() << '\n';
    }
}

Deck load_deck(const DeckOptions& options, Diagnostics& diagnostics)
{
    std::error_code why;
    const fs::file_status status = fs::status(options.deck, why);
    const bool is_name_at_fault =
        why == std::errc::filename_too_long || why == std::errc::too_many_symbolic_link_levels;
    if (status.type() == fs::file_type::none && !is_name_at_fault) {
        throw FileError(fmt::format("{}: cannot be read ({}). Check the permissions of the file "
                                    "and its folders.",
                                    options.deck.string(), why.message()));
    }
    if (is_name_at_fault || !fs::exists(status)) {
        throw InputError(fmt::format("{} does not exist (it should be the deck, a TOML file). "
                                     "Check the name.",
                                     options.deck.string()));
    }
    if (options.deck.extension() == ".mdp") {
        throw InputError(fmt::format("{}: .mdp decks are not built yet. Write a deck in TOML: "
                                     "docs/deck-reference.md names its keys.",
                                     options.deck.string()));
    }
    Deck deck = read_deck(options.deck, options.sets, diagnostics);
    deck.compute.threads = options.threads.value_or(deck.compute.threads);
    return deck;
}

LoadedSystem load_system(const DeckOptions& options, bool dynamics, Voice voice)
{
    LoadedSystem out;
    Diagnostics diagnostics;
    out.deck = load_deck(options, diagnostics);
    diagnostics.throw_if_any();
    out.assembly = assemble(out.deck, NameCheck::warns, diagnostics);
    if (!diagnostics.has_errors()) {
        warn_of_unwise(out.deck, out.assembly, dynamics, diagnostics);
        refuse_impossible_constraints(out.assembly, diagnostics);
    }
    if (dynamics) {
        refuse_to_overwrite_inputs(out.deck, diagnostics);
    }
    if (voice == Voice::speaks) {
        print_warnings(diagnostics);
    }
    diagnostics.throw_if_any();
    return out;
}

} // namespace tessera
