#include "engine/cpu/block_pruning.hpp"

#include "engine/base/fixed_point.hpp"
#include "engine/cpu/block_bounds.hpp"
#include "engine/cpu/simd/pair_kernels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
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
    Pruner(const PairBlocks& all, const BlockPositions& now, double reach, PairBlocks& kept)
        : all_(all), now_(now), kernels_(pair_kernels()), reach_(reach), kept_(kept),
          subtracted_(line * now.shifts.size(), 0), lines_(line * at(all.most_entries)),
          number_(at(all.most_entries))
    {
    }

    void prune(std::int64_t index)
    {
        const PairBlocks::Block& block = all_.blocks[at(index)];
        PairBlocks::Block& to = kept_.blocks[at(index)];
        to = block;
        place(block, now_.origins[at(index)]);
        std::fill_n(number_.begin(), block.entries, not_kept);
        to.rows = to.entries = 0;
        free_ = 0;
        for (std::int64_t r = block.first_row; r < block.first_row + block.rows; ++r) {
            to.rows += keep_row(all_.rows[at(r)], to) ? 1 : 0;
        }
    }

private:
    void place(const PairBlocks::Block& block, const BlockWalker::Units& origin)
    {
        for (std::size_t s = 0; s < now_.shifts.size(); ++s) {
            for (std::size_t k = 0; k < 3 * width; ++k) {
                subtracted_[line * s + k] = origin[k / width] + now_.shifts[s][k / width];
            }
        }
        const std::size_t first = at(block.first_entry);
        const float farthest =
            kernels_.place_entries({now_.xyzq.data(), all_.cluster.data() + first,
                                    all_.shift.data() + first, subtracted_.data()},
                                   at(block.entries), lines_.data());
        // coordinates err by 2^-24 of the farthest, r^2 by 3e-7 of itself
        const double reach = reach_ * (1 + 1e-6) + 3e-7 * static_cast<double>(farthest);
        limit2_ = static_cast<float>(reach * reach);
        // neighbours about half of 512 nm away appear on either side: keep what the list has
        if (static_cast<double>(farthest) > 256 - reach) {
            limit2_ = std::numeric_limits<float>::infinity();
        }
    }

    /// False where nothing of it is kept.
    bool keep_row(const BlockRow& row, PairBlocks::Block& to)
    {
        const float* own = lines_.data() + line * at(row.entry);
        const std::uint16_t* const from = all_.tiles.data() + to.first_tile;
        std::uint16_t* const out = kept_.tiles.data() + to.first_tile + free_;
        const auto keep = [&](KeepNear near, std::int32_t first, std::int32_t last,
                              std::uint16_t* begin) {
            return near(own, lines_.data(), from + first, at(last - first), limit2_, begin);
        };
        std::uint16_t* const plain =
            out + keep(kernels_.keep_near_masked, row.begin, row.plain, out);
        std::uint16_t* const far = std::copy(from + row.plain, from + row.far, plain);
        std::uint16_t* const end = far + keep(kernels_.keep_near, row.far, row.end, far);
        if (end == out) {
            return false;
        }
        const std::uint16_t own_number = keep_entry(row.entry, to);
        for (std::uint16_t* tile = out; tile < plain; tile += BlockTile::size<true>) {
            *tile = keep_entry(*tile, to);
        }
        for (std::uint16_t* tile = plain; tile < end; tile += BlockTile::size<false>) {
            *tile = keep_entry(*tile, to);
        }
        const auto number = [&](const std::uint16_t* tile) {
            return free_ + static_cast<std::int32_t>(tile - out);
        };
        kept_.rows[at(to.first_row + to.rows)] = {own_number, free_, number(plain), number(far),
                                                  number(end)};
        free_ = number(end);
        return true;
    }

    /// An entry's number among those that are touched.
    std::uint16_t keep_entry(std::int32_t entry, PairBlocks::Block& to)
    {
        std::uint16_t& number = number_[at(entry)];
        if (number == not_kept) { // seldom: many rows touch each
            number = static_cast<std::uint16_t>(to.entries++);
            const std::size_t from = at(to.first_entry + entry), into = at(to.first_entry + number);
            kept_.cluster[into] = all_.cluster[from];
            kept_.shift[into] = all_.shift[from];
        }
        return number;
    }

    static constexpr std::uint16_t not_kept = 0xFFFF;
    static_assert(not_kept > block_limits::most_entries);

    const PairBlocks& all_;
    const BlockPositions& now_;
    const PairKernels& kernels_;
    double reach_;     ///< nm
    float limit2_ = 0; ///< of the open block: a little more
    /// Of the numbers of its tiles: behind those kept. Pages of the others are not touched.
    std::int32_t free_ = 0;
    PairBlocks& kept_;
    AlignedVector<std::uint32_t> subtracted_; ///< [shifts][16]
    AlignedVector<float> lines_;              ///< [entries][16]: x4 y4 z4, nm
    std::vector<std::uint16_t> number_;       ///< [entries]: among those kept, or not_kept
};

} // namespace

const PairBlocks& PrunedBlocks::of(const PairBlocks& all, const BlockPositions& now, int threads)
{
    if (!has_list_ || !is_complete(now, threads)) {
        prune(all, now, threads);
    }
    return kept_;
}

/// Two atoms come nearer by twice the farthest way, and by what the cell's vectors change.
bool PrunedBlocks::is_complete(const BlockPositions& now, int threads) const
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
    const double way = 0.5 * (buffer_ * fixed::kernel_position_scale - stretch) * (1 - 1e-6);
    if (!(way >= 0)) {
        return false;
    }
    const auto limit2 = static_cast<float>(way * way);
    const auto clusters = static_cast<std::int64_t>(xyzq_.size() / line);
    int moved = 0;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(| : moved)
    for (std::int64_t c = 0; c < clusters; ++c) {
        const std::uint32_t* a = now.xyzq.data() + line * at(c);
        const std::uint32_t* b = xyzq_.data() + line * at(c);
        for (std::size_t k = 0; k < width; ++k) {
            const auto d = [&](std::size_t axis) {
                return static_cast<float>(
                    static_cast<std::int32_t>(a[width * axis + k] - b[width * axis + k]));
            };
            const float x = d(0), y = d(1), z = d(2);
            moved |= x * x + y * y + z * z <= limit2 ? 0 : 1;
        }
    }
    return moved == 0;
}

void PrunedBlocks::prune(const PairBlocks& all, const BlockPositions& now, int threads)
{
    xyzq_.assign(now.xyzq.begin(), now.xyzq.end());
    shifts_.assign(now.shifts.begin(), now.shifts.end());
    has_list_ = true;
    kept_.blocks.resize(all.blocks.size());
    kept_.cluster.resize(all.cluster.size());
    kept_.shift.resize(all.shift.size());
    kept_.rows.resize(all.rows.size());
    kept_.tiles.resize(all.tiles.size());
    const auto blocks = static_cast<std::int64_t>(all.blocks.size());
#pragma omp parallel num_threads(threads)
    {
        Pruner pruner(all, now, radius(), kept_);
#pragma omp for schedule(dynamic, 1)
        for (std::int64_t b = 0; b < blocks; ++b) {
            pruner.prune(b);
        }
    }
    kept_.most_entries = 0;
    for (const PairBlocks::Block& block : kept_.blocks) {
        kept_.most_entries = std::max(kept_.most_entries, block.entries);
    }
}

} // namespace tessera
