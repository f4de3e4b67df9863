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

/// References stay where they are when the cell is strained; only the diagonal is booked.
void add_table(Answer& answer, const TermTable<PositionRestraint>& table, const Cell& cell,
               std::span<const Vec3> x)
{
    Answer restraints(x.size());
    for (const auto& entry : table.entries) {
        const PositionRestraint& term = table.term(entry);
        const Vec3 here = image_near(cell, x[static_cast<std::size_t>(entry.atom[0])],
                                     {term.x0, term.y0, term.z0});
        add_interaction<1>(restraints, PositionRestraint::kind, entry.atom, {here},
                           [&](const auto& p) { return energy_of(term, p); });
    }
    for (std::size_t a = 0; a < x.size(); ++a) {
        answer.gradient[a] += restraints.gradient[a];
    }
    for (int k = 0; k < 3; ++k) {
        answer.virial[k][k] += restraints.virial[k][k];
    }
    answer.energy[static_cast<std::size_t>(PositionRestraint::kind)] += restraints.total();
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
