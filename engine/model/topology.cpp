#include "engine/model/topology.hpp"

#include "engine/base/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>

namespace tessera
{

namespace
{

/// Disjoint sets of atoms (union by smaller root, path halving).
class Components {
public:
    explicit Components(std::int32_t n) : parent_(static_cast<std::size_t>(n))
    {
        std::iota(parent_.begin(), parent_.end(), 0);
    }
    std::int32_t root(std::int32_t a)
    {
        while (at(a) != a) {
            at(a) = at(at(a));
            a = at(a);
        }
        return a;
    }
    void join(std::int32_t a, std::int32_t b)
    {
        const std::int32_t ra = root(a), rb = root(b);
        at(std::max(ra, rb)) = std::min(ra, rb);
    }

private:
    std::int32_t& at(std::int32_t a) { return parent_[static_cast<std::size_t>(a)]; }
    std::vector<std::int32_t> parent_;
};

std::string atom_text(const Topology& t, std::int32_t a)
{
    const auto k = static_cast<std::size_t>(a);
    const Residue& residue = t.residues[static_cast<std::size_t>(t.residue[k])];
    return fmt::format("atom {} ({} of {} {})", a + 1, t.atom_name[k], residue.name,
                       residue.number);
}

void require_atom(const Topology& t, std::int32_t a, std::string_view where)
{
    if (a < 0 || a >= t.atoms()) {
        throw InputError(
            fmt::format("{} names atom {}, but there are {} atoms. Correct the number.", where,
                        a + 1, t.atoms()));
    }
}

template <class Term>
void check_and_compact(Topology& t)
{
    auto& table = t.table<Term>();
    for (const auto& entry : table.entries) {
        for (const std::int32_t a : entry.atom) {
            require_atom(t, a, Term::name);
        }
        for (std::size_t i = 0; i < entry.atom.size(); ++i) {
            for (std::size_t j = i + 1; j < entry.atom.size(); ++j) {
                if (entry.atom[i] == entry.atom[j]) {
                    throw InputError(
                        fmt::format("a {} term names {} twice. Correct the atoms of the term.",
                                    Term::name, atom_text(t, entry.atom[i])));
                }
            }
        }
    }
    if constexpr (requires { Term::fields; }) {
        // equal parameters once: sort indices by the bits of the fields
        const auto key = [](const Term& p) {
            return std::apply(
                [&p](const auto&... f) {
                    return std::array<double, sizeof...(f)>{(p.*(f.member))...};
                },
                Term::fields);
        };
        std::map<decltype(key(table.parameters.front())), std::int32_t> seen;
        std::vector<Term> unique;
        std::vector<std::int32_t> renumbered(table.parameters.size());
        for (std::size_t k = 0; k < table.parameters.size(); ++k) {
            const auto [it, is_new] = seen.try_emplace(key(table.parameters[k]),
                                                       static_cast<std::int32_t>(unique.size()));
            if (is_new) {
                unique.push_back(table.parameters[k]);
            }
            renumbered[k] = it->second;
        }
        table.parameters = std::move(unique);
        for (auto& entry : table.entries) {
            entry.parameter = renumbered[static_cast<std::size_t>(entry.parameter)];
        }
    }
}

void check_sizes(const Topology& t)
{
    const std::size_t n = t.mass.size();
    const auto same = [n](std::size_t m, std::string_view what) {
        if (m != n) {
            throw InputError(
                fmt::format("the topology has {} masses but {} {}. This is a fault of its reader.",
                            n, m, what));
        }
    };
    same(t.charge.size(), "charges");
    same(t.type.size(), "types");
    same(t.atom_name.size(), "names");
    same(t.residue.size(), "residue indices");
    same(t.atomic_number.size(), "atomic numbers");
    same(t.kind.size(), "particle kinds");
    same(t.is_hydrogen.size(), "hydrogen marks");
    same(t.exclusions.rows(), "exclusion rows");
}

void check_exclusions(const Topology& t)
{
    for (std::int32_t a = 0; a < t.atoms(); ++a) {
        const auto row = static_cast<std::size_t>(a);
        for (const std::int32_t* b = t.exclusions.begin(row); b != t.exclusions.end(row); ++b) {
            require_atom(t, *b, "an exclusion");
            if (*b == a || (b != t.exclusions.begin(row) && *(b - 1) >= *b)) {
                throw InputError(fmt::format("the exclusions of {} are not sorted and unique, or "
                                             "hold the atom itself. This is a fault of the reader.",
                                             atom_text(t, a)));
            }
            const auto back = static_cast<std::size_t>(*b);
            if (!std::binary_search(t.exclusions.begin(back), t.exclusions.end(back), a)) {
                throw InputError(fmt::format("the exclusion of {} and {} is noted one way only. "
                                             "This is a fault of the reader.",
                                             atom_text(t, a), atom_text(t, *b)));
            }
        }
    }
}

void check_virtual_sites(const Topology& t)
{
    std::vector<std::uint8_t> built(t.mass.size(), 1);
    for (const VirtualSite& v : t.virtual_sites) {
        require_atom(t, v.site, "a virtual site");
        built[static_cast<std::size_t>(v.site)] = 0;
    }
    for (const VirtualSite& v : t.virtual_sites) {
        if (built[static_cast<std::size_t>(v.site)] != 0) {
            throw InputError(
                fmt::format("{} is built twice as a virtual site. Keep one of the two entries.",
                            atom_text(t, v.site)));
        }
        for (const std::int32_t p : v.parents) {
            require_atom(t, p, "a virtual site");
            if (built[static_cast<std::size_t>(p)] == 0) {
                throw InputError(fmt::format(
                    "virtual site {} is built from {}, which is itself a virtual site that comes "
                    "later or depends on it. "
                    "Put the sites in an order in which each is built from finished ones.",
                    atom_text(t, v.site), atom_text(t, p)));
            }
        }
        built[static_cast<std::size_t>(v.site)] = 1;
    }
    for (const DistanceConstraint& c : t.constraints) {
        for (const std::int32_t a : {c.i, c.j}) {
            require_atom(t, a, "a constraint");
            if (t.mass[static_cast<std::size_t>(a)] <= 0 &&
                t.kind[static_cast<std::size_t>(a)] != ParticleKind::atom) {
                throw InputError(fmt::format("a constraint holds {}, which is a virtual site or "
                                             "shell (it has no mass). Constrain atoms only.",
                                             atom_text(t, a)));
            }
        }
    }
}

/// Sorts sites so that each follows its parents (stable; cycles are left for check_virtual_sites to
/// name).
void order_virtual_sites(Topology& t)
{
    std::map<std::int32_t, std::size_t> of_atom;
    for (std::size_t k = 0; k < t.virtual_sites.size(); ++k) {
        of_atom.emplace(t.virtual_sites[k].site, k);
    }
    std::vector<VirtualSite> ordered;
    std::vector<std::uint8_t> state(t.virtual_sites.size(), 0);
    const auto visit = [&](const auto& self, std::size_t k) -> void {
        if (state[k] != 0) {
            return;
        }
        state[k] = 1;
        for (const std::int32_t p : t.virtual_sites[k].parents) {
            if (const auto it = of_atom.find(p); it != of_atom.end()) {
                self(self, it->second);
            }
        }
        ordered.push_back(t.virtual_sites[k]);
    };
    for (std::size_t k = 0; k < t.virtual_sites.size(); ++k) {
        visit(visit, k);
    }
    t.virtual_sites = std::move(ordered);
}

RaggedList molecules_of(const Topology& t)
{
    Components parts(t.atoms());
    for (const auto& bond : t.bonds) {
        parts.join(bond[0], bond[1]);
    }
    const auto join_terms = [&]<class Term>() {
        if constexpr (Term::kind == EnergyKind::bond || Term::kind == EnergyKind::polarization) {
            for (const auto& entry : t.table<Term>().entries) {
                parts.join(entry.atom[0], entry.atom[1]);
            }
        }
    };
    ListedTerms::for_each(join_terms);
    for (const DistanceConstraint& c : t.constraints) {
        parts.join(c.i, c.j);
    }
    for (const RigidWater& w : t.rigid_waters) {
        parts.join(w.o, w.h1);
        parts.join(w.o, w.h2);
    }
    for (const VirtualSite& v : t.virtual_sites) {
        for (const std::int32_t p : v.parents) {
            parts.join(v.site, p);
        }
    }
    std::vector<std::int32_t> count(t.mass.size(), 0);
    for (std::int32_t a = 0; a < t.atoms(); ++a) {
        ++count[static_cast<std::size_t>(parts.root(a))];
    }
    RaggedList list;
    std::vector<std::int64_t> next(t.mass.size(), -1);
    for (std::int32_t a = 0; a < t.atoms(); ++a) {
        if (parts.root(a) == a) {
            next[static_cast<std::size_t>(a)] = list.offset.back();
            list.offset.push_back(list.offset.back() + count[static_cast<std::size_t>(a)]);
        }
    }
    list.value.resize(t.mass.size());
    for (std::int32_t a = 0; a < t.atoms(); ++a) {
        list.value[static_cast<std::size_t>(next[static_cast<std::size_t>(parts.root(a))]++)] = a;
    }
    return list;
}

} // namespace

std::shared_ptr<const Topology> finish(Topology topology)
{
    check_sizes(topology);
    const auto each = [&]<class Term>() { check_and_compact<Term>(topology); };
    ListedTerms::for_each(each);
    check_exclusions(topology);
    order_virtual_sites(topology);
    check_virtual_sites(topology);
    for (const RigidWater& w : topology.rigid_waters) {
        for (const std::int32_t a : {w.o, w.h1, w.h2}) {
            require_atom(topology, a, "a rigid water");
        }
    }
    for (auto& bond : topology.bonds) {
        require_atom(topology, bond[0], "a bond");
        require_atom(topology, bond[1], "a bond");
        if (bond[0] > bond[1]) {
            std::swap(bond[0], bond[1]);
        }
    }
    std::sort(topology.bonds.begin(), topology.bonds.end());
    topology.bonds.erase(std::unique(topology.bonds.begin(), topology.bonds.end()),
                         topology.bonds.end());
    topology.molecules = molecules_of(topology);
    return std::make_shared<const Topology>(std::move(topology));
}

} // namespace tessera
