#include "engine/cpu/block_walker.hpp"

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

} // namespace

BlockWalker::BlockWalker(const BlockForm& form, const PairBlocks& blocks,
                         std::span<const std::uint32_t> xyzq, std::span<const float> lj,
                         std::span<const Units> shifts, BlockRoom& room, const BlockKernel& kernel)
    : form_(form), blocks_(blocks), xyzq_(xyzq), parameters_(lj), shifts_(shifts), room_(room),
      kernel_(kernel), origin_(line * shifts.size(), 0), shift_force_(shifts.size(), {0, 0, 0})
{
    const std::size_t most = at(blocks.most_entries);
    if (room.position.size() < line * most) {
        room.position.resize(line * most);
        room.lj.resize(2 * width * most);
        room.entry_force.resize(3 * line * most);
    }
    room.force.assign(xyzq.size(), 0);
}

void BlockWalker::walk(std::int64_t index, const Units& origin, bool wants_shift_forces, bool wide)
{
    const PairBlocks::Block& block = blocks_.blocks[at(index)];
    for (std::size_t s = 0; s < shifts_.size(); ++s) {
        for (std::size_t k = 0; k < 3 * width; ++k) {
            origin_[line * s + k] = origin[k / width] + shifts_[s][k / width];
        }
    }
    const BlockTask task{xyzq_.data(),
                         parameters_.data(),
                         blocks_.cluster.data() + block.first_entry,
                         blocks_.shift.data() + block.first_entry,
                         origin_.data(),
                         block.chosen,
                         blocks_.rows.data() + block.first_row,
                         block.rows,
                         blocks_.tiles.data() + block.first_tile};
    const BlockWorkspace work{room_.position.data(), room_.lj.data(), room_.entry_force.data()};
    if (wide || !kernel_.add(task, form_, work, room_.force.data())) {
        walk_wide(block, task, work, wants_shift_forces);
        return;
    }
    for (std::size_t e = 0; wants_shift_forces && e < at(block.chosen); ++e) {
        const std::uint32_t shift = task.offset[e];
        for (std::size_t k = 0; shift != 0 && k < 3 * width; ++k) {
            shift_force_[shift][k / width] -= work.force[3 * line * e + k];
        }
    }
}

void BlockWalker::walk_wide(const PairBlocks::Block& block, const BlockTask& task,
                            const BlockWorkspace& work, bool wants_shift_forces)
{
    constexpr std::size_t numbers = 3 * width;
    wide_force_.resize(xyzq_.size() / line * numbers, 0);
    wide_entry_force_.assign(numbers * at(block.chosen), 0);
    struct Report {
        const BlockTask& task;
        std::array<std::int32_t, 2>& lowest;
    } report{task, broken_pair_};
    const auto take = [](void* to, const BrokenPair& broken) {
        const Report& r = *static_cast<Report*>(to);
        constexpr auto w = static_cast<std::int32_t>(width);
        const std::array<std::int32_t, 2> pair{r.task.cluster[broken.row_entry] * w +
                                                   broken.bit / w,
                                               r.task.cluster[broken.entry] * w + broken.bit % w};
        if (r.lowest[0] < 0 || pair < r.lowest) {
            r.lowest = pair;
        }
    };
    kernel_.add_wide(task, form_, work, {wide_entry_force_.data(), take, &report});
    for (std::size_t e = 0; e < at(block.chosen); ++e) {
        const std::uint32_t shift = task.offset[e];
        for (std::size_t k = 0; k < numbers; ++k) {
            const std::int64_t f = wide_entry_force_[numbers * e + k];
            wide_force_[numbers * at(task.cluster[e]) + k] += f;
            if (wants_shift_forces && shift != 0) {
                shift_force_[shift][k / width] -= f;
            }
        }
    }
}

} // namespace tessera
