#include "forcefields/gromacs_molecule.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tessera
{

void GromacsMoleculeReader::read(GromacsSection section, const GromacsRow& row)
{
    switch (section) {
    case GromacsSection::atoms:
        read_atom(row);
        break;
    case GromacsSection::bonds:
        read_bonded(BondedFamily::bond, row);
        break;
    case GromacsSection::angles:
        read_bonded(BondedFamily::angle, row);
        break;
    case GromacsSection::dihedrals:
        read_bonded(BondedFamily::dihedral, row);
        break;
    case GromacsSection::constraints:
        read_bonded(BondedFamily::constraint, row);
        break;
    case GromacsSection::pairs:
        read_pair(row);
        break;
    case GromacsSection::pairs_nb:
        read_nonbonded_pair(row);
        break;
    case GromacsSection::cmap:
        read_cmap(row);
        break;
    case GromacsSection::exclusions:
        read_exclusions(row);
        break;
    case GromacsSection::settles:
        read_settles(row);
        break;
    case GromacsSection::virtual_sites1:
        read_site(1, row);
        break;
    case GromacsSection::virtual_sites2:
        read_site(2, row);
        break;
    case GromacsSection::virtual_sites3:
        read_site(3, row);
        break;
    case GromacsSection::virtual_sites4:
        read_site(4, row);
        break;
    case GromacsSection::virtual_sitesn:
        read_site_of_many(row);
        break;
    case GromacsSection::position_restraints:
        read_position_restraint(row);
        break;
    case GromacsSection::polarization:
        read_polarization(row);
        break;
    case GromacsSection::distance_restraints:
        refuse(row, {}, "distance restraints are not supported");
        break;
    case GromacsSection::dihedral_restraints:
        refuse(row, {}, "dihedral restraints are not supported");
        break;
    case GromacsSection::angle_restraints:
    case GromacsSection::angle_restraints_z:
        refuse(row, {}, "angle restraints are not supported");
        break;
    case GromacsSection::orientation_restraints:
        refuse(row, {}, "orientation restraints are not supported");
        break;
    case GromacsSection::water_polarization:
        read_water_polarization(row);
        break;
    case GromacsSection::thole_polarization:
        read_thole_polarization(row);
        break;
    }
}

void GromacsMoleculeReader::refuse(const GromacsRow& row, std::string_view token, std::string what,
                                   std::string hint)
{
    if (hint.empty()) {
        hint = "remove these lines where the system can do without them";
    }
    molecule_.refusals.push_back(report_.make(row.origin, token, std::move(what), std::move(hint)));
}

std::string GromacsMoleculeReader::atom_text(std::int32_t atom) const
{
    const auto k = static_cast<std::size_t>(atom);
    const Topology& t = molecule_.parts;
    return fmt::format("{} {}", atom + 1, t.atom_name[k]);
}

std::optional<std::int32_t> GromacsMoleculeReader::atom_at(const GromacsRow& row,
                                                           std::size_t at) const
{
    const std::optional<int> number = report_.integer(row, at, "the atom number");
    if (!number) {
        return std::nullopt;
    }
    if (*number < 1 || *number > molecule_.parts.atoms()) {
        report_.error(row, row[at],
                      fmt::format("atom {} does not exist ({} has {} atoms)", *number,
                                  between_molecules_ ? "the system" : "molecule " + molecule_.name,
                                  molecule_.parts.atoms()),
                      molecule_.parts.atoms() == 0 ? "[ atoms ] must stand before the interactions"
                                                   : "");
        return std::nullopt;
    }
    return *number - 1;
}

std::optional<GromacsMoleculeReader::Atoms>
GromacsMoleculeReader::atoms_of_row(const GromacsRow& row, std::size_t count) const
{
    Atoms atoms;
    for (std::size_t k = 0; k < count; ++k) {
        const auto atom = atom_at(row, k);
        if (!atom) {
            return std::nullopt;
        }
        if (std::find(atoms.begin(), atoms.end(), *atom) != atoms.end()) {
            report_.error(row, row[k], fmt::format("atom {} stands twice in one entry", *atom + 1));
            return std::nullopt;
        }
        atoms.push_back(*atom);
    }
    return atoms;
}

void GromacsMoleculeReader::read_atom(const GromacsRow& row)
{
    // nr type resnr residue atom cgnr [q [m [typeB qB mB]]]
    Topology& t = molecule_.parts;
    if (row.size() < 6) {
        report_.error(row, {},
                      fmt::format("[ atoms ] needs at least 6 fields (nr type resnr residue atom "
                                  "cgnr), not {}",
                                  row.size()));
        return;
    }
    const auto number = report_.integer(row, 0, "the atom number");
    if (number && *number != t.atoms() + 1) {
        report_.error(
            row, row[0],
            fmt::format("atoms must be numbered without gaps: {} is expected here, not {}",
                        t.atoms() + 1, *number));
    }
    auto type = force_field_.find_type(row[1]);
    if (!type) {
        const std::string near = force_field_.nearest_type(row[1]);
        report_.error(row, row[1], fmt::format("unknown atom type \"{}\"", row[1]),
                      near.empty()
                          ? "atom types are defined in [ atomtypes ], usually by the force "
                            "field's #include"
                          : fmt::format("did you mean \"{}\"?", near));
        has_unknown_type_ = true;
    }
    static const GromacsAtomType placeholder; // so that later lines find the atom
    const GromacsAtomType& kind =
        type ? force_field_.types()[static_cast<std::size_t>(*type)] : placeholder;
    const double charge =
        row.size() > 6 ? report_.number(row, 6, "the charge").value_or(0) : kind.charge;
    double mass = row.size() > 7 ? report_.number(row, 7, "the mass").value_or(1) : kind.mass;
    if (mass < 0) {
        report_.error(row, row[7], "a mass must not be negative");
        mass = 1; // lines about atoms without mass would be untrue
    }
    if (row.size() > 11) {
        report_.warning(row, row[11], "fields after the eleventh of [ atoms ] are ignored");
    }
    if (row.size() > 8) {
        const auto type_b = force_field_.find_type(row[8]);
        if (!type_b) {
            report_.error(row, row[8], fmt::format("unknown atom type \"{}\" (state B)", row[8]));
        }
        if ((type_b && type_b != type) || (row.size() > 9 && to_number(row[9]) != charge) ||
            (row.size() > 10 && to_number(row[10]) != mass)) {
            report_.warning(row, row[8],
                            fmt::format("the perturbed state (B) of atom {} differs and is "
                                        "ignored: state A is used",
                                        row[4]));
        }
    }
    if (t.residues.empty() || t.residues.back().number != row[2] ||
        t.residues.back().name != row[3]) {
        t.residues.push_back({std::string(row[3]), std::string(row[2]), t.atoms()});
    }
    t.mass.push_back(mass);
    t.charge.push_back(charge);
    t.type.push_back(type.value_or(0));
    t.atom_name.push_back(row[4]);
    t.residue.push_back(static_cast<std::int32_t>(t.residues.size()) - 1);
    t.atomic_number.push_back(kind.atomic_number);
    t.kind.push_back(kind.kind);
    t.is_hydrogen.push_back(row[4][0] == 'H' || row[4][0] == 'h' ? 1 : 0);
    molecule_.bonded.push_back(kind.bonded);
    atom_origins_.push_back(row.origin);
}

void GromacsMoleculeReader::read_bonded(BondedFamily family, const GromacsRow& row)
{
    const auto count = static_cast<std::size_t>(atoms_of(family));
    const auto number = report_.integer(row, count, "the function type");
    const auto atoms = atoms_of_row(row, count);
    if (!number || !atoms) {
        return;
    }
    const BondedFunction* function = find_function(family, *number);
    if (function == nullptr) {
        report_.error(row, row[count],
                      fmt::format("[ {} ] has no function type {}", directive_of(family), *number));
        return;
    }
    if (function->is_refused) {
        refuse(row, row[count],
               fmt::format("a {} (function type {}) is not supported", function->name, *number),
               "give it a function type with a formula");
    }
    if (between_molecules_ && (function->is_chemical || family == BondedFamily::constraint)) {
        report_.error(row, row[count],
                      fmt::format("a {} cannot join molecules (it makes exclusions or constraints)",
                                  function->name),
                      "use function type 6 or 10 of [ bonds ]");
        return;
    }
    if (function->is_chemical) {
        exclusion_links_.push_back({(*atoms)[0], (*atoms)[1]});
    }
    if (function->is_refused) {
        return;
    }
    repeats_.note(*function, *atoms, row);
    Atoms ordered = *atoms;
    const bool is_improper = family == BondedFamily::dihedral && (*number == 2 || *number == 4);
    if (row.leap_order && is_improper && !has_unknown_type_) {
        const auto types = bonded_of(*atoms);
        if (const auto found = force_field_.find_bonded(*function, types); !found.empty()) {
            leap_order_.apply(force_field_, *function, *found.front(), types, ordered);
        }
    }
    if (row.size() == count + 1 && function->parameters > 0) {
        look_up(*function, *atoms, ordered, row);
        return;
    }
    auto p = report_.numbers(row, count + 1);
    if (p && keep_state_a(report_, row, *function, *p)) {
        add(*function, ordered, *p, row);
    }
}

void GromacsMoleculeReader::add(const BondedFunction& function, const Atoms& atoms,
                                std::span<const double> parameters, const GromacsRow& row)
{
    add_bonded(molecule_.parts, function, atoms, parameters);
    if (function.family == BondedFamily::constraint) {
        note_length(row, molecule_.parts.constraints.back());
    }
    if (std::string why = unlikely_parameter(function, parameters); !why.empty()) {
        UnlikelyLines& lines = unlikely_[function.family];
        if (lines.count++ == 0) {
            lines.first = row;
            lines.why = std::move(why);
        }
    }
}

void GromacsMoleculeReader::tell_unlikely() const
{
    for (const auto& [family, lines] : unlikely_) {
        report_.warning(lines.first, {},
                        lines.count == 1
                            ? lines.why
                            : fmt::format("{} (and {} more lines of this molecule's "
                                          "[ {} ])",
                                          lines.why, lines.count - 1, directive_of(family)),
                        "GROMACS topologies have nm and degrees");
    }
}

void GromacsMoleculeReader::note_length(const GromacsRow& row, const DistanceConstraint& constraint)
{
    const auto& [i, j, length] = constraint;
    const auto [seen, is_new] =
        seen_lengths_.insert({{std::min(i, j), std::max(i, j)}, {length, row.origin}});
    constexpr double same = 1e-9; // nm
    if (!is_new && std::fabs(seen->second.length - length) > same) {
        report_.error(
            row, {},
            fmt::format("atoms {} and {} are constrained to {} nm here and to {} nm at {} "
                        "(both cannot hold)",
                        atom_text(i), atom_text(j), length, seen->second.length,
                        report_.where(seen->second.origin)),
            "keep one of the two");
    }
}

std::vector<std::int32_t> GromacsMoleculeReader::bonded_of(const Atoms& atoms) const
{
    std::vector<std::int32_t> types;
    for (const std::int32_t a : atoms) {
        types.push_back(molecule_.bonded[static_cast<std::size_t>(a)]);
    }
    return types;
}

void GromacsMoleculeReader::look_up(const BondedFunction& function, const Atoms& atoms,
                                    const Atoms& ordered, const GromacsRow& row)
{
    if (has_unknown_type_) {
        return; // told already
    }
    const std::vector<std::int32_t> types = bonded_of(atoms);
    const auto found = force_field_.find_bonded(function, types);
    if (found.empty()) {
        std::string names, who;
        for (std::size_t k = 0; k < atoms.size(); ++k) {
            names += (k > 0 ? "-" : "") + force_field_.bonded_name(types[k]);
            who += (k > 0 ? ", " : "") + atom_text(atoms[k]);
        }
        report_.error(row, {},
                      fmt::format("no parameters for this {} of atoms {} (types {}, searched in "
                                  "[ {} ] of function type {})",
                                  function.name, who, names, types_directive_of(function.family),
                                  function.function),
                      "add them to the force field or to this line");
        return;
    }
    const bool adds_all = function.family == BondedFamily::dihedral && function.function == 9;
    if (found.size() > 1 && !adds_all) {
        report_.warning(row, {},
                        fmt::format("the force field has {} lines for this dihedral; function type "
                                    "{} uses the first only (9 uses all)",
                                    found.size(), function.function));
    }
    for (const BondedTypeTable::Entry* entry : found) {
        add(function, ordered, entry->parameters, row);
        if (!adds_all) {
            break;
        }
    }
}

void GromacsMoleculeReader::read_exclusions(const GromacsRow& row)
{
    const auto first = atom_at(row, 0);
    for (std::size_t k = 1; first && k < row.size(); ++k) {
        const auto other = atom_at(row, k);
        if (!other) {
            return;
        }
        if (*other != *first) {
            explicit_exclusions_.push_back({*first, *other});
        }
    }
}

void GromacsMoleculeReader::finish()
{
    finish_sites();
    finish_settles();
    finish_exclusions();
    warn_of_open_waters();
    repeats_.tell(report_, molecule_.parts);
    tell_unlikely();
}

void GromacsMoleculeReader::finish_exclusions()
{
    const auto n = static_cast<std::size_t>(molecule_.parts.atoms());
    std::vector<std::vector<std::int32_t>> links(n), excluded(n);
    for (const auto& [i, j] : exclusion_links_) {
        links[static_cast<std::size_t>(i)].push_back(j);
        links[static_cast<std::size_t>(j)].push_back(i);
    }
    std::vector<std::int32_t> seen(n, -1), shell, next;
    for (std::size_t a = 0; a < n; ++a) {
        const auto atom = static_cast<std::int32_t>(a);
        seen[a] = atom;
        shell.assign(1, atom);
        for (int bonds = 0; bonds < molecule_.exclusion_bonds && !shell.empty(); ++bonds) {
            next.clear();
            for (const std::int32_t s : shell) {
                for (const std::int32_t other : links[static_cast<std::size_t>(s)]) {
                    if (seen[static_cast<std::size_t>(other)] != atom) {
                        seen[static_cast<std::size_t>(other)] = atom;
                        next.push_back(other);
                        excluded[a].push_back(other);
                    }
                }
            }
            shell.swap(next);
        }
    }
    for (const auto& [i, j] : explicit_exclusions_) {
        excluded[static_cast<std::size_t>(i)].push_back(j);
        excluded[static_cast<std::size_t>(j)].push_back(i);
    }
    for (auto& row : excluded) {
        std::sort(row.begin(), row.end());
        row.erase(std::unique(row.begin(), row.end()), row.end());
        molecule_.parts.exclusions.add_row(row);
    }
}

} // namespace tessera
