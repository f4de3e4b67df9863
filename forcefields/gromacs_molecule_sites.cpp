#include "engine/math/units.hpp"
#include "forcefields/gromacs_molecule.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace tessera
{

namespace
{

struct SiteFunction {
    int parents, function, parameters;
    VirtualSiteKind kind;
};

constexpr std::array site_functions = {
    SiteFunction{1, 1, 0, VirtualSiteKind::siten},
    SiteFunction{2, 1, 1, VirtualSiteKind::site2},
    SiteFunction{2, 2, 1, VirtualSiteKind::site2fd},
    SiteFunction{3, 1, 2, VirtualSiteKind::site3},
    SiteFunction{3, 2, 2, VirtualSiteKind::site3fd},
    SiteFunction{3, 3, 2, VirtualSiteKind::site3fad},
    SiteFunction{3, 4, 3, VirtualSiteKind::site3out},
    SiteFunction{4, 2, 3, VirtualSiteKind::site4fdn},
};

} // namespace

void GromacsMoleculeReader::add_site(VirtualSiteKind kind, std::int32_t site,
                                     std::vector<std::int32_t> parents,
                                     std::vector<double> parameters, const GromacsRow& row)
{
    if (!built_sites_.insert(site).second) {
        report_.error(row, row[0],
                      fmt::format("virtual site {} is built a second time", atom_text(site)),
                      "keep one of the two lines");
        return;
    }
    molecule_.parts.virtual_sites.push_back(
        {kind, site, std::move(parents), std::move(parameters)});
}

void GromacsMoleculeReader::read_site(int parents, const GromacsRow& row)
{
    const auto count = static_cast<std::size_t>(parents) + 1;
    const auto atoms = atoms_of_row(row, count);
    const auto number = report_.integer(row, count, "the function type");
    if (!atoms || !number) {
        return;
    }
    const auto function =
        std::find_if(site_functions.begin(), site_functions.end(), [&](const SiteFunction& one) {
            return one.parents == parents && one.function == *number;
        });
    if (function == site_functions.end()) {
        const bool is_obsolete = parents == 4 && *number == 1;
        report_.error(row, row[count],
                      is_obsolete ? "function type 1 of [ virtual_sites4 ] is obsolete (it is "
                                    "unstable) and not supported"
                                  : fmt::format("[ virtual_sites{} ] has no function type {}",
                                                parents, *number),
                      is_obsolete ? "use function type 2" : "");
        return;
    }
    auto p = report_.numbers(row, count + 1);
    if (!p) {
        return;
    }
    if (p->size() != static_cast<std::size_t>(function->parameters)) {
        report_.error(
            row, {},
            fmt::format("function type {} of [ virtual_sites{} ] needs {} parameters, not "
                        "{}",
                        *number, parents, function->parameters, p->size()),
            p->empty() ? "sites are not constructed from bonds and angles here: write the "
                         "parameters"
                       : "");
        return;
    }
    if (function->kind == VirtualSiteKind::site3fad) {
        *p = {(*p)[1], (*p)[0] * units::degree}; // the file has theta first
    } else if (parents == 1) {
        *p = {1.0};
    }
    add_site(function->kind, (*atoms)[0], {atoms->begin() + 1, atoms->end()}, *p, row);
}

void GromacsMoleculeReader::read_site_of_many(const GromacsRow& row)
{
    // site function parent...; function 3: site function (parent weight)...
    const auto site = atom_at(row, 0);
    const auto function = report_.integer(row, 1, "the function type");
    if (!site || !function) {
        return;
    }
    if (*function < 1 || *function > 3) {
        report_.error(row, row[1],
                      fmt::format("[ virtual_sitesn ] has no function type {}", *function));
        return;
    }
    const std::size_t step = *function == 3 ? 2 : 1;
    if (row.size() < 2 + step || (row.size() - 2) % step != 0) {
        report_.error(row, {},
                      *function == 3 ? "function type 3 of [ virtual_sitesn ] needs an atom and a "
                                       "weight, over and over"
                                     : "[ virtual_sitesn ] needs at least one atom");
        return;
    }
    std::vector<std::int32_t> parents;
    std::vector<double> weights;
    for (std::size_t k = 2; k < row.size(); k += step) {
        const auto parent = atom_at(row, k);
        if (!parent) {
            return;
        }
        if (*parent == *site ||
            std::find(parents.begin(), parents.end(), *parent) != parents.end()) {
            report_.error(row, row[k],
                          fmt::format("atom {} stands twice in one entry", *parent + 1));
            return;
        }
        double weight = 1;
        if (*function == 2) {
            weight = molecule_.parts.mass[static_cast<std::size_t>(*parent)];
        } else if (*function == 3) {
            const auto given = report_.number(row, k + 1, "the weight");
            if (!given) {
                return;
            }
            weight = *given;
        }
        if (weight < 0) {
            report_.error(row, row[k], "a weight must not be negative");
            return;
        }
        parents.push_back(*parent);
        weights.push_back(weight);
    }
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    if (!(total > 0)) {
        report_.error(row, {},
                      *function == 2 ? "a centre of mass needs atoms with mass"
                                     : "the weights of a site must not all be zero");
        return;
    }
    for (double& weight : weights) {
        weight /= total;
    }
    add_site(VirtualSiteKind::siten, *site, std::move(parents), std::move(weights), row);
}

void GromacsMoleculeReader::finish_sites()
{
    Topology& t = molecule_.parts;
    std::vector<std::uint8_t> is_built(t.mass.size(), 0);
    for (const VirtualSite& v : t.virtual_sites) {
        is_built[static_cast<std::size_t>(v.site)] = 1;
    }
    bool has_shell = false, has_massless = false;
    for (std::size_t a = 0; a < t.mass.size(); ++a) {
        const std::string name = atom_text(static_cast<std::int32_t>(a));
        if (is_built[a] != 0) {
            t.kind[a] = ParticleKind::virtual_site;
            if (t.mass[a] != 0) {
                report_.warning({atom_origins_[a], {}}, {},
                                fmt::format("virtual site {} has a mass of {} u, which is taken as "
                                            "0",
                                            name, t.mass[a]));
            }
            t.mass[a] = 0;
        } else if (t.kind[a] == ParticleKind::virtual_site) {
            report_.error(atom_origins_[a], {},
                          fmt::format("atom {} is a virtual site by its type, but no "
                                      "[ virtual_sites ] line builds it",
                                      name),
                          "add the line, or give the atom another type");
        } else if (t.kind[a] == ParticleKind::shell) {
            t.mass[a] = 0;
            has_shell = true;
        } else if (t.mass[a] == 0) {
            has_massless = true;
        }
    }
    if (has_shell) {
        t.dynamics_refusals.push_back(
            fmt::format("shells: molecule {} has shell particles, whose positions would have to be "
                        "relaxed in every step",
                        molecule_.name));
    }
    if (has_massless) {
        t.dynamics_refusals.push_back(
            fmt::format("massless atoms: molecule {} has atoms without mass that are neither "
                        "virtual sites nor shells",
                        molecule_.name));
    }
}

void GromacsMoleculeReader::read_settles(const GromacsRow& row)
{
    if (const auto first = atom_at(row, 0)) {
        settles_.push_back({*first, row});
    }
}

void GromacsMoleculeReader::finish_settles()
{
    Topology& t = molecule_.parts;
    for (std::size_t k = 0; k < settles_.size(); ++k) {
        const auto& [first, row] = settles_[k];
        const auto function = report_.integer(row, 1, "the function type");
        const auto p = report_.numbers(row, 2);
        if (!function || !p) {
            continue;
        }
        if (*function != 1 || p->size() != 2) {
            report_.error(row, {},
                          "a [ settles ] line is the oxygen, the function type 1, the O-H and the "
                          "H-H distance (nm)");
            continue;
        }
        if (k > 0) {
            report_.error(row, {},
                          fmt::format("a second [ settles ] line in molecule {}", molecule_.name),
                          "one rigid water a molecule type: make it three atoms with one line");
            continue;
        }
        const auto massive =
            std::count_if(t.mass.begin(), t.mass.end(), [](double m) { return m > 0; });
        const auto o = static_cast<std::size_t>(first);
        if (massive != 3 || first + 2 >= t.atoms() || t.mass[o] <= 0 || t.mass[o + 1] <= 0 ||
            t.mass[o + 2] <= 0) {
            report_.error(
                row, {},
                fmt::format("[ settles ] needs a molecule of three atoms with mass, O, H, "
                            "H one after the other ({} has {} atoms, {} of them with "
                            "mass)",
                            molecule_.name, t.atoms(), massive),
                "use [ constraints ] for other molecules");
            continue;
        }
        if (t.mass[o + 1] != t.mass[o + 2]) {
            report_.error(
                row, {},
                fmt::format("[ settles ] needs two hydrogens of equal mass, not {} and {} "
                            "u",
                            t.mass[o + 1], t.mass[o + 2]));
            continue;
        }
        if ((*p)[0] <= 0 || (*p)[1] <= 0 || (*p)[1] >= 2 * (*p)[0]) {
            report_.error(
                row, {}, fmt::format("O-H {} nm and H-H {} nm make no triangle", (*p)[0], (*p)[1]));
            continue;
        }
        t.rigid_waters.push_back({first, first + 1, first + 2, (*p)[0], (*p)[1]});
        note_length(row, {first, first + 1, (*p)[0]});
        note_length(row, {first, first + 2, (*p)[0]});
        note_length(row, {first + 1, first + 2, (*p)[1]});
        t.bonds.push_back({first, first + 1});
        t.bonds.push_back({first, first + 2});
    }
}

/// [ settles ] makes no exclusions: without them charges act on each other within the water, at a
/// distance that never changes.
void GromacsMoleculeReader::warn_of_open_waters()
{
    const Topology& t = molecule_.parts;
    for (std::size_t k = 0; k < t.rigid_waters.size(); ++k) {
        const RigidWater& water = t.rigid_waters[k];
        const auto acts = [&](std::int32_t i, std::int32_t j) {
            const auto row = static_cast<std::size_t>(i);
            return t.charge[row] * t.charge[static_cast<std::size_t>(j)] != 0 &&
                   !std::binary_search(t.exclusions.begin(row), t.exclusions.end(row), j);
        };
        if (acts(water.o, water.h1) || acts(water.o, water.h2) || acts(water.h1, water.h2)) {
            report_.warning(settles_[k].row, {},
                            fmt::format("the atoms of the rigid water {} are not excluded from "
                                        "each other: their charges act within every molecule",
                                        molecule_.name),
                            "add [ exclusions ]: 1 2 3, 2 1 3 and 3 1 2");
        }
    }
}

} // namespace tessera
