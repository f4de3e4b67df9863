#include "forcefields/gromacs_force_field.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera
{

namespace
{

bool is_letter(std::string_view word)
{
    return word.size() == 1 &&
           ((word[0] >= 'A' && word[0] <= 'Z') || (word[0] >= 'a' && word[0] <= 'z'));
}

std::optional<CombinationRule> rule_of(std::string_view word)
{
    const std::string name = normalized_name(word);
    if (name == "1" || name == "geometric") {
        return CombinationRule::geometric_c6_c12;
    }
    if (name == "2" || name == "arithmetic" || name == "lorentzberthelot") {
        return CombinationRule::lorentz_berthelot;
    }
    if (name == "3" || name == "geomsigeps" || name == "geometricsigmaepsilon") {
        return CombinationRule::geometric_sigma_epsilon;
    }
    return std::nullopt;
}

std::optional<ParticleKind> kind_of(char letter)
{
    switch (letter) {
    case 'A':
    case 'a':
    case 'N':
    case 'n':
        return ParticleKind::atom;
    case 'S':
    case 's':
        return ParticleKind::shell;
    case 'V':
    case 'v':
    case 'D':
    case 'd':
        return ParticleKind::virtual_site;
    default:
        return std::nullopt;
    }
}

} // namespace

void GromacsForceField::read_defaults(const GromacsRow& row)
{
    if (has_defaults_) {
        report_.error(row, {},
                      fmt::format("a second [ defaults ] line (the first is at {})",
                                  report_.where(defaults_origin_)),
                      "one force field only: remove an #include or the second [ defaults ]");
        return;
    }
    has_defaults_ = true;
    defaults_origin_ = row.origin;
    if (row.size() < 2) {
        report_.error(row, {}, "[ defaults ] needs at least two fields: nbfunc and comb-rule");
        return;
    }
    const std::string function = normalized_name(row[0]);
    if (function == "2" || function == "buckingham") {
        report_.error(row, row[0], "the Buckingham potential (nbfunc 2) is not supported",
                      "convert the force field to Lennard-Jones (nbfunc 1)");
    } else if (function != "1" && function != "lj" && function != "lennardjones") {
        report_.error(row, row[0], fmt::format("nbfunc must be 1 (LJ), not \"{}\"", row[0]));
    }
    if (const auto rule = rule_of(row[1])) {
        defaults_.rule = *rule;
    } else {
        report_.error(row, row[1],
                      fmt::format("comb-rule must be 1 (Geometric), 2 (Arithmetic) or 3 "
                                  "(GeomSigEps), not \"{}\"",
                                  row[1]));
    }
    if (row.size() > 2) {
        const std::string answer = normalized_name(row[2]);
        if (answer != "yes" && answer != "no" && answer != "y" && answer != "n") {
            report_.error(row, row[2],
                          fmt::format("gen-pairs must be yes or no, not \"{}\"", row[2]));
        }
        defaults_.generate_pairs = !answer.empty() && answer.front() == 'y';
    }
    if (row.size() > 3) {
        defaults_.fudge_lj = report_.number(row, 3, "fudgeLJ").value_or(1);
    }
    if (row.size() > 4) {
        defaults_.fudge_qq = report_.number(row, 4, "fudgeQQ").value_or(1);
    }
    if (row.size() > 5) {
        if (const auto power = report_.number(row, 5, "the repulsion power"); power != 12.0) {
            report_.error(
                row, row[5],
                fmt::format("a repulsion power of {} is not supported (only 12)", row[5]));
        }
    }
}

std::int32_t GromacsForceField::bonded_number(std::string_view name)
{
    const auto [it, is_new] = bonded_of_name_.try_emplace(
        std::string(name), static_cast<std::int32_t>(bonded_names_.size()));
    if (is_new) {
        bonded_names_.emplace_back(name);
    }
    return it->second;
}

void GromacsForceField::remember_faulty(std::string_view name, std::string_view bonded)
{
    const auto [it, is_new] =
        type_of_name_.try_emplace(std::string(name), static_cast<std::int32_t>(types_.size()));
    if (is_new) {
        GromacsAtomType type;
        type.name = name;
        type.mass = 1; // lines about atoms without mass would be untrue
        type.bonded = bonded_number(bonded);
        types_.push_back(std::move(type));
    }
}

void GromacsForceField::read_atom_type(const GromacsRow& row)
{
    // name [bonded type] [atomic number] mass charge ptype V W: told by where the letter stands
    bool has_bonded = false, has_number = false;
    if (row.size() > 5 && is_letter(row[5])) {
        has_bonded = has_number = true;
    } else if (row.size() > 4 && is_letter(row[4]) && !(row.size() == 6 && is_letter(row[3]))) {
        has_number = to_integer(row[1]).has_value();
        has_bonded = !has_number;
    } else if (row.size() <= 3 || !is_letter(row[3])) {
        remember_faulty(row[0], row[0]);
        report_.error(
            row, row[0],
            "an atom type needs: name [bonded type] [atomic number] mass charge ptype V W "
            "(no one-letter ptype stands at field 4, 5 or 6)");
        return;
    }
    GromacsAtomType type;
    type.name = row[0];
    type.origin = row.origin;
    std::size_t at = 1;
    const std::string_view bonded = has_bonded ? row[at++] : row[0];
    if (has_number) {
        const std::optional<int> number = report_.integer(row, at++, "the atomic number");
        if (!number) {
            remember_faulty(row[0], bonded);
            return;
        }
        type.atomic_number = std::max(0, *number);
    }
    if (row.size() != at + 5) {
        remember_faulty(row[0], bonded);
        report_.error(row, row[0],
                      fmt::format("an atom type needs mass, charge, ptype and two Lennard-Jones "
                                  "numbers, {} fields in all here, not {}",
                                  at + 5, row.size()));
        return;
    }
    const auto mass = report_.number(row, at, "the mass");
    const auto charge = report_.number(row, at + 1, "the charge");
    const auto kind = kind_of(row[at + 2][0]);
    const auto v = report_.number(row, at + 3, "the first Lennard-Jones number");
    const auto w = report_.number(row, at + 4, "the second Lennard-Jones number");
    if (!kind) {
        report_.error(row, row[at + 2],
                      fmt::format("ptype must be A (atom), S (shell), V or D (virtual site), not "
                                  "\"{}\"",
                                  row[at + 2]));
    }
    if (!mass || !charge || !kind || !v || !w) {
        remember_faulty(row[0], bonded);
        return;
    }
    if (defaults_.rule != CombinationRule::geometric_c6_c12 && *w < 0) {
        report_.error(row, row[at + 4], "epsilon must not be negative");
        remember_faulty(row[0], bonded);
        return;
    }
    type.mass = *mass;
    type.charge = *charge;
    type.kind = *kind;
    type.lj = {*v, *w};
    type.bonded = bonded_number(bonded);
    const auto [it, is_new] =
        type_of_name_.try_emplace(type.name, static_cast<std::int32_t>(types_.size()));
    if (is_new) {
        types_.push_back(std::move(type));
        return;
    }
    GromacsAtomType& earlier = types_[static_cast<std::size_t>(it->second)];
    const bool same = earlier.bonded == type.bonded && earlier.mass == type.mass &&
                      earlier.charge == type.charge && earlier.kind == type.kind &&
                      earlier.lj == type.lj;
    report_.warning(row, row[0],
                    fmt::format("atom type {} is defined again (first at {}){}", type.name,
                                report_.where(earlier.origin),
                                same ? " with the same values" : "; the later values are used"));
    earlier = std::move(type);
}

std::optional<std::int32_t> GromacsForceField::find_type(std::string_view name) const
{
    const auto it = type_of_name_.find(std::string(name));
    return it == type_of_name_.end() ? std::nullopt : std::optional(it->second);
}

std::string GromacsForceField::nearest_type(std::string_view name) const
{
    std::vector<std::string> names;
    names.reserve(types_.size());
    for (const GromacsAtomType& type : types_) {
        names.push_back(type.name);
    }
    return nearest_name(name, names);
}

void GromacsForceField::read_pair_parameters(const GromacsRow& row, std::string_view directive,
                                             std::map<PairKey, PairParameters>& into)
{
    if (row.size() < 3) {
        report_.error(row, {},
                      fmt::format("[ {} ] needs two types and a function type", directive));
        return;
    }
    std::array<std::int32_t, 2> type{};
    for (std::size_t k = 0; k < 2; ++k) {
        const auto found = find_type(row[k]);
        if (!found) {
            const std::string near = nearest_type(row[k]);
            report_.error(row, row[k],
                          fmt::format("unknown atom type \"{}\" in [ {} ]", row[k], directive),
                          near.empty() ? "" : fmt::format("did you mean \"{}\"?", near));
            return;
        }
        type[k] = *found;
    }
    const auto function = report_.integer(row, 2, "the function type");
    if (!function) {
        return;
    }
    if (*function != 1) {
        report_.error(row, row[2],
                      fmt::format("function type {} of [ {} ] is not supported (only 1, "
                                  "Lennard-Jones)",
                                  *function, directive));
        return;
    }
    auto p = report_.numbers(row, 3);
    if (!p) {
        return;
    }
    if (p->size() != 2 && p->size() != 4) {
        report_.error(row, {},
                      fmt::format("[ {} ] needs 2 numbers after the function type (4 with a "
                                  "perturbed state), not {}",
                                  directive, p->size()));
        return;
    }
    if (p->size() == 4 && ((*p)[0] != (*p)[2] || (*p)[1] != (*p)[3])) {
        report_.warning(row, {}, "the perturbed state (B) differs and is ignored: state A is used");
    }
    const PairKey key = std::minmax(type[0], type[1]);
    const auto [it, is_new] = into.try_emplace(key, PairParameters{{(*p)[0], (*p)[1]}, row.origin});
    if (!is_new) {
        if (it->second.lj != LjNumbers{(*p)[0], (*p)[1]}) {
            report_.warning(row, {},
                            fmt::format("[ {} ] of {} and {} differs from the entry at {}; the "
                                        "later one is used",
                                        directive, row[0], row[1],
                                        report_.where(it->second.origin)));
        }
        it->second = {{(*p)[0], (*p)[1]}, row.origin};
    }
}

void GromacsForceField::read_pair_type(const GromacsRow& row)
{
    read_pair_parameters(row, "pairtypes", pair_types_);
}

void GromacsForceField::read_nonbonded(const GromacsRow& row)
{
    read_pair_parameters(row, "nonbond_params", nonbonded_);
}

LjCoefficients GromacsForceField::nonbonded(std::int32_t a, std::int32_t b) const
{
    const auto it = nonbonded_.find(std::minmax(a, b));
    return to_coefficients(defaults_.rule,
                           it != nonbonded_.end()
                               ? it->second.lj
                               : combine(defaults_.rule, types_[static_cast<std::size_t>(a)].lj,
                                         types_[static_cast<std::size_t>(b)].lj));
}

std::optional<LjCoefficients> GromacsForceField::pair14(std::int32_t a, std::int32_t b) const
{
    if (const auto it = pair_types_.find(std::minmax(a, b)); it != pair_types_.end()) {
        return to_coefficients(defaults_.rule, it->second.lj);
    }
    if (!defaults_.generate_pairs) {
        return std::nullopt;
    }
    const LjCoefficients full = nonbonded(a, b);
    return LjCoefficients{defaults_.fudge_lj * full.c6, defaults_.fudge_lj * full.c12};
}

} // namespace tessera
