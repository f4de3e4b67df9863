#pragma once

#include "engine/cpu/simd/simd_choice.hpp"
#include "engine/physics/pair/coulomb.hpp"

#include <cstddef>
#include <cstdint>

namespace tessera
{

/// How the parameters of a pair follow from those of its atoms.
enum class LjRule : std::uint8_t { geometric, lorentz_berthelot };

/// A pair's force in FP32, forces in units of 2^-force_bits kJ/mol/nm. Charges hold the root of the
/// Coulomb constant times 2^(force_bits/2).
struct BlockForm {
    static constexpr int cells = 32;
    float cutoff2 = 0; ///< nm^2
    /// 2 nm less the cut-off, in units of 2^-23 nm; 0: there is none. FP32 is exact for blocks
    /// whose rows are within it of the origin, along each axis.
    std::int32_t exact_reach = 0;
    LjRule lj = LjRule::geometric;
    CoulombForm coulomb = CoulombForm::none;
    float two_k = 0; ///< reaction field
    /// The smooth part of the Ewald force, negative: in the cell nearest to r^2 * cell_scale a
    /// cubic in r^2, coefficients ascending.
    float cell_scale = 0;
    alignas(64) float cubic[4][cells] = {};
    /// A pair whose |force| over distance is below it fits 32 bits, and so do sums of a few.
    float largest_force_over_r = 0;
    float largest_force = 0; ///< 1-norm; beyond it a pair is broken
};

/// Tiles of one row stand side by side as numbers of 16 bits: first those of which some pairs do
/// not count, two numbers each, then those whose pairs all count, one each.
struct BlockTile {
    std::uint16_t entry; ///< of the workspace: the column's cluster
    std::uint16_t mask;  ///< bit 4 a + b: pair of the row's a-th and the column's b-th atom

    static constexpr std::uint16_t all_pairs = 0xFFFF;
    /// The tile of which these are the numbers; without `Masked` the mask is not looked for.
    template <bool Masked>
    static BlockTile of(const std::uint16_t* numbers)
    {
        return {numbers[0], Masked ? numbers[1] : all_pairs};
    }
    template <bool Masked>
    static constexpr std::ptrdiff_t size = Masked ? 2 : 1; ///< in numbers
};
/// Where some of a row's numbers stand, counted from the block's first.
struct TileRange {
    std::int32_t begin, plain, end; ///< masked tiles, then plain ones

    [[nodiscard]] std::int64_t tiles() const
    {
        return (plain - begin) / BlockTile::size<true> + (end - plain);
    }
};
struct BlockRow {
    std::int32_t entry;
    /// Of its numbers, counted from the block's first; from `plain` on all pairs count, from `far`
    /// on the search found the atoms of a tile apart.
    std::int32_t begin, plain, far, end;
    std::int32_t first = begin, last = end; ///< those in between are chosen (BlockPruning)

    [[nodiscard]] TileRange all() const { return {begin, plain, end}; }
    [[nodiscard]] TileRange chosen() const { return {first, plain, last}; }
};

/// Some rows of the pair list and the images of clusters (entries) that they touch.
struct BlockTask {
    const std::uint32_t* xyzq;   ///< [clusters][4][4]: as in TileAtoms, charges as in BlockForm
    const float* lj;             ///< [clusters][8]: two parameters of each atom, by LjRule:
                                 ///< root of 6 c6 x4, root of 12 c12 x4, times 2^(force_bits/2); or
                                 ///< sigma/2 x4, root of 24 epsilon x4, times 2^(force_bits/2)
    const std::int32_t* cluster; ///< [entries]
    const std::uint16_t* offset; ///< [entries]: index into `origin`
    const std::uint32_t* origin; ///< [shifts][16]: what an entry subtracts, x4 y4 z4 and zeros
    std::int64_t entries;        ///< that chosen tiles touch: what others name is not looked at
    const BlockRow* rows;
    std::int64_t row_count;
    const std::uint16_t* tiles; ///< numbers of the block
};

/// Room for one block; 64-byte lines of 16 numbers.
struct BlockWorkspace {
    float* position;     ///< [entries][16]: x4 y4 z4 q4
    float* lj;           ///< [entries][8]
    std::int32_t* force; ///< [entries][3][16]: lines of x, y and z
};

/// A pair whose force left the range.
struct BrokenPair {
    std::int32_t row_entry = -1, entry = -1;
    std::int32_t bit = 0;
};

/// Sums in 64 bits, for what does not fit 32.
struct WideBlockSums {
    std::int64_t* force; ///< [entries][3][4]
    /// Called for each broken pair.
    void (*report)(void* to, const BrokenPair& pair);
    void* to;
};

/// Forces of the pairs of a block within the cut-off. Positions relative to the block that
/// count are exact in FP32 (less than 2 nm from its origin, on the 2^-23 nm grid), or integers;
/// each component of each pair is rounded to an integer and added as one, modulo 2^32. A function
/// of displacement and products or sums of both atoms' parameters alone, odd in the displacement:
/// neither order, nor company, nor origin reaches the bits. All operations are IEEE's, so every
/// instruction set gives the same.
struct BlockKernel {
    /// Adds to `force` [clusters][16], x4 y4 z4 and four without meaning; what each entry gave
    /// stays, in the same order, in its first line of workspace.force. False: a pair may not fit 32
    /// bits, and nothing is added.
    bool (*add)(const BlockTask&, const BlockForm&, const BlockWorkspace&, std::int32_t* force);
    /// The same pairs, slower, summed in 64 bits; broken pairs are left out and reported.
    void (*add_wide)(const BlockTask&, const BlockForm&, const BlockWorkspace&,
                     const WideBlockSums&);
};
} // namespace tessera
