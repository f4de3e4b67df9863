#include "io/deck.hpp"

#include "engine/base/text_file.hpp"
#include "io/deck_tables.hpp"

namespace tessera
{

namespace fs = std::filesystem;

SourcePlace Deck::place_of(const std::string& path) const
{
    const auto found = places.find(path);
    if (found != places.end()) {
        return found->second;
    }
    SourcePlace whole;
    whole.file = file.string();
    return whole;
}

SourcePlace Deck::line_of(const std::string& path) const
{
    SourcePlace place = place_of(path);
    place.column = 0;
    place.source_line.clear();
    return place;
}

namespace
{

/// As written, but for a default that open space has no use of.
std::string used_text(const DeckKey& key, const DeckValue& value, const Deck& deck)
{
    const bool no_lattice = key.path == "nonbonded.electrostatics" && !value.given &&
                            deck.nonbonded.electrostatics == Electrostatics::cutoff;
    return no_lattice ? "\"cutoff\"" : value.text;
}

} // namespace

Deck parse_deck(const std::string& text, const fs::path& file, const std::vector<std::string>& sets,
                Diagnostics& diagnostics)
{
    Deck deck;
    deck.file = file;
    Diagnostics grammar;
    const TomlDocument document = parse_toml(text, file.string(), grammar);
    if (grammar.has_errors()) {
        // an empty document would add faults of its own: "system.topology is missing", ...
        for (const Diagnostic& fault : grammar.errors()) {
            diagnostics.error(fault);
        }
        return deck;
    }
    const DeckValues values(document, sets, file.string(), diagnostics);
    read_force_tables(values, deck, diagnostics);
    read_motion_tables(values, deck, diagnostics);
    for (const DeckKey& key : deck_keys()) {
        if (const DeckValue* value = values.find(std::string(key.path)); value != nullptr) {
            deck.values.emplace_back(key.path, used_text(key, *value, deck));
            if (value->given) {
                deck.places[std::string(key.path)] = value->place;
            }
        }
    }
    return deck;
}

Deck read_deck(const fs::path& file, const std::vector<std::string>& sets, Diagnostics& diagnostics)
{
    return parse_deck(read_text(file), file, sets, diagnostics);
}

} // namespace tessera
