#include "io/unit_text.hpp"

#include "engine/math/units.hpp"
#include "io/columns.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace tessera
{

namespace
{

constexpr std::pair<std::string_view, double> symbols[] = {
    {"nm", 1},
    {"pm", 1e-3},
    {"fm", 1e-6},
    {"A", units::angstrom},
    {"ps", 1},
    {"fs", 1e-3},
    {"ns", 1e3},
    {"Angstrom", units::angstrom},
    {"s", 1e12},
    {"sec", 1e12},
    {"second", 1e12},
    {"angstrom", units::angstrom},
    {"\u00c5", units::angstrom},
    {"AKMA", units::amber_time},
};

} // namespace

std::optional<double> unit_factor(std::string_view unit)
{
    double factor = 1;
    for (const std::string_view word : words(unit)) {
        const std::size_t end = std::min(word.find_first_of("+-0123456789"), word.size());
        int exponent = 1;
        if (end < word.size()) {
            const std::optional<int> given = number_in<int>(word.substr(end));
            if (!given) {
                return std::nullopt;
            }
            exponent = *given;
        }
        const auto* const known =
            std::find_if(std::begin(symbols), std::end(symbols),
                         [&](const auto& symbol) { return symbol.first == word.substr(0, end); });
        if (known == std::end(symbols)) {
            return std::nullopt;
        }
        factor *= exponent < 0 ? 1 / std::pow(known->second, -exponent)
                               : std::pow(known->second, exponent);
    }
    return factor;
}

} // namespace tessera
