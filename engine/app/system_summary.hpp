#pragma once

#include "engine/app/assemble.hpp"

#include <string>

namespace tessera
{

/// What would run, in words: atoms, molecules, terms, constraints, degrees of freedom, cell with
/// its margin over the cut-off, mesh, motion, output, device and memory.
std::string system_summary(const Deck& deck, const Assembly& assembly);

/// Every key with the value used, defaults included, one a line.
std::string deck_echo(const Deck& deck);

/// The same with a comment on each line that says whether the deck gave the key, and where it has
/// no effect.
std::string keys_in_words(const Deck& deck);

/// Bytes, a rough upper estimate for the CPU backend in FP64.
double estimated_memory(const Assembly& assembly);

} // namespace tessera
