#include "forcefields/gromacs_row.hpp"

#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace tessera
{

namespace
{

template <class Number>
std::optional<Number> parsed(std::string_view word)
{
    if (!word.empty() && word.front() == '+') {
        word.remove_prefix(1);
    }
    Number value{};
    const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (fault != std::errc() || end != word.data() + word.size()) {
        return std::nullopt;
    }
    return value;
}

} // namespace

std::optional<int> to_integer(std::string_view word)
{
    return parsed<int>(word);
}

std::optional<double> to_number(std::string_view word)
{
    const std::optional<double> value = parsed<double>(word);
    return value && std::isfinite(*value) ? value : std::nullopt;
}

std::string normalized_name(std::string_view name)
{
    std::string out;
    for (const char c : name) {
        if (c != '-' && c != '_') {
            out += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        }
    }
    return out;
}

std::string GromacsReport::where(LineOrigin origin) const
{
    const SourcePlace place = text_.place(origin);
    return fmt::format("{}:{}", place.file, place.line);
}

std::optional<std::vector<double>> GromacsReport::numbers(const GromacsRow& row,
                                                          std::size_t first) const
{
    std::vector<double> values;
    for (std::size_t k = first; k < row.size(); ++k) {
        const std::optional<double> value = to_number(row[k]);
        if (!value) {
            error(row, row[k], fmt::format("\"{}\" is not a number", row[k]),
                  "a name here is a macro that no #define gives a value");
            return std::nullopt;
        }
        values.push_back(*value);
    }
    return values;
}

std::optional<int> GromacsReport::integer(const GromacsRow& row, std::size_t at,
                                          std::string_view meaning) const
{
    if (at >= row.size()) {
        error(row, {}, fmt::format("the line ends before {}", meaning));
        return std::nullopt;
    }
    const std::optional<int> value = to_integer(row[at]);
    if (!value) {
        error(row, row[at], fmt::format("{} must be a whole number, not \"{}\"", meaning, row[at]));
    }
    return value;
}

std::optional<double> GromacsReport::number(const GromacsRow& row, std::size_t at,
                                            std::string_view meaning) const
{
    if (at >= row.size()) {
        error(row, {}, fmt::format("the line ends before {}", meaning));
        return std::nullopt;
    }
    const std::optional<double> value = to_number(row[at]);
    if (!value) {
        error(row, row[at], fmt::format("{} must be a number, not \"{}\"", meaning, row[at]));
    }
    return value;
}

} // namespace tessera
