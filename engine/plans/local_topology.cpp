#include "engine/plans/local_topology.hpp"

#include "engine/plans/constraint_plan.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tessera
{

namespace
{

std::size_t at(std::int64_t k)
{
    return static_cast<std::size_t>(k);
}

/// Numbers of the items by first_of(item); empty where there are none.
template <class Items, class FirstOf>
RaggedList by_first_atom(std::size_t atoms, const Items& items, const FirstOf& first_of)
{
    RaggedList out;
    if (items.empty()) {
        return out;
    }
    out.offset.assign(atoms + 1, 0);
    for (const auto& item : items) {
        ++out.offset[at(first_of(item)) + 1];
    }
    for (std::size_t a = 0; a < atoms; ++a) {
        out.offset[a + 1] += out.offset[a];
    }
    out.value.resize(items.size());
    std::vector<std::int64_t> next(out.offset.begin(), out.offset.end() - 1);
    for (std::size_t k = 0; k < items.size(); ++k) {
        out.value[at(next[at(first_of(items[k]))]++)] = static_cast<std::int32_t>(k);
    }
    return out;
}

/// Visits the numbers in a row; a list without rows has none.
template <class Visit>
void for_each_in(const RaggedList& list, std::int32_t row, const Visit& visit)
{
    if (list.rows() > 0) {
        std::for_each(list.begin(at(row)), list.end(at(row)), visit);
    }
}

/// Of an atom of the whole in a topology or a rank's part of it; -1: it is not there.
std::int32_t row_of(const Topology& topology, std::int32_t atom, std::size_t near)
{
    const std::vector<std::int32_t>& all = topology.number;
    if (all.empty()) {
        return atom;
    }
    if (near < all.size()) { // neighbours in the whole are neighbours here, as a rule
        const std::int64_t guess = static_cast<std::int64_t>(near) + (atom - all[near]);
        if (guess >= 0 && guess < std::ssize(all) && all[at(guess)] == atom) {
            return static_cast<std::int32_t>(guess);
        }
    }
    const auto found = std::lower_bound(all.begin(), all.end(), atom);
    return found != all.end() && *found == atom ? static_cast<std::int32_t>(found - all.begin())
                                                : -1;
}

void copy_atoms(const Topology& whole, std::span<const std::int32_t> atoms, Topology& to)
{
    const auto reserve = [&](auto&... lists) { (lists.reserve(atoms.size()), ...); };
    reserve(to.charge, to.type, to.residue, to.atomic_number, to.kind, to.is_hydrogen);
    for (const std::int32_t atom : atoms) {
        const std::size_t a = at(atom);
        to.charge.push_back(whole.charge[a]);
        to.type.push_back(whole.type[a]);
        to.atom_name.push_back(whole.atom_name[a]);
        to.residue.push_back(whole.residue[a]);
        to.atomic_number.push_back(whole.atomic_number[a]);
        to.kind.push_back(whole.kind[a]);
        to.is_hydrogen.push_back(whole.is_hydrogen[a]);
    }
}

/// Makes one rank's part.
class Builder {
public:
    Builder(const Topology& whole, const TopologyIndex& index, const DomainCut& cut,
            std::span<const Vec3> canonical, int rank, LocalTopology& out)
        : whole_(whole), index_(index), cut_(cut), canonical_(canonical), rank_(rank), out_(out)
    {
    }

    void find_domains()
    {
        const std::array<int, 3> own = cut_.grid.domain_of(rank_);
        out_.owner.count = cut_.grid.count;
        std::int32_t group = -1;
        Vec3 key;
        DomainCut::Home home{};
        for (std::size_t n = 0; n < atoms(); ++n) {
            if (const std::int32_t g = index_.group[at(global(n))]; g != group) {
                group = g;
                key = canonical_[at(out_.local_of(index_.key[at(g)], n))];
                home = cut_.home_of(key);
            }
            std::array<int, 3> above = cut_.domain_of(home, key, canonical_[n]);
            for (std::size_t d = 0; d < 3; ++d) {
                above[d] -= own[d];
            }
            out_.owner.add(above);
            out_.topology.mass.push_back(out_.is_own(n) ? whole_.mass[at(global(n))] : 0.0);
        }
    }

    void take_terms()
    {
        std::size_t kind = 0;
        ListedTerms::for_each([&]<class Term>() {
            const auto& from = whole_.table<Term>();
            auto& to = out_.topology.table<Term>();
            const RaggedList& list = index_.terms[kind++];
            to.parameters = from.parameters;
            for (std::size_t n = 0; n < atoms(); ++n) {
                for_each_in(list, global(n), [&](std::int32_t k) {
                    auto entry = from.entries[at(k)];
                    if (make_local(entry.atom, n) && owns(entry.atom)) {
                        to.entries.push_back(entry);
                    }
                });
            }
        });
    }

    void take_constraints_and_sites()
    {
        Topology& t = out_.topology;
        std::vector<std::int32_t> constraints, sites;
        for (std::size_t n = 0; n < atoms(); ++n) {
            if (!out_.is_own(n)) {
                continue;
            }
            for_each_in(index_.constraints, global(n),
                        [&](std::int32_t k) { constraints.push_back(k); });
            for_each_in(index_.rigid_waters, global(n), [&](std::int32_t k) {
                const RigidWater& w = whole_.rigid_waters[at(k)];
                t.rigid_waters.push_back(
                    {known(w.o, n), known(w.h1, n), known(w.h2, n), w.d_oh, w.d_hh});
            });
            for_each_in(index_.virtual_sites, global(n),
                        [&](std::int32_t k) { sites.push_back(k); });
        }
        std::sort(constraints.begin(), constraints.end()); // they are solved in this order
        for (const std::int32_t k : constraints) {
            const DistanceConstraint& c = whole_.constraints[at(k)];
            t.constraints.push_back({known(c.i), known(c.j), c.length});
        }
        std::sort(sites.begin(), sites.end()); // sites of sites come later
        for (const std::int32_t k : sites) {
            VirtualSite site = whole_.virtual_sites[at(k)];
            site.site = known(site.site);
            for (std::int32_t& parent : site.parents) {
                parent = known(parent, at(site.site));
            }
            t.virtual_sites.push_back(std::move(site));
        }
    }

    void take_exclusions()
    {
        std::vector<std::int32_t> row, corrected;
        for (std::size_t n = 0; n < atoms(); ++n) {
            row.clear();
            corrected.clear();
            for_each_in(whole_.exclusions, global(n), [&](std::int32_t b) {
                const std::int32_t m = known(b, n);
                if (m < 0) {
                    return;
                }
                row.push_back(m);
                const std::array<std::int32_t, 2> pair{static_cast<std::int32_t>(n), m};
                if (pair[0] < pair[1] && owns(pair)) {
                    corrected.push_back(m);
                }
            });
            out_.topology.exclusions.add_row(row);
            out_.corrected.add_row(corrected);
        }
    }

private:
    [[nodiscard]] std::size_t atoms() const { return out_.global().size(); }
    [[nodiscard]] std::int32_t global(std::size_t n) const { return out_.global()[n]; }
    [[nodiscard]] std::int32_t known(std::int32_t atom, std::size_t near = 0) const
    {
        return out_.local_of(atom, near);
    }

    /// False: the rank does not know them all, so another computes the term.
    template <class Atoms>
    [[nodiscard]] bool make_local(Atoms& atoms, std::size_t near) const
    {
        for (std::int32_t& atom : atoms) {
            atom = known(atom, near);
        }
        return std::all_of(std::begin(atoms), std::end(atoms),
                           [](std::int32_t atom) { return atom >= 0; });
    }

    /// The lowest domain of atoms, each taken next to the first, is the rank's own.
    [[nodiscard]] bool owns(std::span<const std::int32_t> atoms) const
    {
        std::array<int, 3> lowest{};
        for (const std::int32_t a : atoms) {
            const std::array<int, 3> beyond =
                a == atoms[0] ? std::array<int, 3>{}
                              : cells_beyond(cut_.box, canonical_[at(atoms[0])], canonical_[at(a)]);
            for (std::size_t d = 0; d < 3; ++d) {
                const int domain =
                    out_.owner.atoms[at(a)].above[d] + out_.owner.count[d] * beyond[d];
                lowest[d] = a == atoms[0] ? domain : std::min(lowest[d], domain);
            }
        }
        const std::array<int, 3>& count = out_.owner.count;
        return lowest[0] % count[0] == 0 && lowest[1] % count[1] == 0 && lowest[2] % count[2] == 0;
    }

    const Topology& whole_;
    const TopologyIndex& index_;
    const DomainCut& cut_;
    std::span<const Vec3> canonical_;
    int rank_;
    LocalTopology& out_;
};

} // namespace

TopologyIndex::TopologyIndex(const Topology& topology)
    : groups(*make_constraint_plan(topology).update_groups), group(topology.mass.size())
{
    const std::size_t atoms = topology.mass.size();
    key.reserve(groups.rows());
    for (std::size_t g = 0; g < groups.rows(); ++g) {
        const std::int32_t* first = std::find_if(groups.begin(g), groups.end(g), [&](auto a) {
            return topology.kind[at(a)] != ParticleKind::virtual_site;
        });
        key.push_back(first != groups.end(g) ? *first : *groups.begin(g));
        for (const std::int32_t* a = groups.begin(g); a != groups.end(g); ++a) {
            group[at(*a)] = static_cast<std::int32_t>(g);
        }
    }
    ListedTerms::for_each([&]<class Term>() {
        terms.push_back(by_first_atom(atoms, topology.table<Term>().entries,
                                      [](const auto& entry) { return entry.atom[0]; }));
    });
    constraints = by_first_atom(atoms, topology.constraints, [](const auto& c) { return c.i; });
    rigid_waters = by_first_atom(atoms, topology.rigid_waters, [](const auto& w) { return w.o; });
    virtual_sites =
        by_first_atom(atoms, topology.virtual_sites, [](const auto& s) { return s.site; });
}

std::int32_t LocalTopology::local_of(std::int32_t atom, std::size_t near) const
{
    return row_of(topology, atom, near);
}

LocalTopology make_local_topology(const Topology& whole, const TopologyIndex& index,
                                  const DomainCut& cut, std::vector<std::int32_t> global,
                                  std::span<const Vec3> canonical, int rank)
{
    LocalTopology local;
    Topology& t = local.topology;
    t.title = whole.title;
    t.residues = whole.residues;
    t.pairs = whole.pairs;
    t.coulomb_constant = whole.coulomb_constant;
    t.combination_rule = whole.combination_rule;
    t.number = std::move(global);
    copy_atoms(whole, t.number, t);
    Builder builder(whole, index, cut, canonical, rank, local);
    builder.find_domains();
    builder.take_terms();
    builder.take_constraints_and_sites();
    builder.take_exclusions();
    return local;
}

Extents measure_extents(const Topology& topology, const TopologyIndex& index, const Box& box,
                        std::span<const Vec3> canonical)
{
    Extents out;
    const Vec3 heights = box.heights();
    // what spans less in space than was seen along each height brings nothing new
    const auto is_small = [](double norm2_of_span, const std::array<double, 3>& seen) {
        const double least = std::min({seen[0], seen[1], seen[2]});
        return norm2_of_span <= least * least;
    };
    const auto look_at_pair = [&](const Vec3& d, std::array<double, 3>& seen) {
        if (is_small(norm2(d), seen)) {
            return;
        }
        const Vec3 s = box.to_fraction(d);
        for (int k = 0; k < 3; ++k) {
            seen[at(k)] = std::max(seen[at(k)], std::fabs(s[k]) * heights[k]);
        }
    };
    const auto side = [&](std::size_t from, std::size_t to) {
        return box.shortest(canonical[to] - canonical[from]);
    };
    const auto look = [&](std::span<const std::int32_t> atoms) {
        Vec3 low, high;
        double farthest2 = 0;
        for (const std::int32_t a : atoms.subspan(1)) {
            farthest2 = std::max(farthest2, norm2(side(at(atoms[0]), at(a))));
        }
        if (is_small(4 * farthest2, out.terms)) {
            return;
        }
        for (const std::int32_t a : atoms.subspan(1)) {
            const Vec3 s = box.to_fraction(side(at(atoms[0]), at(a)));
            for (int d = 0; d < 3; ++d) {
                low[d] = std::min(low[d], s[d]);
                high[d] = std::max(high[d], s[d]);
            }
        }
        for (int d = 0; d < 3; ++d) {
            out.terms[at(d)] = std::max(out.terms[at(d)], (high[d] - low[d]) * heights[d]);
        }
    };
    ListedTerms::for_each([&]<class Term>() {
        for (const auto& entry : topology.table<Term>().entries) {
            look(entry.atom);
        }
    });
    const auto rows = static_cast<std::int32_t>(topology.exclusions.rows());
    for (std::int32_t i = 0; i < rows; ++i) {
        for_each_in(topology.exclusions, i, [&](std::int32_t j) {
            if (i < j) {
                look_at_pair(side(at(i), at(j)), out.terms);
            }
        });
    }
    std::int32_t group = -1;
    std::size_t key = 0;
    for (std::size_t n = 0; n < canonical.size(); ++n) {
        const std::int32_t atom = number_of(topology, n);
        if (const std::int32_t g = index.group[at(atom)]; g != group) {
            group = g;
            key = at(row_of(topology, index.key[at(g)], n));
        }
        look_at_pair(side(key, n), out.groups);
    }
    return out;
}

Extents larger(const Extents& a, const Extents& b)
{
    Extents out = a;
    for (std::size_t d = 0; d < 3; ++d) {
        out.terms[d] = std::max(a.terms[d], b.terms[d]);
        out.groups[d] = std::max(a.groups[d], b.groups[d]);
    }
    return out;
}

} // namespace tessera
