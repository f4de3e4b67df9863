#pragma once

namespace tessera
{

/// Looks at the environment variable TESSERA_SIMD. Throws InputError where it names no level; warns
/// on standard error where this processor lacks the one named.
void look_at_simd_wish();

} // namespace tessera
