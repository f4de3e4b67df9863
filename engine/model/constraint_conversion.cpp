#include "engine/model/topology.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace tessera
{

namespace
{

using Pairs = std::set<std::array<std::int32_t, 2>>;

/// Only chemical bonds become constraints: harmonic potentials between other atoms (GROMACS bonds
/// 6) stand in the same table and stay.
template <class Term>
void convert(Topology& t, ConstraintChoice choice, const Pairs& chemical)
{
    auto& table = t.table<Term>();
    std::vector<typename TermTable<Term>::Entry> kept;
    for (const auto& entry : table.entries) {
        const auto i = static_cast<std::size_t>(entry.atom[0]),
                   j = static_cast<std::size_t>(entry.atom[1]);
        const bool massive = t.mass[i] > 0 && t.mass[j] > 0;
        const bool chosen =
            choice == ConstraintChoice::all_bonds || t.is_hydrogen[i] != 0 || t.is_hydrogen[j] != 0;
        const bool is_bond = chemical.contains(
            {std::min(entry.atom[0], entry.atom[1]), std::max(entry.atom[0], entry.atom[1])});
        if (massive && chosen && is_bond) {
            t.constraints.push_back({entry.atom[0], entry.atom[1], table.term(entry).r0});
        } else {
            kept.push_back(entry);
        }
    }
    table.entries = std::move(kept);
}

} // namespace

Topology with_constrained_bonds(Topology topology, ConstraintChoice choice)
{
    if (choice == ConstraintChoice::none) {
        return topology;
    }
    Pairs chemical;
    for (const auto& [i, j] : topology.bonds) {
        chemical.insert({std::min(i, j), std::max(i, j)});
    }
    convert<HarmonicBond>(topology, choice, chemical);
    convert<G96Bond>(topology, choice, chemical);
    convert<MorseBond>(topology, choice, chemical);
    convert<CubicBond>(topology, choice, chemical);
    return topology;
}

namespace
{

/// The equilibrium angle and the entry of an angle, by its middle atom and the lower of its ends.
using AngleAt = std::map<std::pair<std::int32_t, std::int32_t>, std::pair<double, std::size_t>>;

template <class Term>
AngleAt angles_by_atoms(const TermTable<Term>& table)
{
    AngleAt at;
    for (std::size_t k = 0; k < table.size(); ++k) {
        const auto& e = table.entries[k];
        at[{e.atom[1], std::min(e.atom[0], e.atom[2])}] = {table.term(e).theta0, k};
    }
    return at;
}

} // namespace

Topology with_rigid_waters(Topology topology)
{
    Topology& t = topology;
    auto& bonds = t.table<HarmonicBond>();
    std::vector<std::vector<std::size_t>> bonds_of(t.mass.size());
    for (std::size_t b = 0; b < bonds.size(); ++b) {
        for (const std::int32_t a : bonds.entries[b].atom) {
            bonds_of[static_cast<std::size_t>(a)].push_back(b);
        }
    }
    std::vector<std::vector<std::int32_t>> neighbours(t.mass.size());
    for (const auto& bond : t.bonds) {
        neighbours[static_cast<std::size_t>(bond[0])].push_back(bond[1]);
        neighbours[static_cast<std::size_t>(bond[1])].push_back(bond[0]);
    }
    std::vector<std::int8_t> in_rigid(t.mass.size(), 0);
    for (const RigidWater& w : t.rigid_waters) {
        in_rigid[static_cast<std::size_t>(w.o)] = 1;
    }
    const auto angle_at = angles_by_atoms(t.table<HarmonicAngle>());
    const auto urey_bradley_at = angles_by_atoms(t.table<UreyBradley>());

    const auto is_light = [&t](std::int32_t a) {
        return t.is_hydrogen[static_cast<std::size_t>(a)] != 0;
    };
    const auto is_massless = [&t](std::int32_t a) {
        return t.kind[static_cast<std::size_t>(a)] != ParticleKind::atom;
    };
    std::vector<std::uint8_t> drop_bond(bonds.size(), 0),
        drop_angle(t.table<HarmonicAngle>().size(), 0),
        drop_urey_bradley(t.table<UreyBradley>().size(), 0);
    for (std::int32_t o = 0; o < t.atoms(); ++o) {
        const auto ko = static_cast<std::size_t>(o);
        const bool oxygen =
            t.atomic_number[ko] == 8 ||
            (t.atomic_number[ko] == 0 && !t.atom_name[ko].empty() && t.atom_name[ko][0] == 'O');
        if (!oxygen || in_rigid[ko] != 0 || is_light(o)) {
            continue;
        }
        std::vector<std::int32_t> hydrogens;
        bool only_water = true;
        for (const std::int32_t n : neighbours[ko]) {
            if (is_light(n)) {
                hydrogens.push_back(n);
            } else if (!is_massless(n)) {
                only_water = false;
            }
        }
        if (!only_water || hydrogens.size() != 2) {
            continue;
        }
        const std::int32_t h1 = std::min(hydrogens[0], hydrogens[1]),
                           h2 = std::max(hydrogens[0], hydrogens[1]);
        for (const std::int32_t h : {h1, h2}) {
            for (const std::int32_t n : neighbours[static_cast<std::size_t>(h)]) {
                only_water = only_water && (n == o || n == h1 || n == h2 || is_massless(n));
            }
        }
        if (!only_water) {
            continue;
        }
        double d1 = 0, d2 = 0, hh = 0;
        std::vector<std::size_t> used;
        for (const std::int32_t a : {o, h1}) {
            for (const std::size_t b : bonds_of[static_cast<std::size_t>(a)]) {
                const auto& e = bonds.entries[b];
                const std::int32_t other = e.atom[0] == a ? e.atom[1] : e.atom[0];
                const double r0 = bonds.term(e).r0;
                if (a == o && other == h1) {
                    d1 = r0;
                    used.push_back(b);
                } else if (a == o && other == h2) {
                    d2 = r0;
                    used.push_back(b);
                } else if (a == h1 && other == h2) {
                    hh = r0;
                    used.push_back(b);
                }
            }
        }
        const auto angle = angle_at.find({o, h1});
        const auto urey_bradley = urey_bradley_at.find({o, h1}); // CHARMM's angles
        if (!(d1 > 0) || d1 != d2) {
            continue;
        }
        if (!(hh > 0)) {
            const bool has_angle = angle != angle_at.end();
            if (!has_angle && urey_bradley == urey_bradley_at.end()) {
                continue;
            }
            const double theta0 = (has_angle ? angle : urey_bradley)->second.first;
            hh = 2.0 * d1 * std::sin(0.5 * theta0);
        }
        t.rigid_waters.push_back({o, h1, h2, d1, hh});
        for (const std::size_t b : used) {
            drop_bond[b] = 1;
        }
        if (angle != angle_at.end()) {
            drop_angle[angle->second.second] = 1;
        }
        if (urey_bradley != urey_bradley_at.end()) {
            drop_urey_bradley[urey_bradley->second.second] = 1;
        }
    }
    const auto keep = [](auto& table, const std::vector<std::uint8_t>& drop) {
        std::size_t k = 0;
        std::erase_if(table.entries, [&](const auto&) { return drop[k++] != 0; });
    };
    keep(bonds, drop_bond);
    keep(t.table<HarmonicAngle>(), drop_angle);
    keep(t.table<UreyBradley>(), drop_urey_bradley);
    return topology;
}

} // namespace tessera
