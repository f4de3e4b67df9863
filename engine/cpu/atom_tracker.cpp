#include "engine/cpu/atom_tracker.hpp"

#include "engine/base/let_go.hpp"
#include "engine/cpu/atom_loop.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera
{

namespace
{

/// A = H0^-1 H: row vectors of the old cell times A are those of the new cell.
Mat3 change_of_cell(const Box& from, const Box& to)
{
    Mat3 a;
    for (int k = 0; k < 3; ++k) {
        a[k] = row_times(from.inverse()[k], to.vectors());
    }
    return a;
}

} // namespace

void AtomTracker::start(const Box& box, std::span<const Vec3> positions, int threads)
{
    grid_ = PositionGrid(box);
    given_.assign(positions.begin(), positions.end());
    image_.resize(positions.size());
    for_each_atom(std::ssize(positions), threads, [&](std::size_t a) {
        static_cast<void>(grid_.canonical(positions[a], image_[a]));
    });
    if (std::all_of(image_.begin(), image_.end(),
                    [](const auto& image) { return image == PositionGrid::Image{}; })) {
        let_go(image_);
    }
}

Vec3 AtomTracker::canonical(std::size_t atom) const
{
    return to_nm(grid_.moved(given_[atom], image_of(atom)));
}

std::vector<Vec3> AtomTracker::positions(int threads) const
{
    std::vector<Vec3> out(given_.size());
    for_each_atom(std::ssize(given_), threads, [&](std::size_t a) { out[a] = canonical(a); });
    return out;
}

AtomTracker::Now AtomTracker::at(const Box& box) const
{
    Now now{PositionGrid(box), identity3(), true, std::numeric_limits<double>::infinity()};
    const Box& cell = now.grid.box();
    if (cell.is_periodic()) {
        const double safe = 0.25 * cell.shortest_height();
        now.safe2 = safe * safe;
    }
    if (grid_.box().is_periodic() && !(grid_.box() == cell)) {
        now.change = change_of_cell(grid_.box(), cell);
        now.is_same_cell = false;
    }
    return now;
}

/// 1 - |A - 1|
double AtomTracker::Now::smallest_stretch() const
{
    const Mat3 unit = identity3();
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        sum += norm2(change[k] - unit[k]);
    }
    return 1.0 - std::sqrt(sum);
}

PositionGrid::Image AtomTracker::image_slowly(const Now& now, const Vec3& position,
                                              std::size_t atom) const
{
    const PositionGrid& grid = now.grid;
    PositionGrid::Image image = image_of(atom);
    const GridPosition x = grid.moved(position, image); // throws where it is not finite
    if (!grid.box().is_periodic()) {
        return image;
    }
    const Vec3 u = to_nm(x) - now.moved(canonical(atom));
    if (!(norm2(u) < now.safe2)) {
        const Vec3 cells = grid.box().to_fraction(u - grid.box().shortest(u));
        image[0] += static_cast<std::int32_t>(std::lrint(cells.x));
        image[1] += static_cast<std::int32_t>(std::lrint(cells.y));
        image[2] += static_cast<std::int32_t>(std::lrint(cells.z));
    }
    return image;
}

bool AtomTracker::has_gone(const Now& now, std::span<const Vec3> positions, double limit,
                           int threads) const
{
    const double limit2 = limit * limit;
    // positions as given are off the grid by less than this; what fails is looked at again
    const double sure2 = std::min(limit2 * (1 - 1e-9), now.safe2) - 1e-20;
    const auto count = static_cast<std::int64_t>(positions.size());
    int doubtful = 0;
#pragma omp parallel for schedule(static) num_threads(std::max(1, threads))                        \
    reduction(|                                                                                    \
              : doubtful) if (count > few_atoms)
    for (std::int64_t k = 0; k < count; ++k) {
        const auto a = static_cast<std::size_t>(k);
        doubtful |= norm2(positions[a] - now.moved(given_[a])) < sure2 ? 0 : 1;
    }
    if (doubtful == 0) {
        return false;
    }
    bool has_gone = false;
    for (std::size_t a = 0; a < positions.size() && !has_gone; ++a) {
        if (!(norm2(positions[a] - now.moved(given_[a])) < sure2)) {
            const PositionGrid::Image image = image_slowly(now, positions[a], a);
            const Vec3 u = to_nm(now.grid.moved(positions[a], image)) - now.moved(canonical(a));
            has_gone = !(norm2(u) <= limit2);
        }
    }
    return has_gone;
}

} // namespace tessera
