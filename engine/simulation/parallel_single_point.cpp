#include "engine/simulation/parallel_single_point.hpp"

#include "engine/backend/crew.hpp"
#include "engine/base/error.hpp"
#include "engine/base/lent.hpp"
#include "engine/cpu/dispersion_correction.hpp"
#include "engine/cpu/listed.hpp"
#include "engine/cpu/long_range.hpp"
#include "engine/cpu/nonbonded.hpp"
#include "engine/cpu/position_grid.hpp"
#include "engine/cpu/virtual_sites.hpp"
#include "engine/plans/local_topology.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

namespace tessera
{

namespace
{

using Bytes = Transport::Bytes;
using FixedForce = std::array<std::int64_t, 3>;

std::size_t at(std::int64_t k)
{
    return static_cast<std::size_t>(k);
}

template <class T>
void append(Bytes& to, const T& value)
{
    static_assert(std::is_trivially_copyable_v<T>);
    const auto* first = reinterpret_cast<const std::byte*>(&value);
    to.insert(to.end(), first, first + sizeof(T));
}

template <class T>
T taken(const Bytes& from, std::size_t index)
{
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(&value, from.data() + index * sizeof(T), sizeof(T));
    return value;
}

/// One rank's evaluation.
class Share {
public:
    Share(const std::shared_ptr<const Topology>& topology, const NonbondedSettings& settings,
          Places places, Transport& transport, int threads, const std::optional<DomainGrid>& grid)
        : whole_(*topology), settings_(settings), box_(places.box), transport_(transport),
          rank_(transport.rank()), ranks_(transport.size()), threads_(threads), grid_(box_)
    {
        std::vector<Vec3>& start = places.positions;
        VirtualSites(whole_).construct(box_, start, places.grid);
        const std::vector<Vec3> canonical = canonical_positions(grid_, start, threads);
        const double cutoff = cutoff_in_use(settings);
        const double reach = cutoff + reach_of_rounding(settings.precision, cutoff);
        const TopologyIndex index(whole_);
        const DomainCut cut =
            make_domain_cut(grid_.box(), reach, measure_extents(whole_, index, box_, canonical),
                            grid ? *grid : choose_domain_grid(grid_.box(), reach, ranks_));
        plan(index, cut, canonical);
        for (std::size_t n = 0; n < local_.global().size(); ++n) { // ghosts' come from their owners
            position_.push_back(local_.is_own(n) ? start[at(local_.global()[n])] : Vec3{});
        }
    }

    /// From the start positions, which every rank has read: who knows of which atom.
    void plan(const TopologyIndex& index, const DomainCut& cut, std::span<const Vec3> canonical)
    {
        owner_.resize(canonical.size());
        known_.resize(at(ranks_));
        for (std::size_t g = 0; g < index.groups.rows(); ++g) {
            const DomainCut::Home home = cut.home_of(canonical[at(index.key[g])]);
            for (const std::int32_t* a = index.groups.begin(g); a != index.groups.end(g); ++a) {
                owner_[at(*a)] = cut.owner_of(home);
            }
            for (const int reader : cut.readers_of(home)) {
                known_[at(reader)].insert(known_[at(reader)].end(), index.groups.begin(g),
                                          index.groups.end(g));
            }
        }
        for (std::vector<std::int32_t>& atoms : known_) {
            std::sort(atoms.begin(), atoms.end());
        }
        std::vector<Vec3> mine;
        for (const std::int32_t a : known_[at(rank_)]) {
            mine.push_back(canonical[at(a)]);
        }
        local_ = make_local_topology(whole_, index, cut, known_[at(rank_)], mine, rank_);
    }

    /// Calls visit(local row, owner) for every ghost, and visit(row, reader) for every own atom
    /// that is a ghost of `reader`: in ascending order of atoms, alike on both sides.
    template <class Visit>
    void for_each_ghost(const Visit& visit) const
    {
        for (std::size_t n = 0; n < local_.global().size(); ++n) {
            if (!local_.is_own(n)) {
                visit(n, owner_[at(local_.global()[n])]);
            }
        }
    }
    template <class Visit>
    void for_each_export(const Visit& visit) const
    {
        for (int reader = 0; reader < ranks_; ++reader) {
            for (const std::int32_t a : known_[at(reader)]) {
                if (reader != rank_ && owner_[at(a)] == rank_) {
                    const auto n =
                        std::lower_bound(local_.global().begin(), local_.global().end(), a);
                    visit(at(n - local_.global().begin()), reader);
                }
            }
        }
    }

    void fetch_ghosts()
    {
        std::vector<Bytes> to(at(ranks_));
        for_each_export([&](std::size_t n, int reader) { append(to[at(reader)], position_[n]); });
        const std::vector<Bytes> from = transport_.exchange(std::move(to));
        std::vector<std::size_t> next(at(ranks_), 0);
        for_each_ghost([&](std::size_t n, int owner) {
            position_[n] = taken<Vec3>(from[at(owner)], next[at(owner)]++);
        });
    }

    void evaluate()
    {
        constexpr Wanted everything{true, true};
        forces_ = ForceSums(position_.size(), SumMode::exact);
        const bool books = rank_ == 0; // what belongs to no atom is booked once

        NonbondedSettings once = settings_;
        once.list_buffer = 0;
        Nonbonded nonbonded(lent(local_.topology), once);
        nonbonded.restrict_to(local_.topology,
                              {local_.owner, local_.corrected,
                               std::any_of(whole_.charge.begin(), whole_.charge.end(),
                                           [](double q) { return q != 0.0; }),
                               [this](bool mine) { return Crew(1, &transport_).any(mine); },
                               books ? &whole_ : nullptr});
        nonbonded.search(box_, position_, threads_);
        nonbonded.add_forces(box_, position_, everything, threads_, forces_, sums_);
        Listed(local_.topology).add_forces(box_, position_, everything, threads_, forces_, sums_);
        if (books) {
            DispersionTail(whole_, settings_).add(box_, everything, sums_);
        }
    }

    void add_mesh()
    {
        std::vector<std::int32_t> spread;
        for (std::size_t n = 0; n < local_.global().size(); ++n) {
            spread.push_back(local_.is_own(n) ? local_.global()[n] : -1);
        }
        LongRange long_range(lent(whole_), settings_);
        long_range.restrict_to(spread, transport_);
        long_range.add_forces(box_, position_, {true, true}, threads_, forces_, sums_);
    }

    void return_forces()
    {
        std::vector<Bytes> to(at(ranks_));
        for_each_ghost(
            [&](std::size_t n, int owner) { append(to[at(owner)], forces_.fixed()[n]); });
        const std::vector<Bytes> from = transport_.exchange(std::move(to));
        std::vector<std::size_t> next(at(ranks_), 0);
        for_each_export([&](std::size_t n, int reader) {
            const auto f = taken<FixedForce>(from[at(reader)], next[at(reader)]++);
            for (std::size_t c = 0; c < 3; ++c) {
                auto& sum = forces_.fixed()[n][c];
                sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) +
                                                static_cast<std::uint64_t>(f[c]));
            }
        });
    }

    void spread_sites()
    {
        VirtualSites(local_.topology).spread(box_, position_, {true, true}, forces_, sums_);
    }

    /// The ranks' own forces and positions, and their sums, on every rank.
    void gather(SinglePoint& result)
    {
        struct Row {
            Vec3 force, position;
        };
        Bytes mine;
        Bytes my_sums;
        append(my_sums, sums_);
        for (std::size_t n = 0; n < local_.global().size(); ++n) {
            if (local_.is_own(n)) {
                append(mine, Row{forces_.force(n), position_[n]});
            }
        }
        const auto rows = transport_.exchange(std::vector<Bytes>(at(ranks_), mine));
        const auto sums = transport_.exchange(std::vector<Bytes>(at(ranks_), my_sums));
        result.forces.resize(whole_.mass.size());
        result.positions.resize(whole_.mass.size());
        std::vector<std::size_t> next(at(ranks_), 0);
        for (std::size_t a = 0; a < whole_.mass.size(); ++a) {
            const std::size_t owner = at(owner_[a]);
            const Row row = taken<Row>(rows[owner], next[owner]++);
            result.forces[a] = row.force;
            result.positions[a] = row.position;
        }
        for (const VirtualSite& site : whole_.virtual_sites) {
            result.forces[at(site.site)] = Vec3{};
        }
        result.sums = EnergySums();
        for (const Bytes& bytes : sums) {
            result.sums.merge(taken<EnergySums>(bytes, 0));
        }
    }

    [[nodiscard]] bool is_out_of_range() const { return forces_.out_of_range() >= 0; }

private:
    const Topology& whole_;
    const NonbondedSettings& settings_;
    Box box_;
    Transport& transport_;
    int rank_, ranks_, threads_;
    PositionGrid grid_;
    std::vector<std::int32_t> owner_;              ///< rank, [atoms]
    std::vector<std::vector<std::int32_t>> known_; ///< atoms, ascending, [ranks]
    LocalTopology local_;
    std::vector<Vec3> position_; ///< nm, [local atoms]
    ForceSums forces_;
    EnergySums sums_;
};

/// Whether any rank says yes.
bool any(Transport& transport, bool mine)
{
    std::int64_t count = mine ? 1 : 0;
    transport.add(std::span(&count, 1));
    return count > 0;
}

} // namespace

SinglePoint parallel_single_point(const std::shared_ptr<const Topology>& topology,
                                  const NonbondedSettings& settings, const Box& box,
                                  std::span<const Vec3> positions, Transport& transport,
                                  int threads, const std::optional<DomainGrid>& grid)
{
    threads = std::max(1, threads);
    SinglePoint result;
    Share share(topology, settings,
                places_of(box, reach_of_places(list_reach(settings)), positions), transport,
                threads, grid);
    share.fetch_ghosts();
    bool broken = false;
    try {
        share.evaluate();
    } catch (const PhysicsError&) {
        broken = true; // told below, by the whole system's atom numbers
    }
    if (any(transport, broken)) {
        return single_point(topology, settings, box, positions, threads);
    }
    share.add_mesh();
    share.return_forces();
    share.spread_sites();
    if (any(transport, share.is_out_of_range())) {
        return single_point(topology, settings, box, positions, threads); // FP64 sums, in one order
    }
    share.gather(result);
    return result;
}

} // namespace tessera
