#pragma once

#include "engine/model/topology.hpp"

#include <fmt/format.h>
#include <memory>
#include <string>

namespace tessera::test
{

/// Argon atoms, not bonded.
inline Topology argon(std::int32_t atoms)
{
    Topology t;
    t.pairs.types = 1;
    t.pairs.c6 = {6.2e-3};
    t.pairs.c12 = {9.7e-6};
    t.pairs.type_names = {"Ar"};
    for (std::int32_t i = 0; i < atoms; ++i) {
        t.mass.push_back(39.948);
        t.charge.push_back(0);
        t.type.push_back(0);
        t.atom_name.push_back("Ar");
        t.residue.push_back(i);
        t.atomic_number.push_back(18);
        t.kind.push_back(ParticleKind::atom);
        t.is_hydrogen.push_back(0);
        t.residues.push_back({"Ar", std::to_string(i + 1), i});
        t.exclusions.add_row({});
    }
    return t;
}

/// A chain of bonded atoms 0-1-2-... in one residue; charges +-0.5 e.
inline Topology chain(std::int32_t atoms)
{
    Topology t = argon(atoms);
    t.residues = {{"CHN", "7A", 0}};
    t.exclusions = RaggedList();
    for (std::int32_t i = 0; i < atoms; ++i) {
        t.residue[static_cast<std::size_t>(i)] = 0;
        t.charge[static_cast<std::size_t>(i)] = i % 2 == 0 ? 0.5 : -0.5;
        t.atom_name.set(static_cast<std::size_t>(i), fmt::format("C{}", i + 1));
        std::vector<std::int32_t> partners;
        if (i > 0) {
            partners.push_back(i - 1);
        }
        if (i + 1 < atoms) {
            partners.push_back(i + 1);
            t.bonds.push_back({i, i + 1});
        }
        t.exclusions.add_row(partners);
    }
    return t;
}

} // namespace tessera::test
