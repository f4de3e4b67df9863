#pragma once

#include "engine/model/topology.hpp"

#include <string>

namespace tessera
{

/// How messages name an atom: its number from 1, and where known its name and residue,
/// "12 (CA, ALA 3)".
inline std::string atom_label(const Topology& topology, std::int32_t atom)
{
    const auto a = static_cast<std::size_t>(atom);
    std::string label = std::to_string(atom + 1);
    if (a >= topology.atom_name.size()) {
        return label;
    }
    label += " (" + topology.atom_name[a];
    if (a < topology.residue.size()) {
        const auto r = static_cast<std::size_t>(topology.residue[a]);
        if (r < topology.residues.size()) {
            label += ", " + topology.residues[r].name + " " + topology.residues[r].number;
        }
    }
    return label + ")";
}

} // namespace tessera
