#pragma once

#include "engine/app/assemble.hpp"
#include "engine/app/commands/commands.hpp"

namespace tessera
{

struct LoadedSystem {
    Deck deck;
    Assembly assembly;
};

enum class Voice : unsigned char { speaks, silent };

/// Reads a deck and all that it names. Warnings go to standard error (one rank speaks); with a
/// fault it throws InputError that holds every fault found.
LoadedSystem load_system(const DeckOptions& options, bool dynamics, Voice voice = Voice::speaks);

/// The deck alone; faults are collected. Throws InputError where there is no such file.
Deck load_deck(const DeckOptions& options, Diagnostics& diagnostics);

/// Prints the warnings to standard error, each marked as such.
void print_warnings(const Diagnostics& diagnostics);

} // namespace tessera
