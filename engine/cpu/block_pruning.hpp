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

/// The inner list: of blocks that live long, the tiles that hold a pair within the cut-off plus a
/// short buffer, and the entries that these touch. Chosen anew before any pair can be missed, so it
/// reaches no bit.
class PrunedBlocks {
public:
    /// `buffer`, nm: what two atoms may come nearer before tiles are chosen anew.
    PrunedBlocks(double cutoff, double buffer) : cutoff_(cutoff), buffer_(buffer) {}

    /// nm: tiles are chosen that hold a pair nearer than this.
    [[nodiscard]] double radius() const { return cutoff_ + buffer_ + rounding; }

    /// Before a search: nothing is kept, nor its memory.
    void let_go() { *this = PrunedBlocks(cutoff_, buffer_); }

    /// Blocks, by the same numbers and origins, that hold all pairs of `all` within the cut-off.
    const PairBlocks& of(const PairBlocks& all, const BlockPositions& now, int threads);

private:
    [[nodiscard]] bool is_complete(const BlockPositions& now, int threads) const;
    void prune(const PairBlocks& all, const BlockPositions& now, int threads);

    /// nm: rounding of positions and of the cell's vectors brings a pair no nearer than this.
    static constexpr double rounding = 1e-6;
    double cutoff_, buffer_;
    bool has_list_ = false;
    PairBlocks kept_;
    AlignedVector<std::uint32_t> xyzq_;      ///< when tiles were chosen
    std::vector<BlockWalker::Units> shifts_; ///< the same
};

} // namespace tessera
