#include "engine/plans/slab_plan.hpp"

#include "engine/base/error.hpp"

#include <cmath>
#include <string>

namespace tessera
{

namespace
{

std::size_t at(std::int64_t k)
{
    return static_cast<std::size_t>(k);
}

/// How many cell heights the image of `to` nearest to `from` lies above `to` itself.
int cells_up(const Box& box, const Vec3& from, const Vec3& to)
{
    const Vec3 d = to - from;
    return static_cast<int>(std::lrint((box.shortest(d).z - d.z) / box.vectors()[2].z));
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

/// Largest distance along the third axis between two atoms of a term or an excluded pair.
double largest_extent(const Topology& topology, const Box& box, std::span<const Vec3> canonical)
{
    double largest = 0;
    for_each_tuple(topology, [&](std::span<const std::int32_t> atoms) {
        double low = 0;
        double high = 0;
        for (const std::int32_t a : atoms) {
            const double z = box.shortest(canonical[at(a)] - canonical[at(atoms[0])]).z;
            low = std::min(low, z);
            high = std::max(high, z);
        }
        largest = std::max(largest, high - low);
    });
    return largest;
}

} // namespace

int rank_of_term(const SlabPlan& plan, const Box& box, std::span<const Vec3> canonical,
                 std::span<const std::int32_t> atoms)
{
    const std::size_t first = at(atoms[0]);
    int lowest = plan.slab[first];
    for (const std::int32_t a : atoms) {
        lowest = std::min(lowest, plan.slab[at(a)] + plan.ranks * cells_up(box, canonical[first],
                                                                           canonical[at(a)]));
    }
    return plan.wrapped(lowest);
}

SlabPlan make_slab_plan(const Topology& topology, const RaggedList& groups, const Box& box,
                        std::span<const Vec3> canonical, double cutoff, int ranks)
{
    if (!box.is_periodic() || !std::isfinite(cutoff)) {
        throw InputError(
            "several ranks need a periodic cell and a finite cut-off to share the work "
            "(pairs without a cut-off join every atom with every other). Use one rank, "
            "or give a cell and a cut-off.");
    }
    SlabPlan plan;
    plan.ranks = ranks;
    plan.height = box.vectors()[2].z;
    plan.owner.resize(canonical.size());
    plan.slab.resize(canonical.size());
    plan.known.resize(at(ranks));

    double radius = 0; // of a group along the third axis
    for (std::size_t g = 0; g < groups.rows(); ++g) {
        const Vec3& key = canonical[at(key_of(topology, groups, g))];
        const int slab =
            std::min(ranks - 1, static_cast<int>(std::floor(key.z / plan.height * ranks)));
        for (const std::int32_t* a = groups.begin(g); a != groups.end(g); ++a) {
            plan.owner[at(*a)] = slab;
            plan.slab[at(*a)] = slab - ranks * cells_up(box, key, canonical[at(*a)]);
            radius = std::max(radius, std::fabs(box.shortest(canonical[at(*a)] - key).z));
        }
    }
    plan.reach = std::max(cutoff, largest_extent(topology, box, canonical)) + 2 * radius + 1e-9;

    for (std::size_t g = 0; g < groups.rows(); ++g) { // whole groups travel
        const double z = canonical[at(key_of(topology, groups, g))].z;
        const std::int32_t owner = plan.owner[at(*groups.begin(g))];
        for (int rank = 0; rank < ranks; ++rank) {
            const double top = plan.height * (rank + 1) / ranks;
            const double above = z + (owner > rank ? 0.0 : plan.height) - top;
            if (owner == rank || above < plan.reach) {
                plan.known[at(rank)].insert(plan.known[at(rank)].end(), groups.begin(g),
                                            groups.end(g));
            }
        }
    }
    for (std::vector<std::int32_t>& atoms : plan.known) {
        std::sort(atoms.begin(), atoms.end());
    }
    return plan;
}

LocalTopology make_local_topology(const Topology& whole, const SlabPlan& plan, const Box& box,
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
    for (std::size_t n = 0; n < local.global.size(); ++n) {
        const std::size_t a = at(local.global[n]);
        local_of[a] = static_cast<std::int32_t>(n);
        local.owned.push_back(plan.owner[a] == rank ? 1 : 0);
        t.mass.push_back(whole.mass[a]);
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
