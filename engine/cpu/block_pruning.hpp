#pragma once

#include "engine/cpu/block_walker.hpp"
#include "engine/cpu/pair_blocks.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace tessera
{

/// Positions of one evaluation as the blocks see them.
struct BlockPositions {
    std::span<const std::uint32_t> xyzq;         ///< as in BlockTask
    std::span<const BlockWalker::Units> shifts;  ///< [shifts]
    std::span<const BlockWalker::Units> origins; ///< of each block
};

/// Chooses, of blocks that live long, the tiles that hold a pair within the cut-off plus a short
/// buffer, and the entries that these touch. They are moved to where a row's tiles and a block's
/// entries are read, so that the choice takes no memory beside the blocks. Made anew before any
/// pair can be missed, so it reaches no bit.
class BlockPruning {
public:
    /// `buffer`, nm: what two atoms may come nearer before tiles are chosen anew.
    BlockPruning(double cutoff, double buffer);

    /// nm: tiles are chosen that hold a pair nearer than this.
    [[nodiscard]] double radius() const { return cutoff_ + buffer_ + rounding; }

    /// At a search: what was chosen is forgotten.
    void let_go() { *this = BlockPruning(cutoff_, buffer_); }

    /// Sees to it that the chosen tiles hold all pairs within the cut-off.
    void choose(PairBlocks& blocks, const BlockPositions& now, int threads);

private:
    [[nodiscard]] bool is_complete(const BlockPositions& now, int threads) const;
    void remember(const BlockPositions& now, int threads);
    [[nodiscard]] std::uint16_t coarse(std::uint32_t x) const
    {
        return static_cast<std::uint16_t>(x >> coarse_bits_);
    }

    /// nm: rounding of positions and of the cell's vectors brings a pair no nearer than this.
    static constexpr double rounding = 1e-6;
    double cutoff_, buffer_;
    int coarse_bits_; ///< of 2^-23 nm: 16 bits in so coarse units hold any way until a search
    bool has_list_ = false;
    std::vector<std::uint16_t> xyz_;         ///< when tiles were chosen; [clusters][3][4], coarse
    std::vector<BlockWalker::Units> shifts_; ///< the same
};

} // namespace tessera
