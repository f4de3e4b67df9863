#pragma once

#include "io/deck_keys.hpp"
#include "io/toml_document.hpp"

#include <array>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tessera
{

/// A key's value after its kind was checked: numbers in internal units, words as strings.
struct DeckValue {
    std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>,
                 std::array<int, 3>>
        value;
    std::string text;  ///< as written, for messages and the echo
    SourcePlace key;   ///< empty for defaults
    SourcePlace place; ///< of the value; empty for defaults
    bool given = false;
};

/// The keys of a deck, each checked against its row of deck_keys(): unknown names, wrong kinds,
/// missing units, words that do not exist or are not built yet become faults here. What keys mean
/// together is make_deck()'s business.
class DeckValues {
public:
    /// `file` names the deck in faults without a line of their own.
    DeckValues(const TomlDocument& document, const std::vector<std::string>& sets,
               const std::string& file, Diagnostics& diagnostics);

    /// The value given, else the default, else nullptr.
    [[nodiscard]] const DeckValue* find(const std::string& path) const;
    /// The deck or --set gives this key (even if its value was at fault).
    [[nodiscard]] bool given(const std::string& path) const { return given_.count(path) > 0; }
    /// Place of the key if given, else of the whole file.
    [[nodiscard]] SourcePlace key_place(const std::string& path) const;
    [[nodiscard]] SourcePlace value_place(const std::string& path) const;

    /// The value as `T` where there is one of that kind.
    template <class T>
    [[nodiscard]] std::optional<T> get(const std::string& path) const
    {
        const DeckValue* found = find(path);
        if (found == nullptr) {
            return std::nullopt;
        }
        const T* value = std::get_if<T>(&found->value);
        return value == nullptr ? std::nullopt : std::optional<T>(*value);
    }
    /// The word of a choice; empty if it was at fault.
    [[nodiscard]] std::string word(const std::string& path) const
    {
        return get<std::string>(path).value_or("");
    }

    [[nodiscard]] const std::map<std::string, DeckValue>& all() const { return values_; }

private:
    void take(const TomlEntry& entry, Diagnostics& diagnostics);
    void override_with(const std::string& set, Diagnostics& diagnostics);
    void refuse_unknown(const TomlEntry& entry, Diagnostics& diagnostics) const;
    void fill_defaults(Diagnostics& diagnostics);

    std::string file_;
    std::map<std::string, DeckValue> values_;
    std::map<std::string, TomlEntry> given_;
};

} // namespace tessera
