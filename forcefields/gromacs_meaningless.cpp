#include "forcefields/gromacs_functions.hpp"

#include <array>
#include <fmt/format.h>

namespace tessera
{

namespace
{

using enum BondedFamily;

enum class Range : std::uint8_t { not_negative, positive, half_turn };

/// What no force field means by a parameter. Torsions and impropers are left out: negative
/// constants and phases of any size stand in many force fields.
struct Rule {
    BondedFamily family;
    int function;
    int parameter;
    Range range;
    std::string_view name;
};

constexpr std::array rules = {
    Rule{bond, 1, 0, Range::not_negative, "length (nm)"},
    Rule{bond, 1, 1, Range::not_negative, "force constant"},
    Rule{bond, 2, 0, Range::not_negative, "length (nm)"},
    Rule{bond, 2, 1, Range::not_negative, "force constant"},
    Rule{bond, 3, 0, Range::not_negative, "length (nm)"},
    Rule{bond, 3, 1, Range::not_negative, "depth"},
    Rule{bond, 4, 0, Range::not_negative, "length (nm)"},
    Rule{bond, 4, 1, Range::not_negative, "force constant"},
    Rule{bond, 6, 0, Range::not_negative, "length (nm)"},
    Rule{bond, 6, 1, Range::not_negative, "force constant"},
    Rule{bond, 7, 0, Range::positive, "largest length (nm)"},
    Rule{bond, 7, 1, Range::not_negative, "force constant"},
    Rule{bond, 10, 3, Range::not_negative, "force constant"},
    Rule{angle, 1, 0, Range::half_turn, "angle"},
    Rule{angle, 1, 1, Range::not_negative, "force constant"},
    Rule{angle, 2, 0, Range::half_turn, "angle"},
    Rule{angle, 2, 1, Range::not_negative, "force constant"},
    Rule{angle, 5, 0, Range::half_turn, "angle"},
    Rule{angle, 5, 1, Range::not_negative, "force constant"},
    Rule{angle, 5, 2, Range::not_negative, "length (nm)"},
    Rule{angle, 6, 0, Range::half_turn, "angle"},
    Rule{angle, 10, 0, Range::half_turn, "angle"},
    Rule{angle, 10, 1, Range::not_negative, "force constant"},
    Rule{constraint, 1, 0, Range::positive, "length (nm)"},
    Rule{constraint, 2, 0, Range::positive, "length (nm)"},
};

bool holds(Range range, double value)
{
    switch (range) {
    case Range::not_negative:
        return value >= 0;
    case Range::positive:
        return value > 0;
    case Range::half_turn:
        break;
    }
    return value >= 0 && value <= 180;
}

std::string_view in_words(Range range)
{
    switch (range) {
    case Range::not_negative:
        return "not be negative";
    case Range::positive:
        return "be positive";
    case Range::half_turn:
        break;
    }
    return "lie between 0 and 180 degrees";
}

} // namespace

std::optional<MeaninglessParameter> meaningless_parameter(const BondedFunction& function,
                                                          std::span<const double> p)
{
    for (const Rule& rule : rules) {
        const auto k = static_cast<std::size_t>(rule.parameter);
        if (rule.family == function.family && rule.function == function.function && k < p.size() &&
            !holds(rule.range, p[k])) {
            return MeaninglessParameter{k, fmt::format("the {} of a {} must {}, not {}", rule.name,
                                                       function.name, in_words(rule.range), p[k])};
        }
    }
    return std::nullopt;
}

std::string unlikely_parameter(const BondedFunction& function, std::span<const double> p)
{
    constexpr double longest = 1.0;    // nm: chemical bonds have 0.07 to 0.3 nm, beads 0.5
    constexpr double half_turn = 3.15; // radians
    const bool is_bond = function.family == bond && function.function <= 4;
    if ((is_bond || function.family == constraint) && !p.empty() && p[0] > longest) {
        return fmt::format("the length of this {} is {:g} nm, which looks like Angstrom",
                           function.name, p[0]);
    }
    const bool has_angle = function.family == angle && function.function <= 2;
    if (has_angle && !p.empty() && p[0] > 0 && p[0] < half_turn) {
        return fmt::format("the angle of this {} is {:g} degrees, which looks like radians",
                           function.name, p[0]);
    }
    return "";
}

} // namespace tessera
