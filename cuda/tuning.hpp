#pragma once

/// Launch shapes. None is measured on a GPU yet: they are the usual choice of two to four warps a
/// block, and results do not depend on them.
namespace tessera::tuning
{
inline constexpr int listed_block = 128;       ///< threads, one entry each
inline constexpr int warps_per_pair_block = 2; ///< one row of the pair list each
inline constexpr int halo_block = 256; ///< threads, one word of an atom each
} // namespace tessera::tuning
