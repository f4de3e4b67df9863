#include "engine/plans/shuffle.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>

namespace tessera
{

namespace
{

constexpr int width = ClusterOrder::width;

std::size_t at(std::int64_t k)
{
    return static_cast<std::size_t>(k);
}

RaggedList renumbered_rows(const RaggedList& rows, std::span<const std::int32_t> atom_of,
                           std::span<const std::int32_t> number_of)
{
    RaggedList out;
    for (const std::int32_t atom : atom_of) {
        std::vector<std::int32_t> row;
        for (const std::int32_t* a = rows.begin(at(atom)); a != rows.end(at(atom)); ++a) {
            row.push_back(number_of[at(*a)]);
        }
        std::sort(row.begin(), row.end());
        out.add_row(row);
    }
    return out;
}

/// One bit of a column: a pair of slots under a shift.
struct Pair {
    std::int32_t row, shift, column; ///< clusters, and the index of the shift
    std::uint32_t bit;

    [[nodiscard]] auto tile() const { return std::tuple(row, shift, column); }
};

Pair pair_of_slots(std::int32_t i, std::int32_t j, std::int32_t shift)
{
    return {i / width, shift, j / width, 1U << (width * (i % width) + j % width)};
}

/// Pairs of one tile next to each other, then each tile once with all its bits.
void join_tiles(std::vector<Pair>& pairs)
{
    std::sort(pairs.begin(), pairs.end(),
              [](const Pair& a, const Pair& b) { return a.tile() < b.tile(); });
    std::size_t last = 0;
    for (std::size_t k = 1; k < pairs.size(); ++k) {
        if (pairs[k].tile() == pairs[last].tile()) {
            pairs[last].bit |= pairs[k].bit;
        } else {
            pairs[++last] = pairs[k];
        }
    }
    pairs.resize(pairs.empty() ? 0 : last + 1);
}

/// Atoms change places. The last cluster, which alone may hold null atoms, keeps its own.
void shuffle_order(ClusterOrder& order, ShuffleNumbers& numbers)
{
    const std::int32_t full = std::max(0, order.clusters() - 1);
    const auto begin = order.atom_of_slot.begin();
    constexpr int neighbours = 4 * width;
    for (std::int32_t s = 0; s < full * width; s += neighbours) {
        numbers.permute(begin + s, begin + std::min(s + neighbours, full * width));
    }
    numbers.permute(begin + full * width, order.atom_of_slot.end());
    std::vector<std::int32_t> place(at(full));
    std::iota(place.begin(), place.end(), 0);
    numbers.permute(place.begin(), place.end());
    const std::vector<std::int32_t> before = order.atom_of_slot;
    for (std::int32_t c = 0; c < full; ++c) {
        std::copy_n(before.begin() + c * width, width, begin + place[at(c)] * width);
    }
    for (std::size_t s = 0; s < order.atom_of_slot.size(); ++s) {
        if (order.atom_of_slot[s] >= 0) {
            order.slot_of_atom[at(order.atom_of_slot[s])] = static_cast<std::int32_t>(s);
        }
    }
    order.nodes.clear();
}

/// Calls f(old slot of the row, old slot of the column) for every bit of a column.
template <class F>
void for_each_pair(std::int32_t cluster, const ClusterPairList::Column& column, const F& f)
{
    for (std::uint32_t mask = column.mask; mask != 0; mask &= mask - 1) {
        const int bit = std::countr_zero(mask);
        f(cluster * width + bit / width, column.cluster * width + bit % width);
    }
}

} // namespace

Topology renumbered(const Topology& topology, std::span<const std::int32_t> atom_of,
                    ShuffleNumbers& numbers)
{
    Topology out = topology;
    std::vector<std::int32_t> number_of(atom_of.size());
    for (std::size_t k = 0; k < atom_of.size(); ++k) {
        number_of[at(atom_of[k])] = static_cast<std::int32_t>(k);
    }
    const auto rename = [&](std::int32_t& atom) { atom = number_of[at(atom)]; };
    const auto take = [&](auto& to, const auto& from) {
        for (std::size_t k = 0; k < from.size(); ++k) {
            to[k] = from[at(atom_of[k])];
        }
    };
    take(out.mass, topology.mass);
    take(out.charge, topology.charge);
    take(out.type, topology.type);
    out.atom_name = topology.atom_name.taken(atom_of);
    take(out.residue, topology.residue);
    take(out.atomic_number, topology.atomic_number);
    take(out.kind, topology.kind);
    take(out.is_hydrogen, topology.is_hydrogen);
    out.exclusions = renumbered_rows(topology.exclusions, atom_of, number_of);
    ListedTerms::for_each([&]<class Term>() {
        auto& entries = out.table<Term>().entries;
        for (auto& entry : entries) {
            std::for_each(entry.atom.begin(), entry.atom.end(), rename);
        }
        numbers.permute(entries.begin(), entries.end());
    });
    for (auto& [i, j] : out.bonds) {
        rename(i);
        rename(j);
        std::tie(i, j) = std::pair(std::minmax(i, j));
    }
    std::sort(out.bonds.begin(), out.bonds.end());
    for (DistanceConstraint& c : out.constraints) {
        rename(c.i);
        rename(c.j);
    }
    for (RigidWater& w : out.rigid_waters) {
        rename(w.o);
        rename(w.h1);
        rename(w.h2);
    }
    for (VirtualSite& site : out.virtual_sites) {
        rename(site.site);
        std::for_each(site.parents.begin(), site.parents.end(), rename);
    }
    std::for_each(out.molecules.value.begin(), out.molecules.value.end(), rename);
    return out;
}

ClusterPairList shuffled(const ClusterPairList& list, std::uint64_t seed)
{
    ShuffleNumbers numbers(seed);
    ClusterPairList out;
    out.order = list.order;
    out.radius = list.radius;
    out.all_pairs = list.all_pairs;
    shuffle_order(out.order, numbers);
    const auto moved = [&](std::int32_t slot) {
        return out.order.slot_of_atom[at(list.order.atom_of_slot[at(slot)])];
    };
    out.shifts = list.shifts;
    const auto shifts = static_cast<std::int32_t>(list.shifts.size());
    for (std::int32_t k = 1; k < shifts; ++k) {
        const auto& s = list.shifts[at(k)];
        out.shifts.push_back({-s[0], -s[1], -s[2]});
    }

    std::vector<Pair> pairs;
    for (const ClusterPairList::Row& row : list.rows) {
        for (std::int64_t c = row.begin; c < row.end; ++c) {
            for_each_pair(row.cluster, list.columns[at(c)], [&](std::int32_t i, std::int32_t j) {
                Pair pair = pair_of_slots(moved(i), moved(j), row.shift);
                // a coin for each two clusters, the same for all pairs between them
                const auto [low, high] = std::minmax(pair.row, pair.column);
                const std::uint64_t coin = mixed_bits(
                    seed ^ mixed_bits((static_cast<std::uint64_t>(low) << 32 | at(high)) +
                                      static_cast<std::uint64_t>(row.shift) * 0x9E3779B97F4A7C15U));
                if ((coin & 1) != 0) {
                    pair = pair_of_slots(moved(j), moved(i),
                                         row.shift == 0 ? 0 : row.shift + shifts - 1);
                }
                pairs.push_back(pair);
            });
        }
    }
    join_tiles(pairs);
    std::vector<std::pair<std::size_t, std::size_t>> rows; // of tiles with one row and one shift
    for (std::size_t first = 0, last = 0; first < pairs.size(); first = last) {
        while (last < pairs.size() && pairs[last].row == pairs[first].row &&
               pairs[last].shift == pairs[first].shift) {
            ++last;
        }
        rows.emplace_back(first, last);
    }
    numbers.permute(rows.begin(), rows.end());
    for (const auto& [first, last] : rows) {
        const auto begin = static_cast<std::int64_t>(out.columns.size());
        for (std::size_t k = first; k < last; ++k) {
            out.columns.push_back({pairs[k].column, pairs[k].bit});
        }
        numbers.permute(out.columns.begin() + begin, out.columns.end());
        out.rows.push_back({pairs[first].row, pairs[first].shift, begin,
                            static_cast<std::int64_t>(out.columns.size())});
    }

    std::vector<Pair> excluded;
    for (std::int32_t c = 0; c < list.order.clusters(); ++c) {
        for (std::int64_t k = list.masked_begin[at(c)]; k < list.masked_begin[at(c) + 1]; ++k) {
            for_each_pair(c, list.masked[at(k)], [&](std::int32_t i, std::int32_t j) {
                excluded.push_back(pair_of_slots(moved(i), moved(j), 0));
            });
        }
    }
    join_tiles(excluded);
    out.masked_begin.assign(at(list.order.clusters()) + 1, 0);
    for (const Pair& tile : excluded) {
        out.masked.push_back({tile.column, tile.bit});
        ++out.masked_begin[at(tile.row) + 1];
    }
    std::partial_sum(out.masked_begin.begin(), out.masked_begin.end(), out.masked_begin.begin());
    return out;
}

} // namespace tessera
