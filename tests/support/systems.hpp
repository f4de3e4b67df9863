#pragma once

#include "engine/model/topology.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace tessera::support
{

/// A topology of free atoms: charges, types, one pair table; no terms, no exclusions.
inline Topology free_atoms(const std::vector<double>& charge, const std::vector<std::int32_t>& type,
                           const PairTable& pairs)
{
    Topology t;
    t.title = "free atoms";
    const std::size_t n = charge.size();
    t.charge = charge;
    t.type = type;
    t.mass.assign(n, 10.0);
    t.atom_name.assign(n, "A");
    t.residue.assign(n, 0);
    t.atomic_number.assign(n, 0);
    t.kind.assign(n, ParticleKind::atom);
    t.is_hydrogen.assign(n, 0);
    t.residues = {{"RES", "1", 0}};
    t.pairs = pairs;
    t.coulomb_constant = 138.93545764438196;
    for (std::size_t i = 0; i < n; ++i) {
        t.exclusions.add_row({});
    }
    return t;
}

/// Lorentz-Berthelot table from sigma (nm) and epsilon (kJ/mol) of each type.
inline PairTable mixed_table(const std::vector<double>& sigma, const std::vector<double>& epsilon)
{
    PairTable table;
    const std::size_t n = sigma.size();
    table.types = static_cast<std::int32_t>(n);
    table.sigma = sigma;
    table.epsilon = epsilon;
    for (std::size_t a = 0; a < n; ++a) {
        table.type_names.push_back(std::string("T").append(std::to_string(a)));
        for (std::size_t b = 0; b < n; ++b) {
            const double s = 0.5 * (sigma[a] + sigma[b]);
            const double e = std::sqrt(epsilon[a] * epsilon[b]);
            const double s6 = s * s * s * s * s * s;
            table.c6.push_back(4 * e * s6);
            table.c12.push_back(4 * e * s6 * s6);
        }
    }
    return table;
}

/// Marks pairs as excluded, both ways.
inline void exclude(Topology& t, const std::vector<std::array<std::int32_t, 2>>& pairs)
{
    std::vector<std::vector<std::int32_t>> rows(t.charge.size());
    for (const auto& [i, j] : pairs) {
        rows[static_cast<std::size_t>(i)].push_back(j);
        rows[static_cast<std::size_t>(j)].push_back(i);
    }
    RaggedList list;
    for (auto& row : rows) {
        std::sort(row.begin(), row.end());
        list.add_row(row);
    }
    t.exclusions = list;
}

/// Molecules of three atoms of three types, whose atoms are excluded from each other; charges that
/// do not cancel. The last molecule may lack atoms.
inline Topology mixture(int atoms,
                        const PairTable& table = mixed_table({0.3, 0.2, 0.0}, {0.65, 0.2, 0.0}))
{
    std::vector<double> charge;
    std::vector<std::int32_t> type;
    std::vector<std::array<std::int32_t, 2>> excluded;
    for (int a = 0; a < atoms; ++a) {
        charge.push_back(a % 3 == 0 ? -0.8 : 0.4 + 0.01 * (a % 7));
        type.push_back(a % 3);
        if (a % 3 == 2) {
            excluded.insert(excluded.end(), {{a - 2, a - 1}, {a - 2, a}, {a - 1, a}});
        }
    }
    Topology t = free_atoms(charge, type, table);
    exclude(t, excluded);
    return t;
}

} // namespace tessera::support
