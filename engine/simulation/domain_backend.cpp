#include "engine/simulation/domain_backend.hpp"

#include "engine/base/byte_stream.hpp"
#include "engine/base/error.hpp"
#include "engine/cpu/atom_loop.hpp"
#include "engine/cpu/nonbonded.hpp"
#include "engine/cpu/position_grid.hpp"
#include "engine/plans/constraint_plan.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

namespace tessera
{

namespace
{

using Bytes = Transport::Bytes;

std::size_t at(std::int64_t k)
{
    return static_cast<std::size_t>(k);
}

DynamicsSettings shareable(const DynamicsSettings& dynamics, const NonbondedSettings& nonbonded)
{
    if (nonbonded.shuffle_seed != 0) {
        throw InputError("compute.shuffle_seed works on one rank (it permutes what ranks agree "
                         "on). Use one rank, or take it out.");
    }
    if (nonbonded.electrostatics == Electrostatics::ewald) {
        throw InputError("nonbonded.electrostatics = \"ewald\" is not built yet on several ranks "
                         "(direct Ewald sums are not shared). Use \"pme\", or one rank.");
    }
    if (dynamics.minimises()) {
        throw InputError("run.integrator = \"steepest-descent\" runs on one rank (its trial steps "
                         "are not shared). Minimise with one rank and several threads, and start "
                         "the ranks from what it leaves.");
    }
    return dynamics;
}

/// Of an atom of the same group as that at `near`.
template <class Atoms>
std::size_t place_of(const Atoms& ascending, std::int32_t atom, std::size_t near)
{
    const std::int64_t guess = static_cast<std::int64_t>(near) + (atom - ascending[near].atom);
    if (guess >= 0 && guess < std::ssize(ascending) && ascending[at(guess)].atom == atom) {
        return at(guess);
    }
    const auto found = std::lower_bound(ascending.begin(), ascending.end(), atom,
                                        [](const auto& a, std::int32_t b) { return a.atom < b; });
    return static_cast<std::size_t>(found - ascending.begin());
}

/// Atoms are listed in ascending order wherever they travel.
constexpr auto is_earlier = [](const auto& a, const auto& b) { return a.atom < b.atom; };

void add_to(std::array<std::int64_t, 3>& sum, const std::array<std::int64_t, 3>& f)
{
    for (std::size_t c = 0; c < 3; ++c) {
        sum[c] = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum[c]) +
                                           static_cast<std::uint64_t>(f[c]));
    }
}

} // namespace

void refuse_what_ranks_cannot_share(const DynamicsSettings& dynamics,
                                    const NonbondedSettings& nonbonded, const Box& box, int ranks)
{
    shareable(dynamics, nonbonded);
    make_domain_cut(box, list_reach(nonbonded), {}, domains_at_first(nonbonded, box, ranks));
}

DomainGrid domains_at_first(const NonbondedSettings& nonbonded, const Box& box, int ranks)
{
    return choose_domain_grid(box, list_reach(nonbonded), ranks);
}

DomainBackend::DomainBackend(std::shared_ptr<const Topology> topology,
                             const NonbondedSettings& nonbonded, const DynamicsSettings& dynamics,
                             double smallest_cell, Transport& ranks, int threads, Cuts cuts)
    : whole_(std::move(topology)), index_(*whole_), reach_(list_reach(nonbonded)), ranks_(ranks),
      own_(whole_, shareable(dynamics, nonbonded), {}, {smallest_cell, reach_},
           Crew(threads, &ranks)),
      forces_(whole_, nonbonded, ranks), cuts_(std::move(cuts))
{
}

/// Every rank has read the same state and takes what is its own.
void DomainBackend::load(const State& state)
{
    own_.load(state);
    own_.place_sites();
    state_ = own_.state();
    const std::vector<Vec3> x = canonical(state_.position);
    const DomainCut cut = next_cut(measure_extents(*whole_, index_, state_.box, x));
    std::vector<Traveller> own;
    for (std::size_t a = 0; a < x.size(); ++a) {
        const Vec3& key = x[at(index_.key[at(index_.group[a])])];
        if (cut.owner_of(cut.home_of(key)) == ranks_.rank()) {
            own.push_back({static_cast<std::int32_t>(a), state_.position[a], state_.velocity[a]});
        }
    }
    settle(cut, std::move(own));
    if (ranks_.rank() > 0) {
        state_.position = {};
        state_.velocity = {};
    }
}

DomainCut DomainBackend::next_cut(const Extents& extents)
{
    const Box box = PositionGrid(own_.state().box).box();
    grid_ = next_grid(box);
    ++cuts_made_;
    return make_domain_cut(box, reach_, extents, grid_);
}

DomainGrid DomainBackend::next_grid(const Box& box)
{
    if (cuts_) {
        return cuts_(box, reach_, cuts_made_);
    }
    if (cuts_made_ == 0) {
        return choose_domain_grid(box, reach_, ranks_.size());
    }
    return balanced(grid_, work_of_ranks());
}

/// Since it was last asked: what hangs on where a rank's atoms are, without waiting for others. All
/// ranks get the same numbers.
std::vector<double> DomainBackend::work_of_ranks()
{
    double all = 0;
    for (const char* phase : {"search", "pairs", "bonded", "constraints", "update"}) {
        all += times().seconds(phase);
    }
    constexpr double unit = 1e-9; // s
    std::vector<std::int64_t> work(at(ranks_.size()));
    work[at(ranks_.rank())] = std::llrint((all - std::exchange(work_done_, all)) / unit);
    ranks_.add(work);
    return {work.begin(), work.end()};
}

/// Places in the brick, nm: those that the forces' own are images of.
std::vector<Vec3> DomainBackend::canonical(std::span<const GridPosition> positions) const
{
    const PositionGrid cell(own_.state().box);
    std::vector<Vec3> x(positions.size());
    for_each_atom(std::ssize(positions), own_.threads(), [&](std::size_t a) {
        PositionGrid::Image ignored;
        x[a] = to_nm(cell.canonical(own_.places().rounded(positions[a]), ignored));
    });
    return x;
}

/// Every rank measures the terms that it computes: each is on one rank.
void DomainBackend::cut_anew()
{
    const ScopedPhase phase(times(), "domains");
    const std::vector<Vec3> x = canonical(own_.state().position);
    Extents extents = measure_extents(part_->topology, index_, own_.state().box, x);
    std::array<std::int64_t, 6> words{}; // doubles that are not negative are ordered as their bits
    for (std::size_t d = 0; d < 3; ++d) {
        words[d] = std::bit_cast<std::int64_t>(extents.terms[d]);
        words[3 + d] = std::bit_cast<std::int64_t>(extents.groups[d]);
    }
    ranks_.take_largest(words);
    for (std::size_t d = 0; d < 3; ++d) {
        extents.terms[d] = std::bit_cast<double>(words[d]);
        extents.groups[d] = std::bit_cast<double>(words[3 + d]);
    }
    const DomainCut cut = next_cut(extents);
    settle(cut, migrate(cut, x));
}

/// Sends own atoms to their new owners; returns those that are this rank's now.
std::vector<DomainBackend::Traveller> DomainBackend::migrate(const DomainCut& cut,
                                                             std::span<const Vec3> canonical)
{
    std::vector<Bytes> to(at(ranks_.size()));
    std::vector<Traveller> own;
    const State& mine = own_.state();
    for (std::size_t n = 0; n < canonical.size(); ++n) {
        if (!part_->is_own(n)) {
            continue;
        }
        const std::int32_t atom = part_->global()[n];
        const std::int32_t key = part_->local_of(index_.key[at(index_.group[at(atom)])], n);
        const int owner = cut.owner_of(cut.home_of(canonical[at(key)]));
        const Traveller traveller{atom, mine.position[n], mine.velocity[n]};
        if (owner == ranks_.rank()) {
            own.push_back(traveller);
        } else {
            append(to[at(owner)], traveller);
        }
    }
    for (const Bytes& bytes : ranks_.exchange(std::move(to))) {
        const std::ptrdiff_t known = std::ssize(own);
        ByteReader arrived(bytes);
        while (!arrived.is_at_end()) {
            own.push_back(arrived.take<Traveller>());
        }
        std::inplace_merge(own.begin(), own.begin() + known, own.end(), is_earlier);
    }
    return own;
}

/// With its own atoms, ascending, a rank tells others which of them they have to know, and makes
/// its part of the system. Both sides list the atoms that travel between them in ascending order.
void DomainBackend::settle(const DomainCut& cut, std::vector<Traveller> own)
{
    const int me = ranks_.rank();
    std::vector<GridPosition> positions;
    for (const Traveller& t : own) {
        positions.push_back(t.position);
    }
    const std::vector<Vec3> x = canonical(positions);
    std::vector<Bytes> to(at(ranks_.size()));
    std::vector<std::vector<std::int32_t>> known_elsewhere(to.size());
    std::int32_t group = -1;
    std::vector<int> readers;
    for (std::size_t n = 0; n < own.size(); ++n) {
        if (const std::int32_t g = index_.group[at(own[n].atom)]; g != group) {
            group = g;
            readers = cut.readers_of(cut.home_of(x[place_of(own, index_.key[at(g)], n)]));
        }
        for (const int reader : readers) {
            if (reader != me) {
                append(to[at(reader)], Ghost{own[n].atom, own[n].position});
                known_elsewhere[at(reader)].push_back(own[n].atom);
            }
        }
    }
    const std::vector<Bytes> from = ranks_.exchange(std::move(to));
    std::vector<std::vector<std::int32_t>> owned_elsewhere(from.size());
    std::vector<Traveller> all = std::move(own);
    for (std::size_t r = 0; r < from.size(); ++r) {
        const std::ptrdiff_t known = std::ssize(all);
        ByteReader ghosts(from[r]);
        while (!ghosts.is_at_end()) {
            const Ghost ghost = ghosts.take<Ghost>();
            all.push_back({ghost.atom, ghost.position, {}});
            owned_elsewhere[r].push_back(ghost.atom);
        }
        std::inplace_merge(all.begin(), all.begin() + known, all.end(), is_earlier);
    }

    State part;
    std::vector<std::int32_t> global;
    for (const Traveller& t : all) {
        global.push_back(t.atom);
        part.position.push_back(t.position);
        part.velocity.push_back(t.velocity);
    }
    part_ = std::make_shared<const LocalTopology>(
        make_local_topology(*whole_, index_, cut, std::move(global), canonical(part.position), me));
    const auto in_own_numbers = [&](std::vector<std::vector<std::int32_t>>& lists) {
        RaggedList rows;
        for (std::vector<std::int32_t>& list : lists) {
            std::size_t near = 0;
            for (std::int32_t& atom : list) {
                atom = part_->local_of(atom, near);
                near = at(atom) + 1;
            }
            rows.add_row(list);
        }
        return rows;
    };
    halo_ = {in_own_numbers(known_elsewhere), in_own_numbers(owned_elsewhere)};
    positions_ = {halo_.exports, halo_.ghosts};
    returned_ = {halo_.ghosts, halo_.exports};
    own_.adopt_part({part_, &part_->topology}, forces_.of(part_), part);
}

void DomainBackend::send_positions()
{
    const ScopedPhase phase(times(), "exchange");
    positions_.begin(ranks_, [&](std::size_t n) { return own_.state().position[n]; });
}

/// If that is still to be done.
void DomainBackend::place_ghosts()
{
    if (positions_.are_under_way()) {
        const ScopedPhase phase(times(), "exchange");
        positions_.finish([&](std::size_t n, const GridPosition& x) { own_.set_ghost(n, x); });
    }
}

void DomainBackend::send_forces()
{
    const ScopedPhase phase(times(), "exchange");
    auto& sums = own_.sums().fixed();
    returned_.begin(ranks_, [&](std::size_t n) { return std::exchange(sums[n], FixedForce{}); });
}

void DomainBackend::take_forces()
{
    const ScopedPhase phase(times(), "exchange");
    auto& sums = own_.sums().fixed();
    returned_.finish([&](std::size_t n, const FixedForce& f) { add_to(sums[n], f); });
}

void DomainBackend::begin_forces(Wanted wanted)
{
    own_.place_sites();
    send_positions();
    if (Crew(1, &ranks_).any(own_.place_and_ask())) {
        place_ghosts();
        cut_anew();
        own_.search();
    }
    own_.clear_forces(wanted);
}

LongRangeToken DomainBackend::begin_long_range(Wanted wanted)
{
    const Transport::Pastime meanwhile(ranks_, [this, wanted] {
        place_ghosts();
        return own_.add_ahead(wanted);
    });
    return own_.begin_long_range(wanted);
}

void DomainBackend::add_local_forces(Wanted wanted)
{
    place_ghosts();
    own_.add_local_forces(wanted);
    send_forces();
}

void DomainBackend::finish_forces(Wanted wanted)
{
    take_forces();
    own_.finish_forces(wanted);
}

/// The first rank gets one value an atom, in the order of the whole; the others nothing.
template <class T>
std::vector<T> DomainBackend::on_first_rank(const std::vector<T>& of_local_atoms) const
{
    std::vector<Bytes> to(at(ranks_.size()));
    for (std::size_t n = 0; n < of_local_atoms.size(); ++n) {
        if (part_->is_own(n)) {
            append(to[0], part_->global()[n]);
            append(to[0], of_local_atoms[n]);
        }
    }
    std::vector<T> all(ranks_.rank() == 0 ? whole_->mass.size() : 0);
    for (const Bytes& bytes : ranks_.exchange(std::move(to))) {
        ByteReader values(bytes);
        while (!values.is_at_end()) {
            const auto atom = values.take<std::int32_t>();
            all[at(atom)] = values.take<T>();
        }
    }
    return all;
}

void DomainBackend::collect()
{
    state_.position = on_first_rank(own_.state().position);
    state_.velocity = on_first_rank(own_.state().velocity);
    follow_clock();
}

std::vector<Vec3> DomainBackend::forces() const
{
    return on_first_rank(own_.forces());
}

void DomainBackend::follow_clock()
{
    const State& mine = own_.state();
    state_.box = mine.box;
    state_.step = mine.step;
    state_.time = mine.time;
    state_.velocities_half_step_behind = mine.velocities_half_step_behind;
}

void DomainBackend::perform(const SubStep& sub_step)
{
    own_.perform(sub_step);
    follow_clock();
}

void DomainBackend::advance_clock()
{
    own_.advance_clock();
    follow_clock();
}

void DomainBackend::adopt_velocities(bool half_step_behind)
{
    own_.adopt_velocities(half_step_behind);
    follow_clock();
}

std::string DomainBackend::describe(std::int64_t atom) const
{
    return describe_atom(*whole_, atom);
}

} // namespace tessera
