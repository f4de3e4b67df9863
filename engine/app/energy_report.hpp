#pragma once

#include "engine/app/assemble.hpp"
#include "engine/simulation/single_point.hpp"

#include <string>
#include <vector>

namespace tessera
{

/// Kinds of energy that this system has, in the order of EnergyKind.
std::vector<EnergyKind> kinds_present(const Topology& topology, const NonbondedSettings& nonbonded);

struct ForceSummary {
    double rms = 0;     ///< sqrt(sum |F|^2 / atoms), kJ/mol/nm
    double largest = 0; ///< |F| of `atom`
    std::int32_t atom = 0;
};
ForceSummary summary_of(const std::vector<Vec3>& forces);

/// "FP64" or "mixed precision", with what is FP64 all the same.
std::string precision_in_words(const NonbondedSettings& nonbonded);

/// The table `tessera energy` prints.
std::string energy_table(const Assembly& assembly, const SinglePoint& result);
/// The JSON of docs: energies, virial, forces in short, mesh.
std::string energy_json(const Assembly& assembly, const SinglePoint& result);
/// `fx fy fz` a line, 17 digits.
std::string forces_text(const std::vector<Vec3>& forces);

} // namespace tessera
