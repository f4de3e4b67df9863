#include "engine/cpu/tile_walker.hpp"

#include "engine/cpu/kernel_grid.hpp"

#include <algorithm>
#include <bit>

namespace tessera
{

namespace
{

constexpr int width = ClusterOrder::width;

std::size_t at(std::int64_t k)
{
    return static_cast<std::size_t>(k);
}

} // namespace

TileWalker::TileWalker(const TileForm& form, const TileAtoms& atoms, std::int32_t types,
                       std::int32_t clusters, std::size_t shifts)
    : form_(form), atoms_(atoms), types_(types), force_(at(clusters) * 3 * width, 0),
      shift_force_(shifts, {0, 0, 0})
{
}

void TileWalker::walk(std::int32_t cluster, const GridPosition& shift, std::int32_t shift_index,
                      std::span<const ClusterPairList::Column> columns)
{
    TileRow row;
    const std::size_t slot = at(cluster) * width;
    for (std::size_t k = 0; k < at(width * width); ++k) {
        const std::size_t a = k / width;
        const std::uint32_t* own = atoms_.xyzq + 4 * slot + a;
        row.x[k] = own[0] + KernelGrid::unit(shift.x);
        row.y[k] = own[width] + KernelGrid::unit(shift.y);
        row.z[k] = own[2 * width] + KernelGrid::unit(shift.z);
        row.charge[k] = std::bit_cast<float>(own[3 * width]);
        row.type_row[k] = atoms_.type[slot + a] * types_;
    }
    TileSums sums{force_.data()};
    while (!columns.empty()) {
        const std::size_t count = std::min(columns.size(), tiles_at_once);
        add_tiles(row, columns.first(count), atoms_, form_, sums);
        if (sums.column >= 0) {
            const std::array<std::int32_t, 2> pair{cluster * width + sums.row_bit / width,
                                                   columns[at(sums.column)].cluster * width +
                                                       sums.row_bit % width};
            if (broken_pair_[0] < 0 || pair < broken_pair_) {
                broken_pair_ = pair;
            }
            sums.column = -1;
        }
        columns = columns.subspan(count);
    }
    for (std::size_t c = 0; c < 3; ++c) {
        for (std::size_t a = 0; a < at(width); ++a) {
            force_[(3 * at(cluster) + c) * width + a] += sums.own[c][a];
            shift_force_[at(shift_index)][c] += sums.own[c][a];
        }
    }
}

} // namespace tessera
