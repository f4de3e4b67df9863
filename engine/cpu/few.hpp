#pragma once

#include <cstdint>

namespace tessera
{

/// A loop of up to this many light turns (one atom, some multiplications) is done by one thread:
/// waking the others takes longer. No value depends on it.
inline constexpr std::int64_t few_atoms = 4096;

} // namespace tessera
