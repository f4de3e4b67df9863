#include "io/quantity.hpp"

#include "engine/base/diagnostic.hpp"
#include "engine/math/units.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace tessera
{

namespace
{

constexpr double pascal = units::bar * 1e-5;
constexpr double atmosphere = units::bar * 1.01325;
constexpr double kcal = units::kilocalorie;

struct Table {
    std::string_view name;
    std::vector<UnitName> units;
};

/// Spellings shown to users come first; synonyms follow.
const std::array<Table, 11>& tables()
{
    static const std::array<Table, 11> all = {{
        {"number", {}},
        {"length",
         {{"nm", 1},
          {"Å", 0.1},
          {"pm", 1e-3},
          {"A", 0.1},
          {"\u212b", 0.1},
          {"angstrom", 0.1},
          {"Angstrom", 0.1}}},
        {"time",
         {{"fs", 1e-3},
          {"ps", 1},
          {"ns", 1e3},
          {"us", 1e6},
          {"µs", 1e6},
          {"\u03bcs", 1e6},
          {"ms", 1e9}}},
        {"wall-clock time",
         {{"s", 1},
          {"min", 60},
          {"h", 3600},
          {"d", 86400},
          {"sec", 1},
          {"hours", 3600},
          {"hour", 3600},
          {"minutes", 60},
          {"days", 86400}}},
        {"temperature", {{"K", 1}}},
        {"pressure",
         {{"bar", units::bar},
          {"atm", atmosphere},
          {"Pa", pascal},
          {"kPa", 1e3 * pascal},
          {"MPa", 1e6 * pascal}}},
        {"mass", {{"u", 1}, {"Da", 1}, {"amu", 1}}},
        {"inverse length",
         {{"/nm", 1},
          {"/Å", 10},
          {"1/nm", 1},
          {"nm-1", 1},
          {"nm^-1", 1},
          {"1/Å", 10},
          {"/A", 10},
          {"1/A", 10}}},
        {"compressibility",
         {{"/bar", 1 / units::bar},
          {"/atm", 1 / atmosphere},
          {"/Pa", 1 / pascal},
          {"/MPa", 1e-6 / pascal},
          {"1/bar", 1 / units::bar},
          {"bar-1", 1 / units::bar},
          {"bar^-1", 1 / units::bar},
          {"1/atm", 1 / atmosphere},
          {"1/Pa", 1 / pascal},
          {"1/MPa", 1e-6 / pascal}}},
        {"energy rate",
         {{"kJ/mol/ps", 1},
          {"kJ/mol/ns", 1e-3},
          {"kcal/mol/ps", kcal},
          {"kcal/mol/ns", 1e-3 * kcal}}},
        {"force",
         {{"kJ/mol/nm", 1},
          {"kcal/mol/Å", kcal * 10},
          {"kJ/mol/Å", 10},
          {"kcal/mol/A", kcal * 10},
          {"kJ/mol/A", 10}}},
    }};
    return all;
}

const Table& table_of(Dimension dimension)
{
    return tables()[static_cast<std::size_t>(dimension)];
}

std::string_view trimmed(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// The dimension in whose table `unit` stands, for "K measures temperature".
const Table* table_that_knows(std::string_view unit)
{
    for (const Table& table : tables()) {
        for (const UnitName& known : table.units) {
            if (known.name == unit) {
                return &table;
            }
        }
    }
    return nullptr;
}

std::string example(std::string_view number, Dimension dimension)
{
    return fmt::format("\"{} {}\"", number, units_of(dimension).front().name);
}

std::string in_lower_case(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

bool is_celsius(std::string_view unit)
{
    constexpr std::array<std::string_view, 5> names = {"C", "\u00b0C", "degC", "Celsius",
                                                       "celsius"};
    return std::find(names.begin(), names.end(), unit) != names.end();
}

/// The unit that was probably meant: the same letters in another case, else the nearest; empty:
/// none.
std::string unit_like(std::string_view unit, Dimension dimension)
{
    std::vector<std::string> names;
    for (const UnitName& known : units_of(dimension)) {
        if (in_lower_case(std::string(known.name)) == in_lower_case(std::string(unit))) {
            return std::string(known.name);
        }
        names.emplace_back(known.name);
    }
    // one letter in two says nothing: "rs" is as near to ps as to fs
    return unit.size() < 3 ? std::string() : nearest_name(unit, names);
}

} // namespace

const std::vector<UnitName>& units_of(Dimension dimension)
{
    return table_of(dimension).units;
}

std::string_view name_of(Dimension dimension)
{
    return table_of(dimension).name;
}

std::string with_article(Dimension dimension)
{
    const std::string_view name = name_of(dimension);
    const bool vowel = std::string_view("aeiou").find(name.front()) != std::string_view::npos;
    return fmt::format("{} {}", vowel ? "an" : "a", name);
}

namespace
{

/// The first name of each unit.
std::vector<UnitName> shown_units(Dimension dimension)
{
    std::vector<UnitName> shown;
    for (const UnitName& unit : units_of(dimension)) {
        bool repeated = false;
        for (const UnitName& earlier : shown) {
            repeated = repeated || earlier.factor == unit.factor;
        }
        if (!repeated) {
            shown.push_back(unit);
        }
    }
    return shown;
}

/// `"PREFIXnm", "PREFIXÅ" or "PREFIXpm"`
std::string choices(std::string_view prefix, Dimension dimension)
{
    const std::vector<UnitName> shown = shown_units(dimension);
    std::string out;
    for (std::size_t k = 0; k < shown.size(); ++k) {
        out += k == 0 ? "" : (k + 1 == shown.size() ? " or " : ", ");
        out += fmt::format("\"{}{}\"", prefix, shown[k].name);
    }
    return out;
}

} // namespace

std::string example_of(Dimension dimension)
{
    return dimension == Dimension::none
               ? "1"
               : example(dimension == Dimension::temperature ? "300" : "1", dimension);
}

std::string units_in_words(Dimension dimension)
{
    return choices("", dimension);
}

std::string with_each_unit(std::string_view number, Dimension dimension)
{
    return "write " + choices(fmt::format("{} ", number), dimension);
}

QuantityReading read_quantity(std::string_view text, Dimension dimension)
{
    QuantityReading out;
    const std::string_view body = trimmed(text);
    // from_chars takes no leading plus sign, which people write
    const std::size_t skip = !body.empty() && body.front() == '+' ? 1 : 0;
    double number = 0;
    const char* const begin = body.data() + skip;
    const auto parsed = std::from_chars(begin, body.data() + body.size(), number);
    if (parsed.ec == std::errc::result_out_of_range) {
        out.what = fmt::format("\"{}\" is out of the range of numbers", text);
        out.caret = "too large or too small";
        out.hint = fmt::format("write a number and a unit, such as {}", example_of(dimension));
        return out;
    }
    if (parsed.ec != std::errc()) {
        out.what = fmt::format("\"{}\" is not {} (it does not begin with a number)", text,
                               with_article(dimension));
        out.caret = "a number and a unit belong here";
        out.hint = fmt::format("write a number and a unit, such as {}; units: {}",
                               example_of(dimension), units_in_words(dimension));
        return out;
    }
    if (!std::isfinite(number)) {
        out.what =
            fmt::format("\"{}\" is not {} (not a finite number)", text, with_article(dimension));
        out.caret = "a finite number belongs here";
        out.hint = fmt::format("write a finite number, such as {}", example_of(dimension));
        return out;
    }
    const std::string_view number_text(body.data(),
                                       static_cast<std::size_t>(parsed.ptr - body.data()));
    const std::string_view unit = trimmed(body.substr(number_text.size()));
    if (unit.empty()) {
        out.what = fmt::format("\"{}\" has no unit ({} needs one)", text, with_article(dimension));
        out.caret = fmt::format("{} would do", units_in_words(dimension));
        out.hint = with_each_unit(number_text, dimension);
        return out;
    }
    for (const UnitName& known : units_of(dimension)) {
        if (known.name == unit) {
            out.valid = true;
            out.value = number * known.factor;
            return out;
        }
    }
    if (const Table* other = table_that_knows(unit); other != nullptr) {
        out.what = fmt::format("\"{}\" is not {} (\"{}\" measures {})", text,
                               with_article(dimension), unit, other->name);
    } else {
        out.what = fmt::format("\"{}\" has an unknown unit (\"{}\"; {} takes {})", text, unit,
                               with_article(dimension), units_in_words(dimension));
    }
    out.caret = fmt::format("{} would do", units_in_words(dimension));
    const std::string near =
        table_that_knows(unit) != nullptr ? std::string() : unit_like(unit, dimension);
    out.hint = is_celsius(unit) && dimension == Dimension::temperature
                   ? fmt::format("{} degrees Celsius are \"{} K\"", number_text, number + 273.15)
               : near.empty() ? fmt::format("write a number and {}{}",
                                            units_of(dimension).size() == 1 ? "the unit "
                                                                            : "one of the units ",
                                            units_in_words(dimension))
                              : fmt::format("did you mean \"{} {}\"?", number_text, near);
    return out;
}

} // namespace tessera
