#include "engine/cpu/listed.hpp"

#include "engine/base/error.hpp"
#include "engine/cpu/atom_label.hpp"
#include "engine/physics/listed_terms.hpp"
#include "engine/physics/term_forces.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <omp.h>
#include <string>
#include <tuple>
#include <vector>

namespace tessera
{

struct Listed::Tables {
    const Topology& topology;
    std::vector<std::vector<double>> cmap_nodes; ///< one a parameter of the Cmap table
    std::size_t entries = 0;
    double longest = 0;     ///< nm, the greatest length at rest of a bond
    std::string of_longest; ///< its term and atoms
};

namespace
{

/// Below this many entries a second thread costs more than it saves; the bits are the same.
constexpr std::size_t entries_worth_a_thread = 2000;

/// What add_forces() works on.
struct Configuration {
    const Topology& topology;
    const std::vector<std::vector<double>>& cmap_nodes;
    const Box& box;
    std::span<const Vec3> positions;
    Wanted wanted;
};

/// The part of the work that one thread does, and where it adds.
struct Share {
    int thread;
    int threads;
    ForceSums& forces;
    EnergySums& sums;
    std::string fault; ///< of the first broken entry; the entries after it are skipped
};

template <class Term>
struct EntryDisplacement {
    const Configuration& at;
    const typename TermTable<Term>::Entry& entry;

    [[nodiscard]] const Vec3& position(int k) const
    {
        return at.positions[static_cast<std::size_t>(entry.atom[static_cast<std::size_t>(k)])];
    }
    Vec3 operator()(int head, int tail) const
    {
        return at.box.shortest(position(head) - position(tail));
    }
    [[nodiscard]] Vec3 from_point(int atom, const Vec3& point) const
    {
        return at.box.shortest(position(atom) - point);
    }
};

/// What evaluates an entry: the term itself, or what was prepared from it.
template <class Term>
auto formula_of(const Configuration& at, const typename TermTable<Term>::Entry& entry)
{
    const Term& term = at.topology.table<Term>().term(entry);
    if constexpr (std::is_same_v<Term, Cmap>) {
        return CmapSurface<double>{at.cmap_nodes[static_cast<std::size_t>(entry.parameter)].data(),
                                   term.size};
    } else {
        return term;
    }
}

template <class Term>
std::string label_of(const Topology& topology, const typename TermTable<Term>::Entry& entry)
{
    std::string label = fmt::format("{} of atom{} ", Term::name, entry.atom.size() > 1 ? "s" : "");
    for (std::size_t k = 0; k < entry.atom.size(); ++k) {
        label += (k > 0 ? ", " : "") + atom_label(topology, entry.atom[k]);
    }
    return label;
}

template <class R, int V>
bool is_finite(const TermResponse<R, V>& response)
{
    bool finite = std::isfinite(response.energy);
    for (const BasicVec3<R>& g : response.gradient) {
        finite = finite && std::isfinite(g.x) && std::isfinite(g.y) && std::isfinite(g.z);
    }
    return finite;
}

template <class Kind, int V>
std::string coordinate_text(const TermResponse<double, V>& response, int first)
{
    if constexpr (Kind::is_cartesian) {
        return {};
    } else {
        return fmt::format(", {} = {:.6g}{}{}", Kind::name,
                           Kind::measure(response.vector + first).value,
                           Kind::unit.empty() ? "" : " ", Kind::unit);
    }
}

template <int V, class... Kinds>
std::string coordinates_text(const TermResponse<double, V>& response, TypeList<Kinds...>)
{
    std::string text;
    int first = 0;
    ((text += coordinate_text<Kinds>(response, first), first += Kinds::vectors), ...);
    return text;
}

/// One sentence what is wrong, in brackets why, then what to do.
template <class Term>
std::string
fault_text(const Configuration& at, const typename TermTable<Term>::Entry& entry,
           const TermResponse<double, TermVectors<typename Term::Coordinates>::count>& response)
{
    std::string reason = "coordinates are not finite, or atoms coincide";
    if constexpr (requires { Term::domain; }) {
        reason = Term::domain;
    }
    reason += coordinates_text(response, typename Term::Coordinates{});
    if constexpr (requires { Term::fields; }) {
        const Term& term = at.topology.table<Term>().term(entry);
        std::apply(
            [&](const auto&... field) {
                ((reason += fmt::format(", {} = {:.6g}{}{}", field.name, term.*field.member,
                                        field.unit.empty() ? "" : " ", field.unit)),
                 ...);
            },
            Term::fields);
    }
    return fmt::format(
        "{} has no finite energy and force ({}). Check the start coordinates and the "
        "term's parameters, or shorten the time step.",
        label_of<Term>(at.topology, entry), reason);
}

/// A share of the entries of one kind of term: gather, formula, scatter.
template <class Term>
void add_share(const Configuration& at, Share& share)
{
    const auto& entries = at.topology.table<Term>().entries;
    const auto part = [&](int thread) {
        return entries.size() * static_cast<std::size_t>(thread) /
               static_cast<std::size_t>(share.threads);
    };

    Vec3 virial[3];
    for (std::size_t e = part(share.thread); e < part(share.thread + 1); ++e) {
        const auto& entry = entries[e];
        const auto& formula = formula_of<Term>(at, entry);
        const auto response = respond<double>(formula, EntryDisplacement<Term>{at, entry});
        if (!is_finite(response)) {
            share.fault = fault_text<Term>(at, entry, response);
            return;
        }

        for_each_force<Term>(response, [&](int k, const Vec3& force) {
            share.forces.add(static_cast<std::size_t>(entry.atom[static_cast<std::size_t>(k)]),
                             force);
        });
        if (at.wanted.energies) {
            share.sums.add(Term::kind, response.energy);
        }
        if (at.wanted.virial) {
            std::fill(virial, virial + 3, Vec3{});
            add_term_virial(formula, response, virial);
            share.sums.add_virial({{virial[0], virial[1], virial[2]}});
        }
    }
}

void add_all_shares(const Configuration& at, Share& share)
{
    ListedTerms::for_each([&]<class Term>() {
        if (share.fault.empty()) {
            add_share<Term>(at, share);
        }
    });
}

} // namespace

Listed::Listed(const Topology& topology) : tables_(new Tables{topology, {}, 0, 0, {}})
{
    for (const Cmap& map : topology.table<Cmap>().parameters) {
        tables_->cmap_nodes.push_back(cmap_nodes(map));
    }
    ListedTerms::for_each([&]<class Term>() {
        const auto& table = topology.table<Term>();
        tables_->entries += table.size();
        if constexpr (requires { &Term::r0; }) {
            for (const auto& entry : table.entries) {
                if (table.term(entry).r0 > tables_->longest) {
                    tables_->longest = table.term(entry).r0;
                    tables_->of_longest = label_of<Term>(topology, entry);
                }
            }
        }
    });
}

Listed::~Listed() = default;
Listed::Listed(Listed&&) noexcept = default;
Listed& Listed::operator=(Listed&&) noexcept = default;

void Listed::add_forces(const Box& box, std::span<const Vec3> positions, Wanted wanted, int threads,
                        ForceSums& forces, EnergySums& sums) const
{
    if (box.is_periodic() && tables_->longest > 0.5 * box.shortest_height()) {
        throw InputError(fmt::format("{} is {:.6g} nm long at rest in a cell of shortest height "
                                     "{:.6g} nm (beyond half of that its nearest image is not "
                                     "certain). Use a larger cell.",
                                     tables_->of_longest, tables_->longest, box.shortest_height()));
    }
    const Configuration at{tables_->topology, tables_->cmap_nodes, box, positions, wanted};
    const auto useful = static_cast<int>(tables_->entries / entries_worth_a_thread) + 1;
    const int workers = forces.mode() == SumMode::exact ? std::clamp(threads, 1, useful) : 1;

    std::vector<ForceSums> own_forces(static_cast<std::size_t>(workers));
    std::vector<EnergySums> own_sums(static_cast<std::size_t>(workers));
    std::vector<std::string> faults(static_cast<std::size_t>(workers));
#pragma omp parallel for num_threads(workers) schedule(static, 1)
    for (int w = 0; w < workers; ++w) {
        const auto slot = static_cast<std::size_t>(w);
        if (w > 0) {
            own_forces[slot] = ForceSums(forces.size(), forces.mode());
        }
        Share share{
            w, workers, w > 0 ? own_forces[slot] : forces, w > 0 ? own_sums[slot] : sums, {}};
        add_all_shares(at, share);
        faults[slot] = share.fault;
    }

    for (std::size_t w = 0; w < faults.size(); ++w) {
        if (!faults[w].empty()) {
            throw PhysicsError(faults[w]);
        }
        if (w > 0) {
            forces.merge(own_forces[w]);
            sums.merge(own_sums[w]);
        }
    }
}

} // namespace tessera
