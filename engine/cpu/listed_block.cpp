#include "engine/cpu/listed_faults.hpp"
#include "engine/cpu/listed_work.hpp"

namespace tessera
{

namespace
{

template <class Term>
struct EntryDisplacement {
    const ListedPlace& at;
    const typename TermTable<Term>::Entry& entry;

    [[nodiscard]] const Vec3& position(int k) const
    {
        return at.positions[entry.atom[static_cast<std::size_t>(k)]];
    }
    Vec3 operator()(int head, int tail) const
    {
        return at.box.shortest(position(head) - position(tail));
    }
    [[nodiscard]] Vec3 from_point(int atom, const Vec3& point) const
    {
        return at.box.shortest(position(atom) - at.place_of(point));
    }
};

} // namespace

template <class Term>
void add_listed_block(const ListedPlace& at, ListedShare& share, std::size_t block)
{
    const ListedBlocks<Term>& all = at.tables.of<Term>();
    for (std::size_t l = 0; l < all.live_lanes(block); ++l) {
        auto entry = all.entry(block, l);
        const auto& formula = listed_formula<Term>(at.tables, entry.parameter);
        const auto response = respond<double>(formula, EntryDisplacement<Term>{at, entry});
        if (!is_finite(response)) {
            for (std::int32_t& a : entry.atom) {
                a = at.tables.atoms[static_cast<std::size_t>(a)];
            }
            share.fault = listed_fault<Term>(at.tables.topology, entry, response);
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
            Vec3 virial[3];
            add_term_virial(formula, response, virial);
            share.sums.add_virial({{virial[0], virial[1], virial[2]}});
        }
    }
}

namespace
{

/// Makes one for each term, for the other units.
template <class... Terms>
constexpr auto instances(TypeList<Terms...>)
{
    return std::tuple{&add_listed_block<Terms>...};
}

} // namespace

[[maybe_unused]] extern const auto listed_block_instances = instances(ListedTerms{});

} // namespace tessera
