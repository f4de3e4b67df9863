#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace tessera
{

/// How energies are grouped in logs, JSON and files: a log has one column a kind, and
/// `tessera energy --json` one entry.
enum class EnergyKind {
    bond,
    angle,
    urey_bradley,
    proper_dihedral,
    ryckaert_bellemans,
    improper,
    periodic_improper,
    cmap,
    lj_14,
    coulomb_14,
    lj,
    lj_reciprocal,
    coulomb_real,
    coulomb_reciprocal,
    dispersion_correction,
    position_restraint,
    polarization,
    count
};

inline constexpr std::size_t energy_kind_count = static_cast<std::size_t>(EnergyKind::count);

inline constexpr std::array<std::string_view, energy_kind_count> energy_kind_names = {
    "bond",
    "angle",
    "urey_bradley",
    "proper_dihedral",
    "ryckaert_bellemans",
    "improper",
    "periodic_improper",
    "cmap",
    "lj_14",
    "coulomb_14",
    "lj",
    "lj_reciprocal",
    "coulomb_real",
    "coulomb_reciprocal",
    "dispersion_correction",
    "position_restraint",
    "polarization"};

constexpr std::string_view name_of(EnergyKind kind)
{
    return energy_kind_names[static_cast<std::size_t>(kind)];
}

} // namespace tessera
