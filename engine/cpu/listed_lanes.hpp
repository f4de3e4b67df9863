#pragma once

#include "engine/cpu/listed_work.hpp"
#include "engine/cpu/simd/pack_geometry.hpp"

namespace tessera
{

/// A term whose parameters differ from lane to lane: its formula is evaluated lane by lane.
template <class Term>
struct ListedLanes {
    using Coordinates = typename Term::Coordinates;
    const ListedTables& tables;
    const typename ListedBlocks<Term>::Block& block;

    template <class... Values>
    Response<Pack, static_cast<int>(sizeof...(Values))> operator()(const Values&... value) const
    {
        constexpr int count = static_cast<int>(sizeof...(Values));
        Response<Pack, count> out;
        for (int l = 0; l < Pack::lanes; ++l) {
            const auto of_lane = listed_formula<Term>(tables, block.parameter[l])(value.v[l]...);
            out.energy.v[l] = of_lane.energy;
            for (int c = 0; c < count; ++c) {
                out.slope[c].v[l] = of_lane.slope[c];
            }
        }
        return out;
    }
};

/// Nearest images between the atoms of eight entries.
template <class Term>
struct ListedSides {
    const Box& box;
    PackVec3 position[static_cast<std::size_t>(Term::atoms)];

    ListedSides(const ListedPlace& at, const typename ListedBlocks<Term>::Block& block)
        : box(at.box)
    {
        for (int k = 0; k < Term::atoms; ++k) {
            position[k] = gathered(at.positions, block.atom[k]);
        }
    }
    PackVec3 operator()(int head, int tail) const
    {
        return nearest_image(box.images(), position[head] - position[tail]);
    }
};

template <class Term, int V>
inline TermResponse<double, V> response_of_lane(const TermResponse<Pack, V>& response, int lane)
{
    const auto vector = [lane](const PackVec3& a) {
        return Vec3{a.x.v[lane], a.y.v[lane], a.z.v[lane]};
    };
    TermResponse<double, V> out;
    out.energy = response.energy.v[lane];
    for (int v = 0; v < V; ++v) {
        out.vector[v] = vector(response.vector[v]);
        out.gradient[v] = vector(response.gradient[v]);
    }
    return out;
}

/// Books what the lanes of a block hold beside forces.
template <class Term, int V>
[[gnu::noinline]] void book_lanes(const ListedPlace& at, ListedShare& share, std::size_t block,
                                  const double (&energy)[Pack::lanes],
                                  const TermResponse<double, V> (&response)[Pack::lanes])
{
    const ListedBlocks<Term>& all = at.tables.of<Term>();
    for (std::size_t l = 0; l < all.live_lanes(block); ++l) {
        if (at.wanted.energies) {
            share.sums.add(Term::kind, energy[l]);
        }
        if (at.wanted.virial) {
            Vec3 virial[3];
            add_term_virial(listed_formula<Term>(at.tables, all.blocks[block].parameter[l]),
                            response[l], virial);
            share.sums.add_virial({{virial[0], virial[1], virial[2]}});
        }
    }
}

/// Eight entries at once. A lane that is not finite, or whose force is too large for the quick way
/// to integers, sends its block through add_listed_block().
template <class Term>
inline void add_listed_lanes(const ListedPlace& at, ListedShare& share, std::size_t block)
{
    constexpr int V = TermVectors<typename Term::Coordinates>::count;
    constexpr double too_large = 16384; // kJ/mol/nm: 2^50 units of the force grid
    const ListedBlocks<Term>& all = at.tables.of<Term>();
    const auto& entries = all.blocks[block];
    const auto response =
        respond<Pack>(ListedLanes<Term>{at.tables, entries}, ListedSides<Term>(at, entries));

    Pack largest = fabs(response.energy) * Pack(1e-300);
    Pack::Wholes sum[static_cast<std::size_t>(Term::atoms)][3] = {};
    for_each_force<ListedLanes<Term>>(response, [&](int k, const PackVec3& force) {
        for (int c = 0; c < 3; ++c) {
            largest += fabs(force[c]); // also NaN
            sum[k][c] += to_wholes(force[c] * Pack(fixed::force_scale));
        }
    });
    if (any(!(largest < Pack(too_large)))) {
        add_listed_block<Term>(at, share, block);
        return;
    }
    auto* const fixed = share.forces.fixed().data();
    const std::size_t live = all.live_lanes(block);
    for (int k = 0; k < Term::atoms; ++k) {
        for (std::size_t l = 0; l < live; ++l) {
            auto& of_atom = fixed[entries.atom[k][l]];
            for (std::size_t c = 0; c < 3; ++c) {
                of_atom[c] += sum[k][c][l];
            }
        }
    }
    if (at.wanted.energies || at.wanted.virial) {
        double energy[Pack::lanes];
        response.energy.store(energy);
        TermResponse<double, V> lane[Pack::lanes];
        for (int l = 0; l < Pack::lanes; ++l) {
            lane[l] = response_of_lane<Term>(response, l);
        }
        book_lanes<Term>(at, share, block, energy, lane);
    }
}

template <class Term>
inline void add_share_of_lanes(const ListedPlace& at, ListedShare& share)
{
    const std::size_t all = at.tables.of<Term>().blocks.size();
    for (std::size_t b = share.first(all); b < share.end(all) && share.fault.empty(); ++b) {
        add_listed_lanes<Term>(at, share, b);
    }
}

} // namespace tessera
