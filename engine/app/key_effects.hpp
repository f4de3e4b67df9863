#pragma once

#include "engine/app/assemble.hpp"

#include <string>

namespace tessera
{

/// Why a key of the deck changes nothing in this run; empty: it does.
std::string why_without_effect(const Deck& deck, const std::string& key);

/// Every key with the value used, one a line, as TOML, with a comment that says whether the deck
/// gave it and where it has no effect.
std::string keys_in_words(const Deck& deck);

} // namespace tessera
