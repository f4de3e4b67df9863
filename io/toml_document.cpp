#include "io/toml_document.hpp"

#include "engine/base/text_file.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <limits>
#include <sstream>
#include <toml++/toml.h>

namespace tessera
{

namespace
{

TomlValue converted(const toml::node& node)
{
    if (const auto* flag = node.as_boolean()) {
        return {flag->get()};
    }
    if (const auto* whole = node.as_integer()) {
        return {static_cast<std::int64_t>(whole->get())};
    }
    if (const auto* number = node.as_floating_point()) {
        return {number->get()};
    }
    if (const auto* text = node.as_string()) {
        return {std::string(text->get())};
    }
    if (const auto* array = node.as_array()) {
        TomlList list;
        for (const toml::node& item : *array) {
            list.push_back(converted(item));
        }
        return {list};
    }
    return {TomlOther{node.is_table() ? "a table" : "a date or time"}};
}

class Flattener {
public:
    Flattener(const std::string& file, const std::vector<std::string>& lines)
        : file_(file), lines_(lines)
    {
    }

    void walk(const toml::table& table, const std::string& prefix, int depth, TomlDocument& out)
    {
        for (const auto& [key, node] : table) {
            const std::string path =
                prefix.empty() ? std::string(key.str()) : prefix + "." + std::string(key.str());
            const toml::table* inner = node.as_table();
            // deeper tables are values to us: the deck has one level of tables
            if (inner != nullptr && depth == 0) {
                out.tables.emplace_back(path, place(key.source(), key.str().size()));
                walk(*inner, path, depth + 1, out);
                continue;
            }
            TomlEntry entry;
            entry.path = path;
            entry.key = place(key.source(), key.str().size());
            entry.at = place(node.source(), 1);
            entry.value = converted(node);
            out.entries.push_back(std::move(entry));
        }
    }

    SourcePlace place(const toml::source_region& region, std::size_t least_width) const
    {
        SourcePlace at = place(region.begin);
        const bool one_line = region.end.line == region.begin.line;
        const int width = one_line && region.end.column > region.begin.column
                              ? static_cast<int>(region.end.column - region.begin.column)
                              : 1;
        at.width = std::max(width, one_line ? static_cast<int>(least_width) : 1);
        return at;
    }

    SourcePlace place(const toml::source_position& position) const
    {
        SourcePlace at;
        at.file = file_;
        at.line = static_cast<int>(position.line);
        at.column = static_cast<int>(position.column);
        if (position.line >= 1 && position.line <= lines_.size()) {
            at.source_line = lines_[position.line - 1];
        }
        return at;
    }

private:
    const std::string& file_;
    const std::vector<std::string>& lines_;
};

/// The library's sentence in our grammar: without its "Error while parsing ...:" and capital.
std::string in_our_words(std::string_view description)
{
    std::string text(description);
    const std::string lead = "Error while parsing ";
    if (text.rfind(lead, 0) == 0) {
        const auto colon = text.find(": ");
        if (colon != std::string::npos) {
            text = text.substr(colon + 2);
        }
    }
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

/// The key (with its table) on a line of the deck, for faults of grammar; "" where it has none.
std::string key_on(const std::vector<std::string>& lines, std::size_t line)
{
    const auto bare = [](std::string text) {
        text.erase(std::remove_if(text.begin(), text.end(),
                                  [](unsigned char c) { return std::isspace(c) != 0; }),
                   text.end());
        return text;
    };
    if (line < 1 || line > lines.size()) {
        return "";
    }
    const std::string& text = lines[line - 1];
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) {
        return "";
    }
    const std::string key = bare(text.substr(0, equals));
    for (std::size_t above = line - 1; above-- > 0;) {
        const std::string table = bare(lines[above]);
        const std::size_t end = table.find(']');
        if (!table.empty() && table[0] == '[' && end != std::string::npos) {
            return table.substr(1, end - 1) + "." + key;
        }
    }
    return key;
}

/// Where a table or key first stands that the parser met again on `line`; 0: not found. A key is
/// looked for in its table.
std::size_t first_line_of(const std::vector<std::string>& lines, std::size_t line)
{
    const auto head = [](const std::string& text) {
        const std::size_t begin = text.find_first_not_of(" \t");
        std::string out = begin == std::string::npos ? "" : text.substr(begin);
        const bool is_table = !out.empty() && out[0] == '[';
        out = out.substr(0, is_table ? out.find(']') : out.find('='));
        out.erase(std::remove_if(out.begin(), out.end(),
                                 [](char c) { return c == ' ' || c == '\t' || c == '"'; }),
                  out.end());
        return out;
    };
    if (line < 1 || line > lines.size()) {
        return 0;
    }
    const std::string again = head(lines[line - 1]);
    std::size_t found = 0;
    for (std::size_t above = line - 1; above > 0 && !again.empty(); --above) {
        const std::string there = head(lines[above - 1]);
        if (there == again) {
            found = above;
        } else if (again[0] != '[' && !there.empty() && there[0] == '[') {
            break; // its table begins
        }
    }
    return found;
}

/// The value on a line, without blanks and remark.
std::string value_on(const std::string& line)
{
    const std::size_t begin = line.find_first_not_of(" \t", line.find('=') + 1);
    const std::size_t end =
        begin == std::string::npos ? begin : line.find_first_of(" \t\r#", begin);
    return begin == std::string::npos ? "" : line.substr(begin, end - begin);
}

bool comes_before(const TomlEntry& a, const TomlEntry& b)
{
    return a.key.line != b.key.line ? a.key.line < b.key.line : a.key.column < b.key.column;
}

} // namespace

TomlDocument parse_toml(const std::string& text, const std::string& file_name,
                        Diagnostics& diagnostics)
{
    TomlDocument document;
    const std::vector<std::string> lines = split_lines(text);
    Flattener flattener(file_name, lines);
    try {
        const toml::table table = toml::parse(std::string_view(text), std::string_view(file_name));
        flattener.walk(table, "", 0, document);
        std::stable_sort(document.entries.begin(), document.entries.end(), comes_before);
    } catch (const toml::parse_error& error) {
        Diagnostic fault;
        fault.place = flattener.place(error.source().begin);
        fault.what =
            fmt::format("the deck is not valid TOML ({})", in_our_words(error.description()));
        fault.hint =
            "strings stand in double quotes, tables in [brackets], one key = value a line; "
            "nothing after this place was read";
        const std::string key = key_on(lines, error.source().begin.line);
        if (!key.empty() && fault.what.find("64 bits") != std::string::npos) {
            fault.what = beyond_64_bits(key, value_on(fault.place.source_line));
            fault.caret = "too large";
            fault.hint = largest_whole_number() + "; nothing after this place was read";
        }
        if (fault.what.find("cannot redefine") != std::string::npos) {
            const std::size_t first = first_line_of(lines, error.source().begin.line);
            fault.hint = first > 0 ? fmt::format("it stands already at {}:{}: keep one of the two; "
                                                 "nothing after this place was read",
                                                 file_name, first)
                                   : "keep one of the two; nothing after this place was read";
        }
        diagnostics.error(std::move(fault));
    }
    return document;
}

std::optional<TomlValue> parse_toml_value(const std::string& text)
{
    try {
        const std::string line = "value = " + text;
        const toml::table table = toml::parse(std::string_view(line));
        // text such as `1\nother = 2` is not one value
        if (table.size() != 1) {
            return std::nullopt;
        }
        return converted(*table.get("value"));
    } catch (const toml::parse_error&) {
        return std::nullopt;
    }
}

std::string kind_in_words(const TomlValue& value)
{
    switch (value.value.index()) {
    case 0:
        return "true or false";
    case 1:
        return "a whole number";
    case 2:
        return "a number";
    case 3:
        return "a string";
    case 4:
        return "a list";
    default:
        return value.as<TomlOther>()->kind;
    }
}

std::string written(const TomlValue& value)
{
    if (const auto* flag = value.as<bool>()) {
        return *flag ? "true" : "false";
    }
    if (const auto* whole = value.as<std::int64_t>()) {
        return std::to_string(*whole);
    }
    if (const auto* number = value.as<double>()) {
        return fmt::format("{}", *number);
    }
    if (const auto* text = value.as<std::string>()) {
        return fmt::format("\"{}\"", *text);
    }
    if (const auto* list = value.as<TomlList>()) {
        std::string out = "[";
        for (const TomlValue& item : *list) {
            out += (out.size() > 1 ? ", " : "") + written(item);
        }
        return out + "]";
    }
    return value.as<TomlOther>()->kind;
}

std::string beyond_64_bits(const std::string& path, const std::string& number)
{
    return fmt::format("{} = {} is too large (a whole number of 64 bits)", path, number);
}

std::string largest_whole_number()
{
    return fmt::format("choose {} at most", std::numeric_limits<std::int64_t>::max());
}

std::string toml_library_version()
{
    return fmt::format("{}.{}.{}", TOML_LIB_MAJOR, TOML_LIB_MINOR, TOML_LIB_PATCH);
}

} // namespace tessera
