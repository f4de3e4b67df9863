#include "engine/plans/domain_plan.hpp"

#include "engine/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace tessera
{

namespace
{

std::size_t at(std::int64_t k)
{
    return static_cast<std::size_t>(k);
}

/// How many cell vectors the image of `to` nearest to `from` lies beyond `to` itself.
std::array<int, 3> cells_beyond(const Box& box, const Vec3& from, const Vec3& to)
{
    const Vec3 d = to - from;
    const Vec3 k = box.to_fraction(box.shortest(d) - d);
    return {static_cast<int>(std::lrint(k.x)), static_cast<int>(std::lrint(k.y)),
            static_cast<int>(std::lrint(k.z))};
}

/// Distances along the heights of the cell, nm.
Vec3 along_heights(const Box& box, const Vec3& d)
{
    const Vec3 s = box.to_fraction(d);
    const Vec3 h = box.heights();
    return {std::fabs(s.x) * h.x, std::fabs(s.y) * h.y, std::fabs(s.z) * h.z};
}

/// Atoms whose kind is not a site can be trusted to have given positions: the first such names the
/// group.
std::int32_t key_of(const Topology& topology, const RaggedList& groups, std::size_t group)
{
    for (const std::int32_t* a = groups.begin(group); a != groups.end(group); ++a) {
        if (topology.kind[at(*a)] != ParticleKind::virtual_site) {
            return *a;
        }
    }
    return *groups.begin(group);
}

template <class Visit>
void for_each_tuple(const Topology& topology, const Visit& visit)
{
    ListedTerms::for_each([&]<class Term>() {
        for (const auto& entry : topology.table<Term>().entries) {
            visit(std::span<const std::int32_t>(entry.atom));
        }
    });
    for (std::size_t i = 0; i < topology.exclusions.rows(); ++i) {
        for (const std::int32_t* j = topology.exclusions.begin(i); j != topology.exclusions.end(i);
             ++j) {
            const std::int32_t pair[2] = {static_cast<std::int32_t>(i), *j};
            if (pair[0] < pair[1]) {
                visit(std::span<const std::int32_t>(pair));
            }
        }
    }
}

/// Largest distances along the heights between two atoms of a term or an excluded pair, nm.
std::array<double, 3> largest_extents(const Topology& topology, const Box& box,
                                      std::span<const Vec3> canonical)
{
    std::array<double, 3> largest{};
    for_each_tuple(topology, [&](std::span<const std::int32_t> atoms) {
        Vec3 low, high;
        for (const std::int32_t a : atoms) {
            const Vec3 s =
                box.to_fraction(box.shortest(canonical[at(a)] - canonical[at(atoms[0])]));
            for (int d = 0; d < 3; ++d) {
                low[d] = std::min(low[d], s[d]);
                high[d] = std::max(high[d], s[d]);
            }
        }
        for (int d = 0; d < 3; ++d) {
            largest[at(d)] = std::max(largest[at(d)], (high[d] - low[d]) * box.heights()[d]);
        }
    });
    return largest;
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

/// The fractions in [0, 1) of the cell vectors, and the vectors that were taken away.
struct InCell {
    Vec3 fraction;
    std::array<int, 3> image;
};
InCell in_cell(const Box& box, const Vec3& x)
{
    InCell out{box.to_fraction(x), {}};
    for (int d = 0; d < 3; ++d) {
        const double whole = std::floor(out.fraction[d]);
        out.fraction[d] -= whole;
        out.image[at(d)] = static_cast<int>(whole);
    }
    return out;
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
    std::array<int, 3> best{1, 1, ranks};
    double least = std::numeric_limits<double>::infinity();
    for (int x = 1; x <= ranks; ++x) {
        for (int y = 1; ranks % x == 0 && y <= ranks / x; ++y) {
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

int rank_of_term(const DomainPlan& plan, const Box& box, std::span<const Vec3> canonical,
                 std::span<const std::int32_t> atoms)
{
    const std::size_t first = at(atoms[0]);
    std::array<int, 3> lowest{};
    for (std::size_t d = 0; d < 3; ++d) {
        lowest[d] = plan.domain[first][d];
    }
    for (const std::int32_t a : atoms.subspan(1)) {
        const std::array<int, 3> beyond = cells_beyond(box, canonical[first], canonical[at(a)]);
        for (std::size_t d = 0; d < 3; ++d) {
            lowest[d] = std::min(lowest[d], plan.domain[at(a)][d] + plan.grid.count[d] * beyond[d]);
        }
    }
    return plan.grid.rank_of(lowest);
}

DomainPlan make_domain_plan(const Topology& topology, const RaggedList& groups, const Box& box,
                            std::span<const Vec3> canonical, double cutoff, DomainGrid grid)
{
    if (!box.is_periodic() || !std::isfinite(cutoff)) {
        throw InputError(
            "several ranks need a periodic cell and a finite cut-off to share the work "
            "(pairs without a cut-off join every atom with every other). Use one rank, "
            "or give a cell and a cut-off.");
    }
    DomainPlan plan;
    plan.grid = std::move(grid);
    plan.owner.resize(canonical.size());
    plan.domain.resize(canonical.size());
    plan.known.resize(at(plan.grid.ranks()));

    Vec3 radius; // of a group, along the heights
    std::vector<Vec3> fraction(groups.rows());
    std::vector<std::array<int, 3>> home(groups.rows());
    for (std::size_t g = 0; g < groups.rows(); ++g) {
        const Vec3& key = canonical[at(key_of(topology, groups, g))];
        const InCell inside = in_cell(box, key);
        fraction[g] = inside.fraction;
        for (int d = 0; d < 3; ++d) {
            home[g][at(d)] = domain_at(plan.grid.bound[at(d)], inside.fraction[d]);
        }
        const int owner = plan.grid.rank_of(home[g]);
        for (const std::int32_t* a = groups.begin(g); a != groups.end(g); ++a) {
            const Vec3& x = canonical[at(*a)];
            const std::array<int, 3> beyond = cells_beyond(box, key, x);
            const Vec3 off = along_heights(box, box.shortest(x - key));
            plan.owner[at(*a)] = owner;
            for (std::size_t d = 0; d < 3; ++d) {
                plan.domain[at(*a)][d] = static_cast<std::int16_t>(
                    home[g][d] + plan.grid.count[d] * (inside.image[d] - beyond[d]));
                radius[static_cast<int>(d)] =
                    std::max(radius[static_cast<int>(d)], off[static_cast<int>(d)]);
            }
        }
    }
    const std::array<double, 3> extents = largest_extents(topology, box, canonical);
    for (int d = 0; d < 3; ++d) {
        plan.reach[at(d)] = std::max(cutoff, extents[at(d)]) + 2 * radius[d] + 1e-9;
    }

    for (std::size_t g = 0; g < groups.rows(); ++g) { // whole groups travel
        std::array<int, 3> below{};
        for (int d = 0; d < 3; ++d) {
            below[at(d)] = domains_below(plan.grid.bound[at(d)], home[g][at(d)], fraction[g][d],
                                         plan.reach[at(d)] / box.heights()[d]);
        }
        for (int x = 0; x <= below[0]; ++x) {
            for (int y = 0; y <= below[1]; ++y) {
                for (int z = 0; z <= below[2]; ++z) {
                    auto& atoms = plan.known[at(
                        plan.grid.rank_of({home[g][0] - x, home[g][1] - y, home[g][2] - z}))];
                    atoms.insert(atoms.end(), groups.begin(g), groups.end(g));
                }
            }
        }
    }
    for (std::vector<std::int32_t>& atoms : plan.known) {
        std::sort(atoms.begin(), atoms.end());
    }
    return plan;
}

LocalTopology make_local_topology(const Topology& whole, const DomainPlan& plan, const Box& box,
                                  std::span<const Vec3> canonical, int rank)
{
    LocalTopology local;
    local.global = plan.known[at(rank)];
    std::vector<std::int32_t> local_of(whole.mass.size(), -1);
    Topology& t = local.topology;
    t.title = whole.title;
    t.residues = whole.residues;
    t.pairs = whole.pairs;
    t.coulomb_constant = whole.coulomb_constant;
    t.combination_rule = whole.combination_rule;
    local.pairs.count = plan.grid.count;
    const std::array<int, 3> own = plan.grid.domain_of(rank);
    for (std::size_t n = 0; n < local.global.size(); ++n) {
        const std::size_t a = at(local.global[n]);
        DomainPlan::Domain above = plan.domain[a];
        for (std::size_t d = 0; d < 3; ++d) {
            above[d] = static_cast<std::int16_t>(above[d] - own[d]);
        }
        local.pairs.add(above);
        local_of[a] = static_cast<std::int32_t>(n);
        local.owned.push_back(plan.owner[a] == rank ? 1 : 0);
        t.number.push_back(local.global[n]);
        t.mass.push_back(plan.owner[a] == rank ? whole.mass[a] : 0.0);
        t.charge.push_back(whole.charge[a]);
        t.type.push_back(whole.type[a]);
        t.atom_name.push_back(whole.atom_name[a]);
        t.residue.push_back(whole.residue[a]);
        t.atomic_number.push_back(whole.atomic_number[a]);
        t.kind.push_back(whole.kind[a]);
        t.is_hydrogen.push_back(whole.is_hydrogen[a]);
    }
    const auto known = [&](std::int32_t atom) {
        const std::int32_t n = local_of[at(atom)];
        if (n < 0) {
            throw ContractViolation("rank " + std::to_string(rank) + " computes a term of atom " +
                                    std::to_string(atom + 1) + ", which it does not know");
        }
        return n;
    };

    ListedTerms::for_each([&]<class Term>() {
        auto& table = t.table<Term>();
        table.parameters = whole.table<Term>().parameters;
        for (auto entry : whole.table<Term>().entries) {
            if (rank_of_term(plan, box, canonical, entry.atom) == rank) {
                for (std::int32_t& atom : entry.atom) {
                    atom = known(atom);
                }
                table.entries.push_back(entry);
            }
        }
    });
    for (VirtualSite site : whole.virtual_sites) {
        if (plan.owner[at(site.site)] == rank) {
            site.site = known(site.site);
            for (std::int32_t& parent : site.parents) {
                parent = known(parent);
            }
            t.virtual_sites.push_back(site);
        }
    }
    for (const DistanceConstraint& c : whole.constraints) {
        if (plan.owner[at(c.i)] == rank) {
            t.constraints.push_back({known(c.i), known(c.j), c.length});
        }
    }
    for (const RigidWater& w : whole.rigid_waters) {
        if (plan.owner[at(w.o)] == rank) {
            t.rigid_waters.push_back({known(w.o), known(w.h1), known(w.h2), w.d_oh, w.d_hh});
        }
    }
    std::vector<std::int32_t> row;
    std::vector<std::int32_t> corrected;
    for (const std::int32_t a : local.global) {
        row.clear();
        corrected.clear();
        for (const std::int32_t* b = whole.exclusions.begin(at(a));
             b != whole.exclusions.end(at(a)); ++b) {
            if (local_of[at(*b)] >= 0) {
                row.push_back(local_of[at(*b)]);
            }
            const std::int32_t pair[2] = {a, *b};
            if (a < *b && rank_of_term(plan, box, canonical, pair) == rank) {
                corrected.push_back(known(*b));
            }
        }
        t.exclusions.add_row(row);
        local.corrected.add_row(corrected);
    }
    return local;
}

} // namespace tessera
