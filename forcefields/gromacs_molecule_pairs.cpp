#include "forcefields/gromacs_molecule.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera
{

void GromacsMoleculeReader::add_lennard_jones14(const Atoms& atoms, const LjCoefficients& lj)
{
    molecule_.parts.table<LennardJones14>().add({atoms[0], atoms[1]}, {.c6 = lj.c6, .c12 = lj.c12});
}

void GromacsMoleculeReader::add_coulomb14(const Atoms& atoms, double strength)
{
    if (strength != 0) {
        molecule_.parts.table<Coulomb14>().add({atoms[0], atoms[1]}, {.strength = strength});
    }
}

void GromacsMoleculeReader::read_pair(const GromacsRow& row)
{
    const auto atoms = atoms_of_row(row, 2);
    const auto function = report_.integer(row, 2, "the function type");
    auto p = report_.numbers(row, 3);
    if (!atoms || !function || !p) {
        return;
    }
    if (*function != 1 && *function != 2) {
        report_.error(row, row[2], fmt::format("[ pairs ] has no function type {}", *function));
        return;
    }
    const std::size_t wanted = *function == 1 ? 2 : 5;
    if (*function == 1 && p->size() == 4) {
        if ((*p)[0] != (*p)[2] || (*p)[1] != (*p)[3]) {
            report_.warning(row, {},
                            "the perturbed state (B) of this pair differs and is ignored: state A "
                            "is used");
        }
        p->resize(2);
    }
    const bool has_own_fudge = *function == 2 && p->size() == 1; // the rest as if absent
    if (!p->empty() && p->size() != wanted && !has_own_fudge) {
        report_.error(row, {},
                      fmt::format("a pair of function type {} needs {} numbers or none, not {}",
                                  *function, wanted, p->size()));
        return;
    }

    const auto [low, high] = std::minmax((*atoms)[0], (*atoms)[1]);
    const auto [it, is_new] =
        seen_pairs_.try_emplace({low, high, *function}, SeenPair{*p, row.origin});
    if (!is_new) {
        const std::string earlier = report_.where(it->second.origin);
        if (it->second.parameters != *p) {
            report_.error(row, {},
                          fmt::format("the pair {}, {} stands at {} with other parameters",
                                      atom_text((*atoms)[0]), atom_text((*atoms)[1]), earlier),
                          "keep one of the two lines");
        } else {
            report_.warning(row, {},
                            fmt::format("the pair {}, {} stands already at {} and counts once",
                                        atom_text((*atoms)[0]), atom_text((*atoms)[1]), earlier));
        }
        return;
    }

    if (has_unknown_type_) {
        return; // told already
    }
    const Topology& t = molecule_.parts;
    const auto i = static_cast<std::size_t>((*atoms)[0]), j = static_cast<std::size_t>((*atoms)[1]);
    std::optional<LjCoefficients> lj;
    if (p->size() != wanted) {
        lj = force_field_.pair14(t.type[i], t.type[j]);
        if (!lj) {
            const auto name = [&](std::size_t a) {
                return force_field_.types()[static_cast<std::size_t>(t.type[a])].name;
            };
            report_.error(
                row, {},
                fmt::format("no parameters for the 1-4 pair of atoms {}, {} (types {}-{}, "
                            "searched in [ pairtypes ]; gen-pairs is no)",
                            atom_text((*atoms)[0]), atom_text((*atoms)[1]), name(i), name(j)),
                "add them to [ pairtypes ] or to this line, or set gen-pairs to yes");
            return;
        }
    } else {
        lj = to_coefficients(force_field_.defaults().rule, {(*p)[wanted - 2], (*p)[wanted - 1]});
    }
    double charges = 0;
    if (*function == 2 && p->size() == wanted) {
        charges = (*p)[0] * (*p)[1] * (*p)[2];
    } else {
        charges = (has_own_fudge ? (*p)[0] : force_field_.defaults().fudge_qq) * t.charge[i] *
                  t.charge[j];
    }
    add_lennard_jones14(*atoms, *lj);
    add_coulomb14(*atoms, coulomb_constant_ * charges);
}

void GromacsMoleculeReader::read_nonbonded_pair(const GromacsRow& row)
{
    const auto atoms = atoms_of_row(row, 2);
    const auto function = report_.integer(row, 2, "the function type");
    const auto p = report_.numbers(row, 3);
    if (!atoms || !function || !p) {
        return;
    }
    if (*function != 1) {
        report_.error(row, row[2], fmt::format("[ pairs_nb ] has no function type {}", *function));
        return;
    }
    if (p->size() != 4) {
        report_.error(
            row, {},
            fmt::format("[ pairs_nb ] needs 4 numbers after the function type (two charges "
                        "and two of Lennard-Jones), not {}",
                        p->size()));
        return;
    }
    const LjCoefficients lj = to_coefficients(force_field_.defaults().rule, {(*p)[2], (*p)[3]});
    const std::array pair = {(*atoms)[0], (*atoms)[1]};
    molecule_.parts.table<PairLennardJones>().add(pair, {.c6 = lj.c6, .c12 = lj.c12});
    if (const double charges = (*p)[0] * (*p)[1]; charges != 0) {
        molecule_.parts.table<PairCoulomb>().add(pair, {.strength = coulomb_constant_ * charges});
    }
}

void GromacsMoleculeReader::read_cmap(const GromacsRow& row)
{
    const auto atoms = atoms_of_row(row, 5);
    const auto function = report_.integer(row, 5, "the function type");
    if (!atoms || !function) {
        return;
    }
    if (*function != 1 || row.size() > 6) {
        report_.error(row, row[5],
                      "a [ cmap ] line is five atoms and the function type 1; maps are given in "
                      "[ cmaptypes ]");
        return;
    }
    if (has_unknown_type_) {
        return; // told already
    }
    const Topology& t = molecule_.parts;
    std::array<std::int32_t, 5> bonded{}, tuple{};
    std::array<std::string_view, 5> residues;
    std::string names;
    for (std::size_t k = 0; k < 5; ++k) {
        const auto a = static_cast<std::size_t>((*atoms)[k]);
        tuple[k] = (*atoms)[k];
        bonded[k] = molecule_.bonded[a];
        residues[k] = t.residues.name(static_cast<std::size_t>(t.residue[a]));
        names += (k > 0 ? " " : "") + force_field_.bonded_name(bonded[k]);
    }
    const Cmap* map = force_field_.find_cmap(bonded, residues);
    if (map == nullptr) {
        report_.error(row, {},
                      fmt::format("no correction map for atoms {} to {} (types {}, residue {}, "
                                  "searched in [ cmaptypes ])",
                                  atom_text(tuple[0]), atom_text(tuple[4]), names, residues[2]),
                      "include the force field's cmap.itp");
        return;
    }
    auto& table = molecule_.parts.table<Cmap>();
    const auto [it, is_new] =
        cmap_parameters_.try_emplace(map, static_cast<std::int32_t>(table.parameters.size()));
    if (is_new) {
        table.parameters.push_back(*map);
    }
    table.entries.push_back({tuple, it->second});
}

void GromacsMoleculeReader::read_position_restraint(const GromacsRow& row)
{
    const auto atoms = atoms_of_row(row, 1);
    const auto function = report_.integer(row, 1, "the function type");
    if (!atoms || !function) {
        return;
    }
    if (*function == 2) {
        refuse(row, row[1], "flat-bottomed position restraints (function type 2) are not supported",
               "use function type 1 (harmonic)");
        return;
    }
    if (*function != 1) {
        report_.error(row, row[1],
                      fmt::format("[ position_restraints ] has no function type {}", *function));
        return;
    }
    auto p = report_.numbers(row, 2);
    if (!p) {
        return;
    }
    if (p->size() != 3 && p->size() != 6) {
        report_.error(
            row, {},
            fmt::format("a position restraint needs 3 force constants (6 with a perturbed "
                        "state), not {}",
                        p->size()));
        return;
    }
    for (std::size_t k = 0; k < 3; ++k) {
        if ((*p)[k] < 0) {
            report_.error(row, row[2 + k],
                          fmt::format("the force constant of a position restraint must not be "
                                      "negative, not {}",
                                      (*p)[k]));
            return;
        }
    }
    if (p->size() == 6 && !std::equal(p->begin(), p->begin() + 3, p->begin() + 3)) {
        report_.warning(row, {},
                        "the perturbed state (B) of this position restraint differs and is "
                        "ignored: state A is used");
    }
    molecule_.parts.table<PositionRestraint>().add(
        {(*atoms)[0]}, {.kx = (*p)[0], .ky = (*p)[1], .kz = (*p)[2], .x0 = 0, .y0 = 0, .z0 = 0});
}

} // namespace tessera
