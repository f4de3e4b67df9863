#pragma once

#include "engine/base/diagnostic.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tessera
{

struct TomlValue;
using TomlList = std::vector<TomlValue>;
/// A date or an inline table where a plain value is expected; `kind` names it for messages.
struct TomlOther {
    std::string kind;
};

/// A value as TOML has it, before anybody knows what it means.
struct TomlValue {
    std::variant<bool, std::int64_t, double, std::string, TomlList, TomlOther> value;

    template <class T>
    [[nodiscard]] const T* as() const
    {
        return std::get_if<T>(&value);
    }
};

/// "a whole number", "a string", ... for messages.
std::string kind_in_words(const TomlValue& value);
/// The value as TOML would be written, for messages and echoes.
std::string written(const TomlValue& value);

/// One `key = value` of a file, with its dotted path and its places.
struct TomlEntry {
    std::string path; ///< "nonbonded.cutoff"
    SourcePlace key;
    SourcePlace at; ///< of the value
    TomlValue value;
};

/// A TOML file as a flat list of entries, in the file's order.
struct TomlDocument {
    std::vector<TomlEntry> entries;
    std::vector<std::pair<std::string, SourcePlace>> tables; ///< every table named, also empty ones
};

/// Parses TOML text; places name `file_name`. A fault of grammar (TOML readers stop at the first
/// one) goes into `diagnostics` and leaves the document empty.
TomlDocument parse_toml(const std::string& text, const std::string& file_name,
                        Diagnostics& diagnostics);

/// The value `text` stands for where it is TOML, such as `3`, `"a"` or `[1, 2]`.
std::optional<TomlValue> parse_toml_value(const std::string& text);

/// Version of the TOML library, for `tessera info`.
std::string toml_library_version();

/// The words for a whole number that TOML cannot hold, and the hint beside them.
std::string beyond_64_bits(const std::string& path, const std::string& number);
std::string largest_whole_number();

} // namespace tessera
