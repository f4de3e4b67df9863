#include "engine/app/close_pairs.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tessera
{

namespace
{

constexpr std::size_t enough_pairs = 1000000;

/// A grid of cells over the box, or over all atoms in open space; keys of its cells fit 64 bits.
class CellGrid {
public:
    CellGrid(const Box& box, const std::vector<Vec3>& positions, double edge)
        : box_(box), edge_(edge)
    {
        if (box.is_periodic()) {
            for (int k = 0; k < 3; ++k) {
                cells_[k] = std::clamp<std::int64_t>(
                    static_cast<std::int64_t>(box.heights()[k] / edge), 1, most_cells);
            }
        } else {
            for (const Vec3& x : positions) {
                for (int k = 0; k < 3; ++k) {
                    low_[k] = std::min(low_[k], x[k]);
                }
            }
        }
    }

    [[nodiscard]] std::int64_t key(const Vec3& x) const
    {
        const Vec3 place = box_.is_periodic() ? box_.to_fraction(x) : x - low_;
        std::array<std::int64_t, 3> c{};
        for (int k = 0; k < 3; ++k) {
            const double along = box_.is_periodic() ? (place[k] - std::floor(place[k])) *
                                                          static_cast<double>(cells_[k])
                                                    : place[k] / edge_;
            c[k] = std::min(static_cast<std::int64_t>(along), cells_[k] - 1);
        }
        return joined(c);
    }

    /// The cell and those that touch it, each once.
    [[nodiscard]] std::vector<std::int64_t> around(std::int64_t key) const
    {
        const std::array<std::int64_t, 3> c = {key % most_cells, key / most_cells % most_cells,
                                               key / most_cells / most_cells};
        std::vector<std::int64_t> keys;
        for (int n = 0; n < 27; ++n) {
            std::array<std::int64_t, 3> at = {c[0] + n % 3 - 1, c[1] + n / 3 % 3 - 1,
                                              c[2] + n / 9 - 1};
            bool inside = true;
            for (int k = 0; k < 3; ++k) {
                if (box_.is_periodic()) {
                    at[k] = (at[k] + cells_[k]) % cells_[k];
                }
                inside = inside && at[k] >= 0 && at[k] < most_cells;
            }
            if (inside) {
                keys.push_back(joined(at));
            }
        }
        std::sort(keys.begin(), keys.end());
        keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
        return keys;
    }

private:
    static constexpr std::int64_t most_cells = std::int64_t{1} << 20;

    static std::int64_t joined(const std::array<std::int64_t, 3>& c)
    {
        return (c[2] * most_cells + c[1]) * most_cells + c[0];
    }

    const Box& box_;
    double edge_;
    Vec3 low_{};
    std::array<std::int64_t, 3> cells_ = {most_cells, most_cells, most_cells};
};

using KeyedAtom = std::pair<std::int64_t, std::int32_t>;

std::vector<KeyedAtom> atoms_by_cell(const Topology& topology, const CellGrid& grid,
                                     const std::vector<Vec3>& positions)
{
    std::vector<KeyedAtom> out;
    for (std::int32_t a = 0; a < topology.atoms(); ++a) {
        const auto k = static_cast<std::size_t>(a);
        if (topology.kind[k] == ParticleKind::atom) {
            out.emplace_back(grid.key(positions[k]), a);
        }
    }
    std::sort(out.begin(), out.end());
    return out;
}

} // namespace

std::vector<ClosePair> close_pairs(const Topology& topology, const Box& box,
                                   const std::vector<Vec3>& positions, double limit,
                                   std::size_t most)
{
    const CellGrid grid(box, positions, 4 * limit); // in a liquid about an atom a cell
    const std::vector<KeyedAtom> atoms = atoms_by_cell(topology, grid, positions);
    std::vector<ClosePair> found;
    const auto compare = [&](std::int32_t a, std::int32_t b) {
        const auto [i, j] = std::minmax(a, b);
        const auto row = static_cast<std::size_t>(i);
        const double r =
            norm(box.shortest(positions[row] - positions[static_cast<std::size_t>(j)]));
        if (r < limit &&
            !std::binary_search(topology.exclusions.begin(row), topology.exclusions.end(row), j)) {
            found.push_back({i, j, r});
        }
    };
    const auto first_of = [&](std::int64_t key) {
        return std::lower_bound(atoms.begin(), atoms.end(), KeyedAtom{key, -1});
    };
    for (auto begin = atoms.begin(); begin != atoms.end() && found.size() < enough_pairs;) {
        const std::int64_t own = begin->first;
        const auto end =
            std::find_if(begin, atoms.end(), [own](const KeyedAtom& a) { return a.first != own; });
        for (const std::int64_t key : grid.around(own)) {
            for (auto other = key < own ? atoms.end() : first_of(key);
                 other != atoms.end() && other->first == key; ++other) {
                const auto stop = key == own ? other : end;
                for (auto a = begin; a != stop && found.size() < enough_pairs; ++a) {
                    compare(a->second, other->second);
                }
            }
        }
        begin = end;
    }
    std::sort(found.begin(), found.end(), [](const ClosePair& a, const ClosePair& b) {
        return a.distance != b.distance ? a.distance < b.distance : a.i < b.i;
    });
    found.resize(std::min(found.size(), most));
    return found;
}

} // namespace tessera
