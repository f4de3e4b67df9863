#pragma once

#include "engine/base/aligned_vector.hpp"
#include "engine/cpu/block_bounds.hpp"
#include "engine/cpu/pair_blocks.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tessera
{

/// Finds the blocks of pairs from the positions, without a list of pairs between: the images of
/// clusters near a block become its entries, and its rows test them in FP32. Memory is kept from
/// search to search.
class BlockSearch {
public:
    /// Fills `blocks` with every pair of atoms, and every image of it, once, that is nearer than
    /// list.radius and not excluded, and with some that are a little farther. Of the list only
    /// order and shifts are looked at; of the rules, what cuts blocks. Threads do
    /// not reach the result.
    ///
    /// False: neighbours are too far apart for blocks without rows of their own kind, as in a gas,
    /// or too many; then make_pair_blocks() does it.
    bool find(const ClusterPairList& list, const RaggedList& exclusions,
              std::span<const Vec3> positions, std::span<const Vec3> shift_vectors,
              const BlockRules& rules, int threads, PairBlocks& blocks);

    /// Blocks of one node of the tree; numbers begin at zero in each. Made a few at a time, as all
    /// together would hold as much as the blocks.
    struct Part {
        std::vector<PairBlocks::Block> blocks;
        std::vector<std::int32_t> cluster;
        std::vector<std::uint16_t> shift;
        std::vector<BlockRow> rows;
        std::vector<std::uint16_t> tiles; ///< numbers, see BlockTile
        bool is_possible = true;
    };

private:
    void pack(const ClusterPairList& list, std::span<const Vec3> positions, int threads);
    void make_room(std::size_t parts, std::int32_t clusters, std::int32_t done, PairBlocks& blocks);
    void put(std::size_t index, PairBlocks& blocks) const;

    struct Sizes {
        std::int64_t blocks = 0, entries = 0, rows = 0, tiles = 0;
    };

    std::vector<double> packed_;      ///< [clusters][3][4]: x of the four atoms, y, z; nm
    AlignedVector<float> bounds_;     ///< [clusters / 16][6][16]: low x, y, z, high x, y, z; nm
    std::vector<std::int32_t> nodes_; ///< of the tree, one a part
    std::vector<Part> parts_;         ///< of the nodes at hand
    std::vector<Sizes> before_;       ///< of all before each of them
};

} // namespace tessera
