#pragma once

#include "engine/base/unfilled_vector.hpp"
#include "engine/cpu/simd/block_kernel.hpp"
#include "engine/plans/cluster_pair_list.hpp"
#include "engine/plans/domain_plan.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tessera
{

/// Pairs in blocks of neighbouring rows, each with the images of clusters it touches (entries).
/// Its origin is the middle of its rows: what the kernel of mixed precision sees of it should lie
/// within 2 nm, where FP32 holds positions on the 2^-23 nm grid exactly.
struct PairBlocks {
    struct Block {
        std::int64_t first_entry, entries;
        std::int64_t first_row, rows;
        std::int64_t first_tile;       ///< of the numbers of its tiles
        Vec3 origin;                   ///< at the search, nm
        std::int64_t chosen = entries; ///< so many entries, the first ones, chosen tiles touch
        std::int64_t lasting = 0; ///< so many of them until the next search; 0: it is not known yet
    };
    std::vector<Block> blocks;
    std::vector<std::int32_t> cluster; ///< of each entry
    std::vector<std::uint16_t> shift;  ///< of each entry; it stands at its position minus the shift
    std::vector<BlockRow> rows;
    UnfilledVector<std::uint16_t> tiles; ///< numbers, see BlockTile
    std::int64_t most_entries = 0;

    /// Pairs that the kernel of blocks has no formula for.
    std::vector<ClusterPairList::Row> other_rows;
    std::vector<ClusterPairList::Column> other_columns;
};

/// What is special about some columns of a list.
struct BlockRules {
    std::int32_t largest_block = 64; ///< rows; does not reach the bits
    /// nm: what is nearer to a block's rows must lie where FP32 is exact, or the block is cut.
    /// Zero: nothing asks for that.
    double kernel_radius = 0;
    /// nm: a tile without a pair nearer than it is far (BlockRow), and looked at again when tiles
    /// are chosen; the others are kept unseen. Zero: all are far. Does not reach the bits.
    double near_radius = 0;
    const DomainOwner* owner = nullptr;       ///< some pairs are other ranks'; null: none
    std::span<const std::uint8_t> is_partial; ///< [columns]: the list has dropped such pairs
    /// [types][types] and [slots]: pairs of types the kernel has no formula for; empty: none
    std::span<const std::uint8_t> is_other;
    std::span<const std::int32_t> slot_type;
    std::int32_t types = 0;
};

/// Cuts a pair list into blocks; BlockSearch makes them without one.
PairBlocks make_pair_blocks(const ClusterPairList& list, std::span<const Vec3> shift_vectors,
                            const BlockRules& rules);

} // namespace tessera
