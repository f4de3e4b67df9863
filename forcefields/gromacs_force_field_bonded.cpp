#include "forcefields/gromacs_force_field.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tessera
{

namespace
{

/// Dihedral functions 1 and 9 share one table.
int table_function(BondedFamily family, int function)
{
    return family == BondedFamily::dihedral && function == 9 ? 1 : function;
}

bool is_digits(std::string_view word)
{
    return !word.empty() && word.size() <= 2 &&
           std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

} // namespace

bool keep_state_a(const GromacsReport& report, const GromacsRow& row,
                  const BondedFunction& function, std::vector<double>& p)
{
    const auto a = static_cast<std::size_t>(function.parameters);
    const auto b = static_cast<std::size_t>(function.perturbed_parameters);
    const std::size_t first = row.size() - p.size();
    const bool is_periodic =
        function.family == BondedFamily::dihedral &&
        (function.function == 1 || function.function == 4 || function.function == 9);
    if (is_periodic && p.size() == 5) {
        p.resize(6, p[2]); // the multiplicity of state B may be left out
    }
    if (p.size() != a && (b == 0 || p.size() != a + b)) {
        report.error(row, {},
                     fmt::format("{} (function type {}) needs {} parameters{}, not {}",
                                 function.name, function.function, a,
                                 b > 0 ? fmt::format(" ({} with a perturbed state)", a + b) : "",
                                 p.size()));
        return false;
    }
    if (is_periodic && p[2] != std::floor(p[2])) {
        report.error(row, {}, fmt::format("the multiplicity must be a whole number, not {}", p[2]));
        return false;
    }
    if (const auto fault = meaningless_parameter(function, p)) {
        report.error(row, row[first + fault->index], fault->why);
        return false;
    }
    if (p.size() > a) {
        if (!std::equal(p.begin(), p.begin() + function.parameters,
                        p.begin() + function.parameters)) {
            report.warning(row, {},
                           fmt::format("the perturbed state (B) of this {} differs and is ignored: "
                                       "state A is used",
                                       function.name));
        }
        p.resize(a);
    }
    return true;
}

std::optional<std::int32_t> GromacsForceField::known_bonded(const GromacsRow& row, std::size_t at,
                                                            bool allow_wildcard) const
{
    if (allow_wildcard && row[at] == "X") {
        return BondedTypeTable::wildcard;
    }
    const auto it = bonded_of_name_.find(std::string(row[at]));
    if (it == bonded_of_name_.end()) {
        const std::string near = nearest_name(row[at], bonded_names_);
        report_.error(row, row[at], fmt::format("unknown bonded type \"{}\"", row[at]),
                      near.empty() ? "bonded types are named in [ atomtypes ], before this line"
                                   : fmt::format("did you mean \"{}\"?", near));
        return std::nullopt;
    }
    return it->second;
}

BondedTypeTable& GromacsForceField::table(BondedFamily family, int function)
{
    return bonded_
        .try_emplace({family, table_function(family, function)}, BondedTypeTable(atoms_of(family)))
        .first->second;
}

void GromacsForceField::read_bonded_type(BondedFamily family, const GromacsRow& row)
{
    const std::string_view directive = types_directive_of(family);
    auto types = static_cast<std::size_t>(atoms_of(family));
    if (family == BondedFamily::dihedral && row.size() > 2 && is_digits(row[2])) {
        types = 2; // the short form: inner types, or outer ones for function 2
    }
    if (row.size() <= types) {
        report_.error(row, {},
                      fmt::format("[ {} ] needs {} types and a function type", directive, types));
        return;
    }
    const auto number = report_.integer(row, types, "the function type");
    if (!number) {
        return;
    }
    const BondedFunction* function = find_function(family, *number);
    if (function == nullptr) {
        report_.error(row, row[types],
                      fmt::format("[ {} ] has no function type {}", directive, *number));
        return;
    }
    if (function->is_refused || function->parameters == 0) {
        return; // a line that uses it is refused where it stands
    }
    BondedTypeTuple tuple;
    tuple.fill(BondedTypeTable::unused);
    for (std::size_t k = 0; k < types; ++k) {
        const auto bonded = known_bonded(row, k, family == BondedFamily::dihedral);
        if (!bonded) {
            return;
        }
        tuple[k] = *bonded;
    }
    if (family == BondedFamily::dihedral && types == 2) {
        constexpr std::int32_t any = BondedTypeTable::wildcard;
        tuple = *number == 2 ? BondedTypeTuple{tuple[0], any, any, tuple[1]}
                             : BondedTypeTuple{any, tuple[0], tuple[1], any};
    }
    auto p = report_.numbers(row, types + 1);
    if (!p || !keep_state_a(report_, row, *function, *p)) {
        return;
    }
    const bool is_block = family == BondedFamily::dihedral && *number == 9;
    const auto result = table(family, *number).add({tuple, *p, row.origin, is_block});
    std::string names(row[0]);
    for (std::size_t k = 1; k < types; ++k) {
        names += fmt::format("-{}", row[k]);
    }
    const std::string earlier = report_.where(result.earlier);
    switch (result.outcome) {
    case BondedTypeTable::Outcome::added:
    case BondedTypeTable::Outcome::same_again:
        break;
    case BondedTypeTable::Outcome::replaced:
        report_.warning(row, {},
                        fmt::format("[ {} ] of {} differs from the entry at {}; the later one is "
                                    "used",
                                    directive, names, earlier));
        break;
    case BondedTypeTable::Outcome::second_block:
        report_.error(
            row, {},
            fmt::format("a second block of dihedral lines for {} (the first is at {}): it "
                        "is unclear whether it adds or replaces",
                        names, earlier),
            "put all lines of these types one after the other, or remove one block");
        break;
    case BondedTypeTable::Outcome::identical_line:
        report_.error(row, {},
                      fmt::format("the same dihedral line for {} stands at {} (it would count "
                                  "twice)",
                                  names, earlier),
                      "remove one of the two lines");
        break;
    }
}

std::vector<const BondedTypeTable::Entry*>
GromacsForceField::find_bonded(const BondedFunction& function,
                               std::span<const std::int32_t> bonded) const
{
    const auto it =
        bonded_.find({function.family, table_function(function.family, function.function)});
    if (it == bonded_.end()) {
        return {};
    }
    BondedTypeTuple tuple;
    tuple.fill(BondedTypeTable::unused);
    std::copy(bonded.begin(), bonded.end(), tuple.begin());
    return it->second.find(tuple);
}

void GromacsForceField::read_cmap_type(const GromacsRow& row)
{
    if (row.size() < 8) {
        report_.error(row, {},
                      "[ cmaptypes ] needs five types, the function type 1 and two grid sizes");
        return;
    }
    const auto function = report_.integer(row, 5, "the function type");
    const auto nx = report_.integer(row, 6, "the first grid size");
    const auto ny = report_.integer(row, 7, "the second grid size");
    if (!function || !nx || !ny) {
        return;
    }
    if (*function != 1) {
        report_.error(row, row[5], fmt::format("[ cmaptypes ] has no function type {}", *function));
        return;
    }
    if (*nx != *ny || *nx < 4) {
        report_.error(
            row, row[6],
            fmt::format("a correction map must be square, with a side of at least 4; this "
                        "one is {} x {}",
                        *nx, *ny));
        return;
    }
    auto values = report_.numbers(row, 8);
    if (!values) {
        return;
    }
    const std::size_t wanted = static_cast<std::size_t>(*nx) * static_cast<std::size_t>(*ny);
    if (values->size() != wanted) {
        report_.error(
            row, {},
            fmt::format("this correction map needs {} values, not {}", wanted, values->size()),
            "lines of one map are joined by \\ at their ends");
        return;
    }
    CmapType type;
    for (std::size_t k = 0; k < 5; ++k) {
        type.names[k] = row[k];
    }
    type.map = {*nx, std::move(*values)};
    type.origin = row.origin;
    for (CmapType& earlier : cmaps_) {
        if (earlier.names == type.names) {
            if (!(earlier.map == type.map)) {
                report_.warning(row, {},
                                fmt::format("a correction map for these types stands at {}; the "
                                            "later one is used",
                                            report_.where(earlier.origin)));
            }
            earlier = std::move(type);
            return;
        }
    }
    cmaps_.push_back(std::move(type));
}

const Cmap* GromacsForceField::find_cmap(std::span<const std::int32_t, 5> bonded,
                                         const std::array<std::string_view, 5>& residues) const
{
    const auto matches = [&](const CmapType& type) {
        for (std::size_t k = 0; k < 5; ++k) {
            const std::string_view wanted = type.names[k];
            const std::string_view name = bonded_name(bonded[k]);
            if (wanted == name) {
                continue;
            }
            const std::size_t dash = wanted.rfind('-');
            if (dash == std::string_view::npos || wanted.substr(0, dash) != name ||
                (wanted.substr(dash + 1) != "*" && wanted.substr(dash + 1) != residues[k])) {
                return false;
            }
        }
        return true;
    };
    for (const CmapType& type : cmaps_) {
        if (matches(type)) {
            return &type.map;
        }
    }
    return nullptr;
}

} // namespace tessera
