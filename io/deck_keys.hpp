#pragma once

#include "io/quantity.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tessera
{

/// What kind of value a key of the deck takes.
enum class KeyKind : unsigned char {
    path,             ///< a file name, relative to the deck
    path_or_none,     ///< the same, or "none"
    text_list,        ///< a list of strings
    choice,           ///< one word of a list
    flag,             ///< true or false
    flag_or_quantity, ///< false, true, or a dimensioned string
    count,            ///< a whole number, 0 or more
    number,           ///< a bare number, finite
    number_or_inf,    ///< a bare number; inf allowed
    quantity,         ///< a number with its unit, as a string
    quantity_or_word, ///< the same, or one of the words in `choices`
    grid              ///< three whole numbers
};

/// A word that a key takes. `built`: this version can do it.
struct KeyChoice {
    std::string_view word;
    bool built = true;
};

/// One key of the deck: all that the parser, its messages, `docs/deck-reference.md` and the echo of
/// a run know about it. To add a key, add a row here and one line in make_deck().
struct DeckKey {
    std::string_view path; ///< "nonbonded.cutoff"
    KeyKind kind;
    Dimension dimension;            ///< of quantities
    std::string_view default_value; ///< as TOML; empty: none, the key is required or has no value
    std::string_view doc;           ///< one sentence, without full stop
    std::vector<KeyChoice> choices; ///< of KeyKind::choice, and the words of quantity_or_word
};

/// Every key, grouped by table, in the order of the reference.
const std::vector<DeckKey>& deck_keys();

/// The row of `path`, or nullptr.
const DeckKey* find_deck_key(std::string_view path);

/// Names of the tables, in order: "system", "nonbonded", ...
const std::vector<std::string>& deck_tables();

/// `"none", "energy" or "energy-and-pressure"`; with `built_only` without those not built yet.
std::string choices_in_words(const DeckKey& key, bool built_only);

/// docs/deck-reference.md, made from the table above.
std::string deck_reference();

} // namespace tessera
