#include "engine/plans/constraint_plan.hpp"

#include "engine/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numeric>

namespace tessera
{

namespace
{

/// Sets that grow together; the least member names the set.
class DisjointSets {
public:
    explicit DisjointSets(std::size_t n) : parent_(n)
    {
        std::iota(parent_.begin(), parent_.end(), 0);
    }
    std::int32_t root(std::int32_t a)
    {
        while (parent_[static_cast<std::size_t>(a)] != a) {
            auto& up = parent_[static_cast<std::size_t>(a)];
            up = parent_[static_cast<std::size_t>(up)];
            a = up;
        }
        return a;
    }
    void join(std::int32_t a, std::int32_t b)
    {
        a = root(a);
        b = root(b);
        parent_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
    }
    /// Members of every set that `chosen` admits, sets by their least member, members ascending.
    template <class Chosen>
    RaggedList rows(Chosen chosen)
    {
        const auto n = static_cast<std::int32_t>(parent_.size());
        std::vector<std::vector<std::int32_t>> members(parent_.size());
        for (std::int32_t a = 0; a < n; ++a) {
            if (chosen(a)) {
                members[static_cast<std::size_t>(root(a))].push_back(a);
            }
        }
        RaggedList out;
        const auto sets = std::count_if(members.begin(), members.end(),
                                        [](const auto& row) { return !row.empty(); });
        out.offset.reserve(static_cast<std::size_t>(sets) + 1);
        out.value.reserve(static_cast<std::size_t>(
            std::count_if(parent_.begin(), parent_.end(),
                          [&, a = 0](std::int32_t) mutable { return chosen(a++); })));
        for (const auto& row : members) {
            if (!row.empty()) {
                out.add_row(row);
            }
        }
        return out;
    }

private:
    std::vector<std::int32_t> parent_;
};

/// Constraints once each, in topology order.
class Collected {
public:
    explicit Collected(const Topology& topology) : topology_(topology) {}

    void add(std::int32_t i, std::int32_t j, double length)
    {
        const auto where = [&] {
            return "the constraint between " + describe_atom(topology_, i) + " and " +
                   describe_atom(topology_, j);
        };
        if (i == j || !(length > 0) || !std::isfinite(length)) {
            throw InputError(where() +
                             fmt::format(" has length {} nm (no distance). Give a positive length "
                                         "between two atoms.",
                                         length));
        }
        if (!(topology_.mass[static_cast<std::size_t>(i)] > 0) ||
            !(topology_.mass[static_cast<std::size_t>(j)] > 0)) {
            throw InputError(where() + " has an end without mass (nothing could hold it). Take the "
                                       "constraint out, or give the particle a mass.");
        }
        const auto [at, is_new] = length_of_.insert({std::minmax(i, j), length});
        if (!is_new) {
            if (std::abs(at->second - length) > 1e-9) {
                throw InputError(where() +
                                 fmt::format(" has two lengths, {} and {} nm (both cannot hold). "
                                             "Keep one.",
                                             at->second, length));
            }
            return;
        }
        list.push_back({i, j, length});
    }

    /// Refuses three constraints between three atoms whose lengths make no triangle.
    void refuse_open_triangles() const
    {
        std::map<std::int32_t, std::vector<std::int32_t>> later; // partners of a higher number
        for (const auto& [pair, length] : length_of_) {
            later[pair.first].push_back(pair.second);
        }
        for (const auto& [i, partners] : later) {
            for (std::size_t a = 0; a < partners.size(); ++a) {
                for (std::size_t b = a + 1; b < partners.size(); ++b) {
                    refuse_open_triangle(i, partners[a], partners[b]);
                }
            }
        }
    }

    [[nodiscard]] double length_between(std::int32_t i, std::int32_t j) const
    {
        return length_of_.at(std::minmax(i, j));
    }

    std::vector<DistanceConstraint> list;

private:
    void refuse_open_triangle(std::int32_t i, std::int32_t j, std::int32_t k) const
    {
        const auto third = length_of_.find({j, k});
        if (third == length_of_.end()) {
            return;
        }
        const double ij = length_of_.at({i, j}), ik = length_of_.at({i, k}), jk = third->second;
        if (!(2 * std::max({ij, ik, jk}) < ij + ik + jk)) {
            throw InputError(fmt::format("the constraints between {}, {} and {} have lengths {}, "
                                         "{} and {} nm (no triangle has such sides). Correct the "
                                         "lengths.",
                                         describe_atom(topology_, i), describe_atom(topology_, j),
                                         describe_atom(topology_, k), ij, ik, jk));
        }
    }

    const Topology& topology_;
    std::map<std::pair<std::int32_t, std::int32_t>, double> length_of_;
};

/// Takes three constraints that join three atoms with each other and with no one else, two of the
/// same length to two of the same mass, out of the list: a rigid water as some formats write it.
std::vector<RigidWater> take_rigid_triangles(const Topology& topology, Collected& collected)
{
    std::vector<std::vector<std::int32_t>> partners(topology.mass.size());
    for (const DistanceConstraint& c : collected.list) {
        partners[static_cast<std::size_t>(c.i)].push_back(c.j);
        partners[static_cast<std::size_t>(c.j)].push_back(c.i);
    }
    const auto has_two = [&](std::int32_t a) {
        return partners[static_cast<std::size_t>(a)].size() == 2;
    };
    std::vector<RigidWater> waters;
    std::vector<bool> is_taken(topology.mass.size(), false);
    for (std::int32_t apex = 0; apex < topology.atoms(); ++apex) {
        if (!has_two(apex) || is_taken[static_cast<std::size_t>(apex)]) {
            continue;
        }
        const auto& ends = partners[static_cast<std::size_t>(apex)];
        const auto& beyond = partners[static_cast<std::size_t>(ends[0])];
        const bool closed =
            has_two(ends[0]) && has_two(ends[1]) && (beyond[0] == ends[1] || beyond[1] == ends[1]);
        const auto mass = [&](std::size_t k) {
            return topology.mass[static_cast<std::size_t>(ends[k])];
        };
        const double side = collected.length_between(apex, ends[0]);
        if (closed && mass(0) == mass(1) && side == collected.length_between(apex, ends[1])) {
            waters.push_back(
                {apex, ends[0], ends[1], side, collected.length_between(ends[0], ends[1])});
            for (const std::int32_t a : {apex, ends[0], ends[1]}) {
                is_taken[static_cast<std::size_t>(a)] = true;
            }
        }
    }
    std::erase_if(collected.list, [&](const DistanceConstraint& c) {
        return is_taken[static_cast<std::size_t>(c.i)];
    });
    return waters;
}

} // namespace

ConstraintPlan make_constraint_plan(const Topology& topology)
{
    const auto n = static_cast<std::size_t>(topology.atoms());
    std::vector<std::uint8_t> in_network(n, 0);
    for (const DistanceConstraint& c : topology.constraints) {
        in_network[static_cast<std::size_t>(c.i)] = 1;
        in_network[static_cast<std::size_t>(c.j)] = 1;
    }

    ConstraintPlan plan;
    Collected collected(topology);
    for (const DistanceConstraint& c : topology.constraints) {
        collected.add(c.i, c.j, c.length);
    }
    std::vector<RigidWater> waters;
    waters.reserve(topology.rigid_waters.size());
    for (const RigidWater& w : topology.rigid_waters) {
        const bool shared = in_network[static_cast<std::size_t>(w.o)] != 0 ||
                            in_network[static_cast<std::size_t>(w.h1)] != 0 ||
                            in_network[static_cast<std::size_t>(w.h2)] != 0;
        const auto mass = [&](std::int32_t a) {
            return topology.mass[static_cast<std::size_t>(a)];
        };
        if (shared || mass(w.h1) != mass(w.h2)) {
            collected.add(w.o, w.h1, w.d_oh);
            collected.add(w.o, w.h2, w.d_oh);
            collected.add(w.h1, w.h2, w.d_hh);
            continue;
        }
        Collected check(topology);
        check.add(w.o, w.h1, w.d_oh);
        check.add(w.h1, w.h2, w.d_hh);
        if (!(w.d_hh < 2 * w.d_oh)) {
            throw InputError(fmt::format("the rigid water of {} has O-H {} nm and H-H {} nm (no "
                                         "triangle has such sides). Correct the lengths.",
                                         describe_atom(topology, w.o), w.d_oh, w.d_hh));
        }
        waters.push_back(w);
    }

    collected.refuse_open_triangles();
    for (const RigidWater& w : take_rigid_triangles(topology, collected)) {
        waters.push_back(w);
    }
    DisjointSets networks(n);
    std::vector<std::uint8_t> constrained_atom(n, 0);
    for (const DistanceConstraint& c : collected.list) {
        networks.join(c.i, c.j);
        constrained_atom[static_cast<std::size_t>(c.i)] = 1;
        constrained_atom[static_cast<std::size_t>(c.j)] = 1;
    }
    plan.network_atoms = networks.rows(
        [&](std::int32_t a) { return constrained_atom[static_cast<std::size_t>(a)] != 0; });

    std::vector<std::int32_t> network_of(n, -1), row_of(n, -1);
    for (std::size_t g = 0; g < plan.networks(); ++g) {
        std::int32_t row = 0;
        for (const auto* a = plan.network_atoms.begin(g); a != plan.network_atoms.end(g); ++a) {
            network_of[static_cast<std::size_t>(*a)] = static_cast<std::int32_t>(g);
            row_of[static_cast<std::size_t>(*a)] = row++;
        }
    }
    std::stable_sort(collected.list.begin(), collected.list.end(),
                     [&](const DistanceConstraint& a, const DistanceConstraint& b) {
                         return network_of[static_cast<std::size_t>(a.i)] <
                                network_of[static_cast<std::size_t>(b.i)];
                     });
    plan.first_bond.assign(plan.networks() + 1, 0);
    for (const DistanceConstraint& c : collected.list) {
        plan.bonds.push_back({row_of[static_cast<std::size_t>(c.i)],
                              row_of[static_cast<std::size_t>(c.j)], c.length});
        ++plan.first_bond[static_cast<std::size_t>(network_of[static_cast<std::size_t>(c.i)]) + 1];
    }
    std::partial_sum(plan.first_bond.begin(), plan.first_bond.end(), plan.first_bond.begin());

    for (const RigidWater& w : waters) {
        networks.join(w.o, w.h1);
        networks.join(w.o, w.h2);
    }
    for (const VirtualSite& site : topology.virtual_sites) {
        for (const std::int32_t parent : site.parents) {
            networks.join(site.site, parent);
        }
    }
    plan.update_groups =
        std::make_shared<const RaggedList>(networks.rows([](std::int32_t) { return true; }));
    plan.waters = std::make_shared<const std::vector<RigidWater>>(std::move(waters));
    return plan;
}

std::vector<bool> constrained_atoms(const Topology& topology)
{
    std::vector<bool> out(topology.mass.size(), false);
    const auto mark = [&](std::int32_t atom) { out[static_cast<std::size_t>(atom)] = true; };
    for (const DistanceConstraint& c : topology.constraints) {
        mark(c.i);
        mark(c.j);
    }
    for (const RigidWater& w : topology.rigid_waters) {
        mark(w.o);
        mark(w.h1);
        mark(w.h2);
    }
    return out;
}

double degrees_of_freedom(const Topology& topology, const ConstraintPlan& plan,
                          bool centre_of_mass_at_rest)
{
    const auto massive =
        std::count_if(topology.mass.begin(), topology.mass.end(), [](double m) { return m > 0; });
    const double n = 3.0 * static_cast<double>(massive) - static_cast<double>(plan.constraints()) -
                     (centre_of_mass_at_rest ? 3.0 : 0.0);
    return std::max(0.0, n);
}

std::string describe_atom(const Topology& topology, std::int64_t atom)
{
    if (atom < 0 || atom >= topology.atoms()) {
        return fmt::format("atom {}", atom + 1);
    }
    const auto a = static_cast<std::size_t>(atom);
    const std::int32_t number = number_of(topology, a) + 1;
    const std::string name = a < topology.atom_name.size() ? topology.atom_name[a] : "";
    if (a < topology.residue.size() && topology.residue[a] >= 0 &&
        static_cast<std::size_t>(topology.residue[a]) < topology.residues.size()) {
        const Residue& r = topology.residues[static_cast<std::size_t>(topology.residue[a])];
        return fmt::format("atom {} ({} of {} {})", number, name, r.name, r.number);
    }
    return name.empty() ? fmt::format("atom {}", number)
                        : fmt::format("atom {} ({})", number, name);
}

} // namespace tessera
