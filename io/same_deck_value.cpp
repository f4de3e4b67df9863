#include "io/same_deck_value.hpp"

#include "io/deck_keys.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace tessera
{

namespace
{

std::optional<double> value_of(const std::string& text, Dimension dimension)
{
    if (!units_of(dimension).empty() && text.size() >= 2 &&
        (text.front() == '"' || text.front() == '\'') && text.back() == text.front()) {
        const QuantityReading reading = read_quantity(text.substr(1, text.size() - 2), dimension);
        return reading.valid ? std::optional(reading.value) : std::nullopt;
    }
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, fault] = std::from_chars(text.data(), end, value);
    return fault == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

std::string without_blanks(const std::string& text)
{
    std::string out;
    char quote = 0;
    for (const char c : text) {
        if (quote != 0) {
            quote = c == quote ? '\0' : quote;
        } else if (c == '"' || c == '\'') {
            quote = c;
        }
        if (quote != 0 || (c != ' ' && c != '\t')) {
            out += c;
        }
    }
    return out;
}

} // namespace

bool same_deck_value(const std::string& path, const std::string& a, const std::string& b)
{
    if (without_blanks(a) == without_blanks(b)) {
        return true;
    }
    const DeckKey* const key = find_deck_key(path);
    if (key == nullptr) {
        return false;
    }
    const auto x = value_of(a, key->dimension), y = value_of(b, key->dimension);
    return x && y && std::fabs(*x - *y) <= 1e-14 * std::max(std::fabs(*x), std::fabs(*y));
}

} // namespace tessera
