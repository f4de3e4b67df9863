#include "engine/cpu/double_walker.hpp"

#include "engine/cpu/simd/pair_kernels.hpp"

#include <algorithm>
#include <omp.h>

namespace tessera
{

namespace
{

constexpr std::size_t width = ClusterOrder::width;
constexpr std::size_t numbers = 3 * width;

std::size_t at(std::int64_t k)
{
    return static_cast<std::size_t>(k);
}

DoubleKernel::Add choose(DoubleResults wanted)
{
    const DoubleKernel& kernel = pair_kernels().fp64;
    switch (wanted) {
    case DoubleResults::forces:
        return kernel.forces;
    case DoubleResults::energies:
        return kernel.energies;
    case DoubleResults::both:
        break;
    }
    return kernel.both;
}

std::size_t most_tiles(const PairBlocks& blocks)
{
    std::int64_t most = 0;
    for (const BlockRow& row : blocks.rows) {
        most = std::max(most, row.all().tiles());
    }
    return at(most);
}

} // namespace

DoubleWalker::DoubleWalker(const DoubleForm& form, const PairBlocks& blocks,
                           const DoubleAtoms& atoms, DoubleResults wanted)
    : form_(form), blocks_(blocks), atoms_(atoms), add_(choose(wanted)),
      near_(4 * width * at(blocks.most_entries)), position_(4 * width * at(blocks.most_entries)),
      type_(width * at(blocks.most_entries)), entry_force_(numbers * at(blocks.most_entries)),
      units_(width * (most_tiles(blocks) + 2)),
      force_(wanted == DoubleResults::energies ? 0 : atoms.xyzq.size() / 4 * 3, 0),
      shift_force_(atoms.shift.size(), {0, 0, 0})
{
    for (const Vec3& s : atoms.shift) {
        shift_.insert(shift_.end(), {s.x, s.y, s.z, 0.0});
    }
}

void DoubleWalker::walk(std::int64_t index, bool wants_shift_forces)
{
    const PairBlocks::Block& block = blocks_.blocks[at(index)];
    // any point near will do: it decides only what is looked at in FP64
    const Vec3 origin = row_times(block.origin, atoms_.change);
    const DoubleTask task{atoms_.xyzq.data(),
                          atoms_.type.data(),
                          blocks_.cluster.data() + block.first_entry,
                          blocks_.shift.data() + block.first_entry,
                          shift_.data(),
                          {origin.x, origin.y, origin.z},
                          block.entries,
                          blocks_.rows.data() + block.first_row,
                          block.rows,
                          blocks_.tiles.data() + block.first_tile};
    const DoubleWorkspace work{near_.data(), position_.data(), type_.data(), entry_force_.data(),
                               units_.data()};
    if (!add_(task, form_, work, energies_)) {
        is_in_range_ = false;
        return;
    }
    if (force_.empty()) {
        return;
    }
    for (std::size_t e = 0; e < at(block.entries); ++e) {
        const std::int64_t* from = entry_force_.data() + numbers * e;
        std::uint64_t* to = force_.data() + numbers * at(task.cluster[e]);
        for (std::size_t k = 0; k < numbers; ++k) {
            to[k] += static_cast<std::uint64_t>(from[k]);
        }
        const std::uint32_t shift = task.offset[e];
        for (std::size_t k = 0; wants_shift_forces && shift != 0 && k < numbers; ++k) {
            shift_force_[shift][k / width] -= static_cast<std::uint64_t>(from[k]);
        }
    }
}

std::vector<std::optional<DoubleWalker>>
walk_in_doubles(const DoubleForm& form, const PairBlocks& blocks, const DoubleAtoms& atoms,
                DoubleResults wanted, bool wants_shift_forces, int threads)
{
    std::vector<std::optional<DoubleWalker>> walkers(at(threads));
    const auto count = static_cast<std::int64_t>(blocks.blocks.size());
#pragma omp parallel num_threads(threads)
    {
        DoubleWalker& mine = walkers[at(omp_get_thread_num())].emplace(form, blocks, atoms, wanted);
#pragma omp for schedule(dynamic, 1)
        for (std::int64_t b = 0; b < count; ++b) {
            mine.walk(b, wants_shift_forces);
        }
    }
    const bool is_in_range = std::all_of(walkers.begin(), walkers.end(), [](const auto& walker) {
        return !walker || walker->is_in_range();
    });
    return is_in_range ? std::move(walkers) : std::vector<std::optional<DoubleWalker>>{};
}

} // namespace tessera
