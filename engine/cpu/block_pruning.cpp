#include "engine/cpu/block_pruning.hpp"

#include "engine/base/fixed_point.hpp"
#include "engine/cpu/block_bounds.hpp"
#include "engine/cpu/simd/pair_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera
{

namespace
{

constexpr std::size_t width = ClusterOrder::width;
constexpr std::size_t line = 16;

std::size_t at(std::int64_t k)
{
    return static_cast<std::size_t>(k);
}

/// Prunes one block after another, for one thread.
class Pruner {
public:
    Pruner(PairBlocks& blocks, const BlockPositions& now, double reach)
        : blocks_(blocks), now_(now), kernels_(pair_kernels()), reach_(reach),
          subtracted_(line * now.shifts.size(), 0), lines_(line * at(blocks.most_entries)),
          is_touched_(at(blocks.most_entries)), number_(at(blocks.most_entries)),
          left_out_(BlockTile::size<true> * at(blocks.most_entries))
    {
    }

    void prune(std::int64_t index)
    {
        PairBlocks::Block& block = blocks_.blocks[at(index)];
        tiles_ = blocks_.tiles.data() + block.first_tile;
        if (block.lasting == 0) {
            find_lasting(block);
        }
        place(block, now_.origins[at(index)]);
        std::fill(is_touched_.begin() + block.lasting, is_touched_.begin() + block.entries, 0);
        for (BlockRow& row : rows_of(block)) {
            choose_masked(row);
            choose_far(row);
        }
        block.chosen =
            move_touched(block, block.lasting, [](const BlockRow& row) { return row.far; });
    }

private:
    [[nodiscard]] std::span<BlockRow> rows_of(const PairBlocks::Block& block)
    {
        return std::span(blocks_.rows).subspan(at(block.first_row), at(block.rows));
    }

    /// Entries of tiles that are always chosen, or may be by other pairs than the search found far,
    /// come first.
    void find_lasting(PairBlocks::Block& block)
    {
        std::fill_n(is_touched_.begin(), block.entries, 0);
        for (const BlockRow& row : rows_of(block)) {
            is_touched_[at(row.entry)] = 1;
            for (std::int32_t k = row.begin; k < row.plain; k += BlockTile::size<true>) {
                is_touched_[tiles_[k]] = 1;
            }
            for (std::int32_t k = row.plain; k < row.far; ++k) {
                is_touched_[tiles_[k]] = 1;
            }
        }
        block.lasting = move_touched(block, 0, [](const BlockRow& row) { return row.begin; });
    }

    /// Puts the touched ones of the entries from `first` on first, in their order, and tells the
    /// tiles, from first_tile(row) on; entries of rows are touched or before `first`. Returns where
    /// the others begin.
    template <class FirstTile>
    std::int64_t move_touched(const PairBlocks::Block& block, std::int64_t first,
                              const FirstTile& first_tile)
    {
        std::int32_t* const cluster = blocks_.cluster.data() + block.first_entry;
        std::uint16_t* const shift = blocks_.shift.data() + block.first_entry;
        const std::int64_t touched =
            std::count(is_touched_.begin() + first, is_touched_.begin() + block.entries, 1);
        const std::int64_t end = first + touched;
        if (std::count(is_touched_.begin() + first, is_touched_.begin() + end, 1) == touched) {
            return end; // they are
        }
        others_.clear();
        std::int64_t to = first, to_other = end;
        for (std::int64_t e = 0; e < block.entries; ++e) {
            const bool stays = e < first;
            const bool is_touched = !stays && is_touched_[at(e)] != 0;
            number_[at(e)] = static_cast<std::uint16_t>(stays ? e : is_touched ? to++ : to_other++);
            if (is_touched) {
                cluster[number_[at(e)]] = cluster[e];
                shift[number_[at(e)]] = shift[e];
            } else if (!stays) {
                others_.push_back({cluster[e], shift[e]});
            }
        }
        for (std::size_t k = 0; k < others_.size(); ++k) {
            cluster[at(end) + k] = others_[k].cluster;
            shift[at(end) + k] = others_[k].shift;
        }
        for (BlockRow& row : rows_of(block)) {
            row.entry = number_[at(row.entry)];
            std::int32_t k = first_tile(row);
            for (; k < row.plain; k += BlockTile::size<true>) {
                tiles_[k] = number_[tiles_[k]];
            }
            for (; k < row.end; ++k) {
                tiles_[k] = number_[tiles_[k]];
            }
        }
        return end;
    }

    void place(const PairBlocks::Block& block, const BlockWalker::Units& origin)
    {
        for (std::size_t s = 0; s < now_.shifts.size(); ++s) {
            for (std::size_t k = 0; k < 3 * width; ++k) {
                subtracted_[line * s + k] = origin[k / width] + now_.shifts[s][k / width];
            }
        }
        const std::size_t first = at(block.first_entry);
        const float farthest =
            kernels_.place_entries({now_.xyzq.data(), blocks_.cluster.data() + first,
                                    blocks_.shift.data() + first, subtracted_.data()},
                                   at(block.entries), lines_.data());
        // coordinates err by 2^-24 of the farthest, r^2 by 3e-7 of itself
        const double reach = reach_ * (1 + 1e-6) + 3e-7 * static_cast<double>(farthest);
        limit2_ = static_cast<float>(reach * reach);
        // neighbours about half of 512 nm away appear on either side: keep what the list has
        if (static_cast<double>(farthest) > 256 - reach) {
            limit2_ = std::numeric_limits<float>::infinity();
        }
    }

    [[nodiscard]] const float* own(const BlockRow& row) const
    {
        return lines_.data() + line * at(row.entry);
    }

    /// Those without a near pair, which are few, come first.
    void choose_masked(BlockRow& row)
    {
        const std::size_t count = at(row.plain - row.begin);
        const std::size_t kept = kernels_.keep_near_masked(
            own(row), lines_.data(), tiles_ + row.begin, count, limit2_, left_out_.data());
        row.first = row.plain - static_cast<std::int32_t>(kept);
        if (kept == count) {
            return;
        }
        constexpr std::ptrdiff_t size = BlockTile::size<true>;
        const std::uint16_t* near = left_out_.data() + kept; // from the last to the first
        std::uint16_t* to = tiles_ + row.plain;
        others_.clear();
        for (std::uint16_t* tile = to - size; tile >= tiles_ + row.begin; tile -= size) {
            if (near > left_out_.data() && near[-size] == tile[0]) { // none is named twice
                near -= size;
                to -= size;
                to[1] = tile[1];
                to[0] = tile[0];
            } else {
                others_.push_back({tile[0], tile[1]});
            }
        }
        for (const Other& other : others_) {
            to -= size;
            to[0] = static_cast<std::uint16_t>(other.cluster);
            to[1] = other.shift;
        }
    }

    /// Those without a near pair come last.
    void choose_far(BlockRow& row)
    {
        std::uint16_t* const far = tiles_ + row.far;
        const std::size_t count = at(row.end - row.far),
                          near = kernels_.part_near(own(row), lines_.data(), far, count, limit2_,
                                                    far, left_out_.data());
        std::copy_n(left_out_.data(), count - near, far + near);
        row.last = row.far + static_cast<std::int32_t>(near);
        for (std::size_t k = 0; k < near; ++k) {
            is_touched_[far[k]] = 1;
        }
    }

    struct Other {
        std::int32_t cluster;
        std::uint16_t shift;
    };

    PairBlocks& blocks_;
    const BlockPositions& now_;
    const PairKernels& kernels_;
    double reach_;                            ///< nm
    float limit2_ = 0;                        ///< of the open block: a little more
    std::uint16_t* tiles_ = nullptr;          ///< of the open block
    AlignedVector<std::uint32_t> subtracted_; ///< [shifts][16]
    AlignedVector<float> lines_;              ///< [entries][16]: x4 y4 z4, nm
    std::vector<std::uint8_t> is_touched_;    ///< [entries]
    std::vector<std::uint16_t> number_;       ///< [entries]: from now on
    std::vector<std::uint16_t> left_out_;     ///< room for the numbers of a row
    std::vector<Other> others_;
};

} // namespace

BlockPruning::BlockPruning(double cutoff, double buffer)
    : cutoff_(cutoff), buffer_(buffer), coarse_bits_(8)
{
    // two atoms go less than a search's whole buffer, a few of these
    while (std::ldexp(1.0, coarse_bits_ - 8) < 8 * buffer_ && coarse_bits_ < 16) {
        ++coarse_bits_;
    }
}

void BlockPruning::choose(PairBlocks& blocks, const BlockPositions& now, int threads)
{
    if (has_list_ && is_complete(now, threads)) {
        return;
    }
    remember(now, threads);
    const auto count = static_cast<std::int64_t>(blocks.blocks.size());
#pragma omp parallel num_threads(threads)
    {
        Pruner pruner(blocks, now, radius());
#pragma omp for schedule(dynamic, 1)
        for (std::int64_t b = 0; b < count; ++b) {
            pruner.prune(b);
        }
    }
}

void BlockPruning::remember(const BlockPositions& now, int threads)
{
    const auto clusters = static_cast<std::int64_t>(now.xyzq.size() / line);
    xyz_.resize(3 * width * at(clusters));
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::int64_t c = 0; c < clusters; ++c) {
        for (std::size_t k = 0; k < 3 * width; ++k) {
            xyz_[3 * width * at(c) + k] = coarse(now.xyzq[line * at(c) + k]);
        }
    }
    shifts_.assign(now.shifts.begin(), now.shifts.end());
    has_list_ = true;
}

/// Two atoms come nearer by twice the farthest way, and by what the cell's vectors change.
bool BlockPruning::is_complete(const BlockPositions& now, int threads) const
{
    double stretch = 0;
    for (std::size_t s = 0; s < shifts_.size(); ++s) {
        double sum = 0;
        for (std::size_t c = 0; c < 3; ++c) {
            const auto d = static_cast<std::int32_t>(now.shifts[s][c] - shifts_[s][c]);
            sum += static_cast<double>(d) * d;
        }
        stretch = std::max(stretch, std::sqrt(sum));
    }
    const double rounded = std::sqrt(3.0); // coarse units: each coordinate errs by less than one
    const double way = 0.5 * (buffer_ * fixed::kernel_position_scale - stretch) *
                           std::ldexp(1.0, -coarse_bits_) * (1 - 1e-6) -
                       rounded;
    if (!(way >= 0)) {
        return false;
    }
    const auto limit2 = static_cast<float>(way * way);
    const auto clusters = static_cast<std::int64_t>(now.xyzq.size() / line);
    int moved = 0;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(| : moved)
    for (std::int64_t c = 0; c < clusters; ++c) {
        const std::uint32_t* a = now.xyzq.data() + line * at(c);
        const std::uint16_t* b = xyz_.data() + 3 * width * at(c);
        for (std::size_t k = 0; k < width; ++k) {
            const auto d = [&](std::size_t axis) {
                return static_cast<float>(static_cast<std::int16_t>(
                    static_cast<std::uint16_t>(coarse(a[width * axis + k]) - b[width * axis + k])));
            };
            const float x = d(0), y = d(1), z = d(2);
            moved |= x * x + y * y + z * z <= limit2 ? 0 : 1;
        }
    }
    return moved == 0;
}

} // namespace tessera
