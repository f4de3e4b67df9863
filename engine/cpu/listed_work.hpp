#pragma once

#include "engine/backend/sums.hpp"
#include "engine/cpu/place_grid.hpp"
#include "engine/cpu/position_grid.hpp"
#include "engine/geometry/box.hpp"
#include "engine/model/topology.hpp"
#include "engine/physics/listed_terms.hpp"
#include "engine/physics/term_forces.hpp"

#include <cstdint>
#include <string>
#include <vector>

// What Listed's loops share: entries in blocks of lanes, and a thread's part of the work.

namespace tessera
{

/// The entries of one kind of term, eight to a block. Atoms are local numbers: of the atoms that
/// have bonded terms. The last block is filled up with its last entry.
template <class Term>
struct ListedBlocks {
    static constexpr std::size_t lanes = 8;
    static constexpr auto atoms = static_cast<std::size_t>(Term::atoms);
    struct Block {
        std::int32_t atom[atoms][lanes];
        std::int32_t parameter[lanes];
    };
    using Entry = typename TermTable<Term>::Entry;

    std::vector<Block> blocks;
    std::size_t entries = 0;

    [[nodiscard]] std::size_t live_lanes(std::size_t block) const
    {
        return std::min(lanes, entries - block * lanes);
    }
    [[nodiscard]] Entry entry(std::size_t block, std::size_t lane) const
    {
        Entry e;
        for (std::size_t k = 0; k < atoms; ++k) {
            e.atom[k] = blocks[block].atom[k][lane];
        }
        e.parameter = blocks[block].parameter[lane];
        return e;
    }
};

/// All of a topology.
struct ListedTables {
    const Topology& topology;
    std::vector<std::int32_t> atoms;             ///< global number of each local one, ascending
    std::vector<std::vector<double>> cmap_nodes; ///< one a parameter of the Cmap table
    ListedTerms::tuple_of<ListedBlocks> blocks;
    std::size_t entries = 0;
    double longest = 0;     ///< nm, the greatest length at rest of a bond
    std::string of_longest; ///< its term and atoms

    template <class Term>
    [[nodiscard]] const ListedBlocks<Term>& of() const
    {
        return std::get<ListedBlocks<Term>>(blocks);
    }
};

/// Where the atoms are, and what is asked for.
struct ListedPlace {
    const ListedTables& tables;
    const Box& box;
    const Vec3* positions; ///< local numbers
    Wanted wanted;
    PlaceGrid places;
    PositionGrid cell;

    /// Of a point of the user's, nm: on a grid and in the cell, so that its difference from an atom
    /// is the same whichever image of the atom is given.
    [[nodiscard]] Vec3 place_of(const Vec3& point) const
    {
        return box.is_periodic() ? to_nm(places.rounded(cell.canonical(point))) : point;
    }
};

/// The part of the work that one thread does, and where it adds. Forces have local numbers.
struct ListedShare {
    std::size_t thread, threads;
    ForceSums& forces;
    EnergySums& sums;
    std::string fault; ///< of the first broken entry; the entries after it are skipped

    /// The first of its blocks, of all so many; that of the next thread is where they end.
    [[nodiscard]] std::size_t first(std::size_t all) const { return all * thread / threads; }
    [[nodiscard]] std::size_t end(std::size_t all) const { return all * (thread + 1) / threads; }
};

/// What evaluates an entry with this parameter: the term itself, or what was prepared from it.
template <class Term>
auto listed_formula(const ListedTables& tables, std::int32_t parameter)
{
    const auto p = static_cast<std::size_t>(parameter);
    const Term& term = tables.topology.table<Term>().parameters[p];
    if constexpr (std::is_same_v<Term, Cmap>) {
        return CmapSurface<double>{tables.cmap_nodes[p].data(), term.size};
    } else {
        return term;
    }
}

/// Gather, formula, scatter, an entry after the other: the truth that lanes repeat. Adds a block.
template <class Term>
void add_listed_block(const ListedPlace& at, ListedShare& share, std::size_t block);

/// Adds a share of all terms of internal coordinates, with the same bits; sums must be exact.
void add_listed_avx512(const ListedPlace& at, ListedShare& share);
void add_listed_avx2(const ListedPlace& at, ListedShare& share);

/// Whether lanes may evaluate it: a function of numbers, not of vectors.
template <class Term>
inline constexpr bool has_lanes = !TermVectors<typename Term::Coordinates>::is_cartesian;

} // namespace tessera
