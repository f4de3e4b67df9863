#include "engine/plans/domain_plan.hpp"

#include "engine/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace tessera
{

namespace
{

std::size_t at(std::int64_t k)
{
    return static_cast<std::size_t>(k);
}

/// The volume around a box of these edges that lies within `reach` above it, less its own.
double imported_volume(const Vec3& edge, const std::array<int, 3>& count, double reach)
{
    double all = 1, own = 1;
    for (int d = 0; d < 3; ++d) {
        own *= edge[d];
        all *= edge[d] + (count[at(d)] > 1 ? reach : 0.0);
    }
    return all - own;
}

/// How many domains below its own, along one cell vector, know of an atom at the fraction s.
int domains_below(const std::vector<double>& bound, int own, double s, double reach)
{
    const int count = static_cast<int>(bound.size()) - 1;
    int below = 0;
    while (below + 1 < count) {
        const int domain = own - (below + 1);
        const double top = domain >= 0 ? bound[at(domain + 1)] : bound[at(domain + 1 + count)] - 1;
        if (s - top >= reach) {
            break;
        }
        ++below;
    }
    return below;
}

int domain_at(const std::vector<double>& bound, double s)
{
    const auto above = std::upper_bound(bound.begin() + 1, bound.end() - 1, s);
    return static_cast<int>(above - bound.begin()) - 1;
}

} // namespace

DomainGrid::DomainGrid(const std::array<int, 3>& counts) : count(counts)
{
    for (std::size_t d = 0; d < 3; ++d) {
        bound[d].clear();
        for (int k = 0; k <= count[d]; ++k) {
            bound[d].push_back(static_cast<double>(k) / count[d]);
        }
    }
}

DomainGrid choose_domain_grid(const Box& box, double reach, int ranks)
{
    if (!box.is_periodic()) {
        throw InputError("several ranks need a periodic cell to share the work. Use one rank, or "
                         "give a cell.");
    }
    std::array<int, 3> best{ranks, 1, 1}; // where no volume is finite
    double least = std::numeric_limits<double>::infinity();
    for (int x = ranks; x >= 1; --x) {
        for (int y = ranks / x; ranks % x == 0 && y >= 1; --y) {
            if (ranks / x % y != 0) {
                continue;
            }
            const std::array<int, 3> count{x, y, ranks / x / y};
            const Vec3 h = box.heights();
            const double volume =
                imported_volume({h.x / count[0], h.y / count[1], h.z / count[2]}, count, reach);
            if (volume < least * (1 - 1e-9)) {
                least = volume;
                best = count;
            }
        }
    }
    return DomainGrid(best);
}

namespace
{

/// Boundaries of layers with equal shares of what the present ones hold.
std::vector<double> equal_shares(const std::vector<double>& bound, const std::vector<double>& work)
{
    const double all = std::accumulate(work.begin(), work.end(), 0.0);
    std::vector<double> out = bound;
    double below = 0; // of the work, up to bound[layer]
    std::size_t layer = 0;
    for (std::size_t k = 1; k + 1 < bound.size(); ++k) {
        const double wanted = all * static_cast<double>(k) / static_cast<double>(work.size());
        while (layer + 1 < work.size() && below + work[layer] < wanted) {
            below += work[layer++];
        }
        const double part = work[layer] > 0 ? (wanted - below) / work[layer] : 0.5;
        out[k] = bound[layer] + std::clamp(part, 0.0, 1.0) * (bound[layer + 1] - bound[layer]);
    }
    return out;
}

} // namespace

DomainGrid balanced(const DomainGrid& grid, std::span<const double> work)
{
    constexpr double tolerance = 1.05, damping = 0.5;
    DomainGrid out = grid;
    for (std::size_t d = 0; d < 3; ++d) {
        std::vector<double> layer(at(grid.count[d]));
        for (int rank = 0; rank < grid.ranks(); ++rank) {
            layer[at(grid.domain_of(rank)[d])] += work[at(rank)];
        }
        const double mean = std::accumulate(layer.begin(), layer.end(), 0.0) / grid.count[d];
        if (!(*std::max_element(layer.begin(), layer.end()) > tolerance * mean)) {
            continue;
        }
        const std::vector<double> wanted = equal_shares(grid.bound[d], layer);
        const double least = 1.0 / (3.0 * grid.count[d]);
        std::vector<double>& bound = out.bound[d];
        for (std::size_t k = 1; k + 1 < bound.size(); ++k) {
            bound[k] += damping * (wanted[k] - bound[k]);
            bound[k] = std::max(bound[k], bound[k - 1] + least);
        }
        for (std::size_t k = bound.size() - 2; k >= 1; --k) {
            bound[k] = std::min(bound[k], bound[k + 1] - least);
        }
    }
    return out;
}

std::array<int, 3> cells_beyond(const Box& box, const Vec3& from, const Vec3& to)
{
    const Vec3 d = to - from;
    const Vec3 nearest = box.shortest(d);
    if (nearest == d) {
        return {};
    }
    const Vec3 k = box.to_fraction(nearest - d);
    return {static_cast<int>(std::lrint(k.x)), static_cast<int>(std::lrint(k.y)),
            static_cast<int>(std::lrint(k.z))};
}

DomainCut make_domain_cut(const Box& box, double pairs, const Extents& extents, DomainGrid grid)
{
    if (!box.is_periodic() || !std::isfinite(pairs)) {
        throw InputError(
            "several ranks need a periodic cell and a finite cut-off to share the work "
            "(pairs without a cut-off join every atom with every other). Use one rank, "
            "or give a cell and a cut-off.");
    }
    DomainCut cut{std::move(grid), box, {}};
    for (std::size_t d = 0; d < 3; ++d) {
        cut.reach[d] = std::max(pairs, extents.terms[d]) + 2 * extents.groups[d] + 1e-9;
    }
    return cut;
}

DomainCut::Home DomainCut::home_of(const Vec3& key) const
{
    Home home{{}, {}, box.to_fraction(key)};
    for (int d = 0; d < 3; ++d) {
        const double whole = std::floor(home.fraction[d]);
        home.fraction[d] -= whole;
        home.image[at(d)] = static_cast<int>(whole);
        home.domain[at(d)] = domain_at(grid.bound[at(d)], home.fraction[d]);
    }
    return home;
}

std::vector<int> DomainCut::readers_of(const Home& home) const
{
    std::array<int, 3> below{};
    for (int d = 0; d < 3; ++d) {
        below[at(d)] = domains_below(grid.bound[at(d)], home.domain[at(d)], home.fraction[d],
                                     reach[at(d)] / box.heights()[d]);
    }
    std::vector<int> readers;
    for (int x = 0; x <= below[0]; ++x) {
        for (int y = 0; y <= below[1]; ++y) {
            for (int z = 0; z <= below[2]; ++z) {
                readers.push_back(
                    grid.rank_of({home.domain[0] - x, home.domain[1] - y, home.domain[2] - z}));
            }
        }
    }
    return readers;
}

std::array<int, 3> DomainCut::domain_of(const Home& home, const Vec3& key, const Vec3& atom) const
{
    const std::array<int, 3> beyond = cells_beyond(box, key, atom);
    std::array<int, 3> domain{};
    for (std::size_t d = 0; d < 3; ++d) {
        domain[d] = home.domain[d] + grid.count[d] * (home.image[d] - beyond[d]);
    }
    return domain;
}

} // namespace tessera
