#include "tests/oracle/evaluate.hpp"

#include "tests/oracle/term_energies.hpp"
#include "tests/oracle/virtual_sites.hpp"

namespace tessera::oracle
{
namespace
{

template <class Term>
void add_table(Answer& answer, const TermTable<Term>& table, const Cell& cell,
               std::span<const Vec3> x)
{
    constexpr auto atoms = static_cast<std::size_t>(Term::atoms);
    for (const auto& entry : table.entries) {
        std::array<Vec3, atoms> at; // each next to the one before
        for (std::size_t a = 0; a < atoms; ++a) {
            const Vec3& here = x[static_cast<std::size_t>(entry.atom[a])];
            at[a] = a == 0 ? here : image_near(cell, here, at[a - 1]);
        }
        const Term& term = table.term(entry);
        add_interaction<atoms>(answer, Term::kind, entry.atom, at,
                               [&](const auto& p) { return energy_of(term, p); });
    }
}

/// The reference is no atom, but it takes part in the strain as one: only the distance counts.
void add_table(Answer& answer, const TermTable<PositionRestraint>& table, const Cell& cell,
               std::span<const Vec3> x)
{
    Answer wide(x.size() + 1);
    const auto reference = static_cast<std::int32_t>(x.size());
    for (const auto& entry : table.entries) {
        const PositionRestraint& term = table.term(entry);
        const Vec3& here = x[static_cast<std::size_t>(entry.atom[0])];
        const Vec3 there = image_near(cell, {term.x0, term.y0, term.z0}, here);
        add_interaction<2>(wide, PositionRestraint::kind, {entry.atom[0], reference}, {here, there},
                           [&](const auto& p) { return energy_of(term, p); });
    }
    for (std::size_t a = 0; a < x.size(); ++a) {
        answer.gradient[a] += wide.gradient[a];
    }
    answer.virial += wide.virial;
    answer.energy[static_cast<std::size_t>(PositionRestraint::kind)] += wide.total();
}

} // namespace

void add_listed(Answer& answer, const Topology& topology, const Cell& cell, std::span<const Vec3> x)
{
    ListedTerms::for_each(
        [&]<class Term>() { add_table(answer, topology.table<Term>(), cell, x); });
}

Answer evaluate(const Topology& topology, const NonbondedSettings& settings, const Cell& cell,
                std::span<const Vec3> positions)
{
    const std::vector<Vec3> x =
        with_sites_built(topology, cell, {positions.begin(), positions.end()});
    Answer answer(x.size());
    add_listed(answer, topology, cell, x);
    add_pairs(answer, topology, settings, cell, x);
    add_reciprocal(answer, topology, settings, cell, x);
    if (cell) {
        add_dispersion_correction(answer, topology, settings, cell);
    }
    spread_sites(answer, topology, cell, x);
    return answer;
}

} // namespace tessera::oracle
