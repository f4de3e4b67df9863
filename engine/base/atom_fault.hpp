#pragma once

#include "engine/base/error.hpp"

#include <cstdint>
#include <string>

namespace tessera
{

/// The simulation broke at an atom. `atom`: its number in the whole system, by which ranks that
/// break at once agree on whose fault is told.
struct AtomFault : PhysicsError {
    AtomFault(const std::string& what, std::int64_t atom_) : PhysicsError(what), atom(atom_) {}

    std::int64_t atom;
};

} // namespace tessera
