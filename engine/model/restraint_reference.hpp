#pragma once

#include "engine/math/vec3.hpp"
#include "engine/model/topology.hpp"

#include <span>

namespace tessera
{

/// Takes the places that position restraints hold their atoms to from `reference` (nm, one
/// position an atom, topology order). Parameters are one a restraint afterwards. For a topology
/// that is not finish()ed. Throws InputError when the counts differ and there are restraints.
void set_restraint_reference(Topology& topology, std::span<const Vec3> reference);

} // namespace tessera
