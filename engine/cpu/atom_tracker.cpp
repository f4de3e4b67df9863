#include "engine/cpu/atom_tracker.hpp"

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
    const PositionGrid grid(box);
    box_ = grid.box();
    given_.assign(positions.begin(), positions.end());
    image_.resize(positions.size());
    for_each_atom(std::ssize(positions), threads, [&](std::size_t a) {
        static_cast<void>(grid.canonical(positions[a], image_[a]));
    });
}

Vec3 AtomTracker::canonical(std::size_t atom) const
{
    return to_nm(PositionGrid(box_).canonical(given_[atom]));
}

std::vector<Vec3> AtomTracker::positions(int threads) const
{
    const PositionGrid grid(box_);
    std::vector<Vec3> out(given_.size());
    for_each_atom(std::ssize(given_), threads,
                  [&](std::size_t a) { out[a] = to_nm(grid.moved(given_[a], image_[a])); });
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
    if (box_.is_periodic() && !(box_ == cell)) {
        now.change = change_of_cell(box_, cell);
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

GridPosition AtomTracker::tracked_slowly(const Now& now, const Vec3& position, std::size_t atom,
                                         PositionGrid::Image& subtracted) const
{
    const PositionGrid& grid = now.grid;
    subtracted = image_[atom];
    const GridPosition x = grid.moved(position, image_[atom]);
    if (!grid.box().is_periodic()) {
        return x;
    }
    const Vec3 u = to_nm(x) - now.moved(canonical(atom));
    if (norm2(u) < now.safe2) {
        return x;
    }
    const Vec3 cells = grid.box().to_fraction(u - grid.box().shortest(u));
    const std::array<int, 3> whole{static_cast<int>(std::lrint(cells.x)),
                                   static_cast<int>(std::lrint(cells.y)),
                                   static_cast<int>(std::lrint(cells.z))};
    for (std::size_t k = 0; k < 3; ++k) {
        subtracted[k] += whole[k];
    }
    const GridPosition s = grid.shift(whole);
    return {x.x - s.x, x.y - s.y, x.z - s.z};
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
            PositionGrid::Image ignored;
            const Vec3 u =
                to_nm(tracked_slowly(now, positions[a], a, ignored)) - now.moved(canonical(a));
            has_gone = !(norm2(u) <= limit2);
        }
    }
    return has_gone;
}

} // namespace tessera
