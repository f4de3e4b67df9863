#pragma once

#include "engine/cpu/simd/double_kernel.hpp"
#include "engine/cpu/simd/simd_choice.hpp"

namespace tessera
{

/// Entries of a block, and what each subtracts.
struct PlacedEntries {
    const std::uint32_t* xyzq;       ///< [clusters][16]: x4 y4 z4 in units of 2^-23 nm, and others
    const std::int32_t* cluster;     ///< [entries]
    const std::uint16_t* shift;      ///< [entries]
    const std::uint32_t* subtracted; ///< [shifts][16]: of x4 y4 z4, the block's origin included
};
/// Writes positions relative to the block to `lines` [entries][16], x4 y4 z4, nm;
/// returns the largest coordinate met, nm.
using PlaceEntries = float (*)(const PlacedEntries& from, std::size_t count, float* lines);

/// Copies to `out`, which may be `tiles` itself, those of a row's tiles that hold a pair nearer
/// than the root of `limit2`, nm^2; masks lose the pairs that are not. `count`: numbers of 16 bits,
/// see BlockTile; returns how many were written. `lines`: [entries][16], x4 y4 z4, nm, and four
/// without meaning; `row`: that of the row's cluster. FP32 errs by less than 3e-7 of r^2, which the
/// limit must leave room for.
using KeepNear = std::size_t (*)(const float* row, const float* lines, const std::uint16_t* tiles,
                                 std::size_t count, float limit2, std::uint16_t* out);

/// Writes those of `count` entries with an atom nearer to the row's than the root of `limit2` to
/// `near`, which may be `entries` itself, and the others to `others`; returns how many are near.
/// The rest as for KeepNear.
using PartNear = std::size_t (*)(const float* row, const float* lines, const std::uint16_t* entries,
                                 std::size_t count, float limit2, std::uint16_t* near,
                                 std::uint16_t* others);

/// Squares of distances, nm^2; near is not above far.
struct SplitLimits {
    float near, far;
};
struct SplitTiles {
    std::size_t near, far;
};
/// Of `count` entries, those with an atom nearer to the row's than the first limit are copied to
/// `near`, those nearer than the second to `far`, which both have room for all; returns how many.
/// The rest as for KeepNear.
using SplitNear = SplitTiles (*)(const float* row, const float* lines, const std::uint16_t* entries,
                                 std::size_t count, SplitLimits limits2, std::uint16_t* near,
                                 std::uint16_t* far);

/// Lists those of the entries [begin, end) whose box is nearer than the root of `limit2` to `box`
/// (low x, y, z, high x, y, z), and perhaps some of the fifteen before `begin`; returns how many.
/// `boxes`: [entries / 16][6][16], nm; what is beyond `end` must be far.
using FindBoxes = std::size_t (*)(const float* box, const float* boxes, std::size_t begin,
                                  std::size_t end, float limit2, std::uint16_t* out);

/// What walks blocks, for one instruction set.
struct PairKernels {
    BlockKernel mixed;
    DoubleKernel fp64;
    PlaceEntries place_entries;
    KeepNear keep_near, keep_near_masked;
    PartNear part_near;
    SplitNear split_near;
    FindBoxes find_boxes;
};
/// Those of the level in use.
const PairKernels& pair_kernels();

const PairKernels& pair_kernels_baseline();
const PairKernels& pair_kernels_avx2();
const PairKernels& pair_kernels_avx512();

} // namespace tessera
