#pragma once

#include "engine/model/topology.hpp"
#include "engine/plans/settings.hpp"

#include <vector>

namespace tessera
{

/// The attraction that the LJ-PME mesh holds for every pair of types, kJ/mol nm^6, [types][types]:
/// geometric sqrt(c6_aa c6_bb), or 4 eps sigma^6 of the Lorentz-Berthelot mixture. Throws
/// InputError where a type's own c6 is negative (geometric).
std::vector<double> make_mesh_c6(const PairTable& pairs, LjCombination combination);

} // namespace tessera
