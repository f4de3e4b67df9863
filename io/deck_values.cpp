#include "io/deck_values.hpp"

#include "io/foreign_keys.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tessera
{

namespace
{

std::string table_of(const std::string& path)
{
    const auto dot = path.find('.');
    return dot == std::string::npos ? std::string() : path.substr(0, dot);
}

std::string without_blanks(const std::string& text)
{
    const auto begin = text.find_first_not_of(" \t");
    return begin == std::string::npos
               ? std::string()
               : text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::string name_in_table(const std::string& path)
{
    const auto dot = path.find('.');
    return dot == std::string::npos ? path : path.substr(dot + 1);
}

std::string tables_in_words()
{
    return fmt::format("the deck's tables are [{}]", fmt::join(deck_tables(), "], ["));
}

/// What people of other programs call our words.
std::string known_elsewhere(const std::string& word)
{
    static const std::map<std::string, std::string> ours = {
        {"md", "leap-frog"},
        {"md-vv", "velocity-verlet"},
        {"verlet", "velocity-verlet"},
        {"leapfrog", "leap-frog"},
        {"sd", "langevin"},
        {"baoab", "langevin"},
        {"steep", "steepest-descent"},
        {"rf", "reaction-field"},
        {"cut-off", "cutoff"},
        {"spme", "pme"},
        {"particle-mesh-ewald", "pme"},
        {"generalized-reaction-field", "reaction-field"},
        {"no", "none"},
        {"yes", "maxwell-boltzmann"},
        {"enerpres", "energy-and-pressure"},
        {"ener", "energy"},
        {"force-switching", "force-switch"},
        {"hbonds", "h-bonds"},
        {"allbonds", "all-bonds"},
        {"vrescale", "v-rescale"},
        {"bussi", "v-rescale"},
        {"crescale", "c-rescale"},
        {"double", "fp64"},
        {"gpu", "cuda"},
        {"shift", "potential-shift"},
        {"switch", "potential-switch"},
        {"maxwell", "maxwell-boltzmann"}};
    const auto found = ours.find(word);
    return found == ours.end() ? std::string() : found->second;
}

/// Turns TOML values into values of a key, or says what is wrong.
class Converter {
public:
    Converter(const DeckKey& key, const TomlEntry& entry, Diagnostics& diagnostics)
        : key_(key), entry_(entry), diagnostics_(diagnostics)
    {
    }

    std::optional<DeckValue> convert()
    {
        switch (key_.kind) {
        case KeyKind::path:
        case KeyKind::path_or_none:
            return file_name();
        case KeyKind::text_list:
            return text_list();
        case KeyKind::choice:
            return choice();
        case KeyKind::flag:
            return flag();
        case KeyKind::flag_or_quantity:
            return entry_.value.as<bool>() != nullptr ? flag() : quantity();
        case KeyKind::count:
            return count();
        case KeyKind::number:
        case KeyKind::number_or_inf:
            return number();
        case KeyKind::quantity:
        case KeyKind::quantity_or_word:
            return quantity();
        case KeyKind::grid:
            return grid();
        }
        return std::nullopt;
    }

private:
    template <class T>
    std::optional<DeckValue> value(T plain) const
    {
        DeckValue out;
        out.value = std::move(plain);
        out.text = written(entry_.value);
        out.key = entry_.key;
        out.place = entry_.at;
        return out;
    }

    std::nullopt_t fault(std::string what, std::string caret, std::string hint)
    {
        diagnostics_.error({entry_.at, std::move(what), std::move(caret), std::move(hint)});
        return std::nullopt;
    }

    std::nullopt_t wrong_kind(const std::string& wanted, const std::string& hint)
    {
        return fault(fmt::format("{} wants {} (got {}: {})", key_.path, wanted,
                                 kind_in_words(entry_.value), written(entry_.value)),
                     wanted + " belongs here", hint);
    }

    std::optional<DeckValue> file_name()
    {
        const auto* text = entry_.value.as<std::string>();
        if (text == nullptr) {
            return wrong_kind("a file name", "write the name in double quotes");
        }
        if (text->empty()) {
            return fault(fmt::format("{} is empty (it names a file)", key_.path), "",
                         key_.kind == KeyKind::path_or_none ? "write \"none\" for no file"
                                                            : "name the file");
        }
        return value(*text);
    }

    std::optional<DeckValue> text_list()
    {
        std::vector<std::string> out;
        const auto* list = entry_.value.as<TomlList>();
        if (list == nullptr) {
            return wrong_kind("a list of strings", "write [\"...\", \"...\"]");
        }
        for (const TomlValue& item : *list) {
            const auto* text = item.as<std::string>();
            if (text == nullptr || text->empty()) {
                return wrong_kind("a list of strings",
                                  fmt::format("{} is not a name", written(item)));
            }
            out.push_back(*text);
        }
        return value(out);
    }

    std::optional<DeckValue> choice()
    {
        const auto* text = entry_.value.as<std::string>();
        if (text == nullptr) {
            return wrong_kind("a word",
                              "one of " + choices_in_words(key_, true) + ", in double quotes");
        }
        return word(*text);
    }

    std::optional<DeckValue> word(const std::string& text)
    {
        std::vector<std::string> names;
        for (const KeyChoice& known : key_.choices) {
            if (known.word == text) {
                if (known.built) {
                    return value(text);
                }
                return fault(fmt::format("{} = \"{}\" is not built yet", key_.path, text),
                             "not built yet", "what is built: " + choices_in_words(key_, true));
            }
            names.emplace_back(known.word);
        }
        std::string small = text;
        std::transform(small.begin(), small.end(), small.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        std::string near = known_elsewhere(small);
        if (std::find(names.begin(), names.end(), near) == names.end()) {
            near = nearest_name(text, names);
        }
        return fault(
            fmt::format("{} = \"{}\" is unknown (not among {})", key_.path, text,
                        choices_in_words(key_, false)),
            "unknown",
            near.empty() ? "choose " + choices_in_words(key_, true)
            : is_built(near)
                ? fmt::format("did you mean \"{}\"?", near)
                : fmt::format("did you mean \"{}\"? It is not built yet; what is built: {}", near,
                              choices_in_words(key_, true)));
    }

    bool is_built(const std::string& name) const
    {
        return std::any_of(key_.choices.begin(), key_.choices.end(), [&](const KeyChoice& known) {
            return known.word == name && known.built;
        });
    }

    std::optional<DeckValue> flag()
    {
        const auto* plain = entry_.value.as<bool>();
        if (plain == nullptr) {
            return wrong_kind("true or false", "without quotes");
        }
        return value(*plain);
    }

    std::optional<DeckValue> count()
    {
        if (const auto* number = entry_.value.as<double>()) {
            return wrong_kind("a whole number",
                              std::isfinite(*number) && std::floor(*number) == *number &&
                                      std::fabs(*number) < 1e15
                                  ? fmt::format("write {}", static_cast<std::int64_t>(*number))
                                  : "write it without decimal point and exponent");
        }
        const auto* whole = entry_.value.as<std::int64_t>();
        if (const auto* text = entry_.value.as<std::string>();
            text != nullptr && text->size() > 18 &&
            text->find_first_not_of("0123456789") == std::string::npos) {
            return fault(beyond_64_bits(std::string(key_.path), *text), "too large",
                         largest_whole_number());
        }
        if (whole == nullptr) {
            return wrong_kind("a whole number", "without quotes and without unit");
        }
        if (*whole < 0) {
            return fault(fmt::format("{} = {} is negative (it counts)", key_.path, *whole),
                         "0 or more", "choose 0 or a positive whole number");
        }
        return value(*whole);
    }

    std::optional<DeckValue> number()
    {
        double plain = 0;
        if (const auto* whole = entry_.value.as<std::int64_t>()) {
            plain = static_cast<double>(*whole);
        } else if (const auto* real = entry_.value.as<double>()) {
            plain = *real;
        } else {
            return wrong_kind("a bare number", "without quotes and without unit");
        }
        const bool infinity_allowed = key_.kind == KeyKind::number_or_inf;
        if (std::isnan(plain) || (std::isinf(plain) && !(infinity_allowed && plain > 0))) {
            return fault(fmt::format("{} = {} is not a number to compute with", key_.path, plain),
                         infinity_allowed ? "a number or inf belongs here"
                                          : "a finite number belongs here",
                         fmt::format("the default is {}", key_.default_value));
        }
        return value(plain);
    }

    std::optional<DeckValue> quantity()
    {
        const std::string units = units_in_words(key_.dimension);
        const auto* text = entry_.value.as<std::string>();
        if (text == nullptr) {
            if (entry_.value.as<std::int64_t>() != nullptr ||
                entry_.value.as<double>() != nullptr) {
                return fault(fmt::format("{} = {} has no unit ({} needs one)", key_.path,
                                         written(entry_.value), with_article(key_.dimension)),
                             units + " would do", with_unit_or_word());
            }
            return wrong_kind(fmt::format("{} with its unit", with_article(key_.dimension)),
                              fmt::format("in double quotes; units: {}", units));
        }
        if (key_.kind == KeyKind::quantity_or_word) {
            for (const KeyChoice& known : key_.choices) {
                if (known.word == *text) {
                    return word(*text);
                }
            }
        }
        QuantityReading reading = read_quantity(*text, key_.dimension);
        if (!reading.valid) {
            if (key_.kind == KeyKind::quantity_or_word) {
                reading.hint += "; or " + choices_in_words(key_, true);
            }
            return fault(fmt::format("{}: {}", key_.path, reading.what), reading.caret,
                         reading.hint);
        }
        return value(reading.value);
    }

    /// For a number without unit. Zero is no length or time, but may mean "none".
    std::string with_unit_or_word() const
    {
        const std::string units = with_each_unit(written(entry_.value), key_.dimension);
        if (key_.kind == KeyKind::flag_or_quantity) {
            return units + ", or true or false";
        }
        if (key_.kind != KeyKind::quantity_or_word) {
            return units;
        }
        const auto* whole = entry_.value.as<std::int64_t>();
        const std::string words = choices_in_words(key_, true);
        return whole != nullptr && *whole == 0 ? fmt::format("write {}, or {} with its unit", words,
                                                             with_article(key_.dimension))
                                               : fmt::format("{}, or {}", units, words);
    }

    std::optional<DeckValue> grid()
    {
        std::array<int, 3> out{};
        const auto* list = entry_.value.as<TomlList>();
        if (list == nullptr || list->size() != 3) {
            return wrong_kind("three whole numbers", "such as [56, 56, 56]");
        }
        for (std::size_t k = 0; k < 3; ++k) {
            const auto* whole = (*list)[k].as<std::int64_t>();
            if (whole == nullptr || *whole < 1 || *whole > 100000) {
                return wrong_kind(
                    "three whole numbers from 1 to 100000",
                    fmt::format("{} cannot be a number of mesh points", written((*list)[k])));
            }
            out[k] = static_cast<int>(*whole);
        }
        return value(out);
    }

    const DeckKey& key_;
    const TomlEntry& entry_;
    Diagnostics& diagnostics_;
};

} // namespace

DeckValues::DeckValues(const TomlDocument& document, const std::vector<std::string>& sets,
                       const std::string& file, Diagnostics& diagnostics)
    : file_(file)
{
    for (const auto& [name, place] : document.tables) {
        const auto& tables = deck_tables();
        if (std::find(tables.begin(), tables.end(), name) == tables.end()) {
            const std::string near = nearest_name(name, tables);
            diagnostics.error(
                {place, fmt::format("unknown table [{}]", name), "unknown",
                 near.empty() ? tables_in_words() : fmt::format("did you mean [{}]?", near)});
        }
    }
    for (const TomlEntry& entry : document.entries) {
        const auto& tables = deck_tables();
        const bool table_known =
            std::find(tables.begin(), tables.end(), table_of(entry.path)) != tables.end();
        if (find_deck_key(entry.path) != nullptr) {
            given_[entry.path] = entry;
        } else if (table_known || table_of(entry.path).empty() ||
                   !hint_for_foreign_key(name_in_table(entry.path)).empty()) {
            refuse_unknown(entry, diagnostics); // others of unknown tables are told by the table
        }
    }
    for (const std::string& set : sets) {
        override_with(set, diagnostics);
    }
    // faults in the file's order, overrides last
    std::vector<const TomlEntry*> ordered;
    for (const auto& [path, entry] : given_) {
        ordered.push_back(&entry);
    }
    std::sort(ordered.begin(), ordered.end(), [](const TomlEntry* a, const TomlEntry* b) {
        const auto rank = [](const TomlEntry* entry) {
            return entry->key.line == 0 ? 1 << 30 : entry->key.line;
        };
        return rank(a) < rank(b);
    });
    for (const TomlEntry* entry : ordered) {
        take(*entry, diagnostics);
    }
    fill_defaults(diagnostics);
}

void DeckValues::take(const TomlEntry& entry, Diagnostics& diagnostics)
{
    std::optional<DeckValue> value =
        Converter(*find_deck_key(entry.path), entry, diagnostics).convert();
    if (value) {
        value->given = true;
        values_[entry.path] = *value;
    }
}

void DeckValues::override_with(const std::string& set, Diagnostics& diagnostics)
{
    TomlEntry entry;
    entry.key.file = "--set " + set;
    entry.at = entry.key;
    const auto equals = set.find('=');
    if (equals == std::string::npos || equals == 0) {
        diagnostics.error({entry.key, "this is not KEY=VALUE", "",
                           "write --set TABLE.KEY=VALUE, such as --set run.steps=100"});
        return;
    }
    entry.path = without_blanks(set.substr(0, equals));
    const std::string text = without_blanks(set.substr(equals + 1));
    const std::optional<TomlValue> parsed = parse_toml_value(text);
    entry.value = parsed ? *parsed : TomlValue{text};
    if (find_deck_key(entry.path) == nullptr) {
        refuse_unknown(entry, diagnostics);
        return;
    }
    given_[entry.path] = entry;
}

void DeckValues::refuse_unknown(const TomlEntry& entry, Diagnostics& diagnostics) const
{
    const std::string table = table_of(entry.path);
    const std::string name = name_in_table(entry.path);
    if (const auto& tables = deck_tables();
        table.empty() && std::find(tables.begin(), tables.end(), name) != tables.end()) {
        diagnostics.error({entry.key, fmt::format("{} is a table, not a key", name), "",
                           fmt::format("write [{}] on a line of its own, its keys below", name)});
        return;
    }
    std::vector<std::string> in_table;
    std::string elsewhere;
    for (const DeckKey& key : deck_keys()) {
        const std::string path(key.path);
        if (table_of(path) == table) {
            in_table.push_back(name_in_table(path));
        } else if (name_in_table(path) == name) {
            elsewhere = elsewhere.empty() ? table_of(path) : elsewhere;
        }
    }
    const std::string what = table.empty()
                                 ? fmt::format("unknown key {} (it stands in no table)", name)
                                 : fmt::format("unknown key {}.{}", table, name);
    std::string hint;
    if (const std::string foreign = hint_for_foreign_key(name); !foreign.empty()) {
        hint = foreign;
    } else if (!elsewhere.empty()) {
        hint = fmt::format("{} belongs in [{}]", name, elsewhere);
    } else if (const std::string near = nearest_name(name, in_table); !near.empty()) {
        hint = fmt::format("did you mean {}{}?", entry.key.line == 0 ? table + "." : "", near);
    } else if (!in_table.empty()) {
        std::string all;
        for (const std::string& known : in_table) {
            all += (all.empty() ? "" : ", ") + known;
        }
        hint = fmt::format("[{}] has {}", table, all);
    } else {
        std::vector<std::string> paths;
        for (const DeckKey& key : deck_keys()) {
            paths.emplace_back(key.path);
        }
        const std::string near_path = nearest_name(entry.path, paths);
        const std::string near_table = nearest_name(table, deck_tables());
        hint = !near_path.empty() ? fmt::format("did you mean {}?", near_path)
               : !near_table.empty()
                   ? fmt::format("did you mean [{}]?", near_table)
                   : tables_in_words() + "; tessera check --list-keys names every key";
    }
    diagnostics.error({entry.key, what, "unknown", hint});
}

void DeckValues::fill_defaults(Diagnostics& diagnostics)
{
    for (const DeckKey& key : deck_keys()) {
        const std::string path(key.path);
        if (given(path) || key.default_value.empty()) {
            continue;
        }
        TomlEntry entry;
        entry.path = path;
        entry.value = *parse_toml_value(std::string(key.default_value));
        // the one way a default can be at fault: its word is not built yet
        const auto* word = entry.value.as<std::string>();
        const auto unbuilt =
            std::find_if(key.choices.begin(), key.choices.end(), [&](const KeyChoice& choice) {
                return word != nullptr && choice.word == *word && !choice.built;
            });
        if (unbuilt != key.choices.end()) {
            SourcePlace whole;
            whole.file = file_;
            diagnostics.error({whole,
                               fmt::format("{} is \"{}\" by default, which is not built yet", path,
                                           unbuilt->word),
                               "",
                               fmt::format("set {} under [{}] to {}", name_in_table(path),
                                           table_of(path), choices_in_words(key, true))});
            continue;
        }
        Diagnostics none;
        values_[path] = *Converter(key, entry, none).convert();
    }
}

const DeckValue* DeckValues::find(const std::string& path) const
{
    const auto found = values_.find(path);
    return found == values_.end() ? nullptr : &found->second;
}

SourcePlace DeckValues::key_place(const std::string& path) const
{
    const auto found = given_.find(path);
    if (found != given_.end()) {
        return found->second.key;
    }
    SourcePlace whole;
    whole.file = file_;
    return whole;
}

SourcePlace DeckValues::value_place(const std::string& path) const
{
    const auto found = given_.find(path);
    return found == given_.end() ? key_place(path) : found->second.at;
}

} // namespace tessera
