#pragma once

#include "engine/math/vec3.hpp"

#include <cstddef>
#include <functional>

namespace tessera
{

/// Of an atom, nm/ps: for sums over velocities that are made where they are read.
using VelocityOf = std::function<Vec3(std::size_t)>;

} // namespace tessera
