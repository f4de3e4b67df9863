#include "engine/simulation/domain_backend.hpp"

#include "engine/base/byte_stream.hpp"
#include "engine/base/error.hpp"
#include "engine/cpu/nonbonded.hpp"
#include "engine/cpu/position_grid.hpp"
#include "engine/cpu/virtual_sites.hpp"
#include "engine/plans/constraint_plan.hpp"

#include <algorithm>
#include <array>
#include <utility>

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

/// Pairs farther apart than this at a search are on no list.
double list_reach(const NonbondedSettings& s)
{
    const double cutoff = s.electrostatics == Electrostatics::none ? s.lj_cutoff : s.cutoff();
    return cutoff + std::max(0.0, s.list_buffer) + reach_of_rounding(s.precision, cutoff);
}

DynamicsSettings shareable(const DynamicsSettings& dynamics)
{
    if (dynamics.minimises()) {
        throw InputError("run.integrator = \"steepest-descent\" runs on one rank (its trial steps "
                         "are not shared). Minimise with one rank and several threads, and start "
                         "the ranks from what it leaves.");
    }
    return dynamics;
}

void add_to(FixedForce& sum, const FixedForce& f)
{
    for (std::size_t c = 0; c < 3; ++c) {
        sum[c] = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum[c]) +
                                           static_cast<std::uint64_t>(f[c]));
    }
}

} // namespace

DomainBackend::DomainBackend(std::shared_ptr<const Topology> topology,
                             const NonbondedSettings& nonbonded, const DynamicsSettings& dynamics,
                             double smallest_cell, Transport& ranks, int threads, Cuts cuts)
    : whole_(std::move(topology)), groups_(make_constraint_plan(*whole_).update_groups),
      dynamics_(shareable(dynamics)), reach_(list_reach(nonbonded)), ranks_(ranks),
      own_(whole_, dynamics, {}, smallest_cell, Crew(threads, &ranks)),
      forces_(whole_, nonbonded, ranks), cuts_(std::move(cuts))
{
    if (!cuts_) {
        cuts_ = [count = ranks.size()](const Box& box, double reach, std::int64_t) {
            return choose_domain_grid(box, reach, count);
        };
    }
}

void DomainBackend::load(const State& state)
{
    own_.load(state);
    state_ = own_.state();
    cut();
}

/// From a state that is whole on every rank to this rank's part of it.
void DomainBackend::cut()
{
    const PositionGrid grid(state_.box);
    std::vector<Vec3> x;
    x.reserve(state_.position.size());
    for (const GridPosition& g : state_.position) {
        x.push_back(to_nm(g));
    }
    VirtualSites(*whole_).construct(state_.box, x);
    const std::vector<Vec3> canonical = canonical_positions(grid, x, own_.threads());
    plan_ = std::make_shared<const DomainPlan>(make_domain_plan(
        *whole_, groups_, grid.box(), canonical, reach_, cuts_(grid.box(), reach_, cuts_made_++)));
    part_ = std::make_shared<const LocalTopology>(
        make_local_topology(*whole_, *plan_, grid.box(), canonical, ranks_.rank()));
    plan_exchange();

    State part;
    for (const std::int32_t a : part_->global) {
        part.position.push_back(state_.position[at(a)]);
        part.velocity.push_back(state_.velocity[at(a)]);
    }
    own_.adopt_part({part_, &part_->topology}, forces_.of(part_), part);
}

/// Both sides list the atoms that travel between them in ascending order.
void DomainBackend::plan_exchange()
{
    const std::vector<std::int32_t>& global = part_->global;
    ghosts_.assign(at(ranks_.size()), {});
    exports_.assign(at(ranks_.size()), {});
    for (std::size_t n = 0; n < global.size(); ++n) {
        if (part_->owned[n] == 0) {
            ghosts_[at(plan_->owner[at(global[n])])].push_back(static_cast<std::int32_t>(n));
        }
    }
    for (int reader = 0; reader < ranks_.size(); ++reader) {
        if (reader == ranks_.rank()) {
            continue;
        }
        for (const std::int32_t a : plan_->known[at(reader)]) {
            if (plan_->owner[at(a)] == ranks_.rank()) {
                const auto n = std::lower_bound(global.begin(), global.end(), a);
                exports_[at(reader)].push_back(static_cast<std::int32_t>(n - global.begin()));
            }
        }
    }
}

void DomainBackend::fetch_ghosts()
{
    const ScopedPhase phase(times(), "exchange");
    std::vector<Bytes> to(exports_.size());
    for (std::size_t r = 0; r < to.size(); ++r) {
        for (const std::int32_t n : exports_[r]) {
            append(to[r], own_.state().position[at(n)]);
        }
    }
    const std::vector<Bytes> from = ranks_.exchange(std::move(to));
    for (std::size_t r = 0; r < from.size(); ++r) {
        ByteReader positions(from[r]);
        for (const std::int32_t n : ghosts_[r]) {
            own_.set_ghost(at(n), positions.take<GridPosition>());
        }
    }
}

void DomainBackend::return_forces()
{
    const ScopedPhase phase(times(), "exchange");
    auto& sums = own_.sums().fixed();
    std::vector<Bytes> to(ghosts_.size());
    for (std::size_t r = 0; r < to.size(); ++r) {
        for (const std::int32_t n : ghosts_[r]) {
            append(to[r], std::exchange(sums[at(n)], FixedForce{}));
        }
    }
    const std::vector<Bytes> from = ranks_.exchange(std::move(to));
    for (std::size_t r = 0; r < from.size(); ++r) {
        ByteReader forces(from[r]);
        for (const std::int32_t n : exports_[r]) {
            add_to(sums[at(n)], forces.take<FixedForce>());
        }
    }
}

void DomainBackend::begin_forces(Wanted wanted)
{
    own_.place_sites();
    fetch_ghosts();
    if (Crew(1, &ranks_).any(own_.place_and_ask())) {
        collect();
        cut();
        own_.search();
    }
    own_.clear_forces(wanted);
}

void DomainBackend::finish_forces(Wanted wanted)
{
    return_forces();
    own_.finish_forces(wanted);
}

/// Every rank tells every other its own atoms.
void DomainBackend::collect()
{
    const State& mine = own_.state();
    Bytes out;
    for (std::size_t n = 0; n < part_->global.size(); ++n) {
        if (part_->owned[n] != 0) {
            append(out, mine.position[n]);
            append(out, mine.velocity[n]);
        }
    }
    const std::vector<Bytes> from = ranks_.exchange(std::vector<Bytes>(at(ranks_.size()), out));
    std::vector<ByteReader> readers(from.begin(), from.end());
    for (std::size_t a = 0; a < state_.position.size(); ++a) {
        ByteReader& owner = readers[at(plan_->owner[a])];
        state_.position[a] = owner.take<GridPosition>();
        state_.velocity[a] = owner.take<Vec3>();
    }
    follow_clock();
}

std::vector<Vec3> DomainBackend::forces() const
{
    Bytes out;
    const std::vector<Vec3> mine = own_.forces();
    for (std::size_t n = 0; n < part_->global.size(); ++n) {
        if (part_->owned[n] != 0) {
            append(out, mine[n]);
        }
    }
    const std::vector<Bytes> from = ranks_.exchange(std::vector<Bytes>(at(ranks_.size()), out));
    std::vector<ByteReader> readers(from.begin(), from.end());
    std::vector<Vec3> all;
    all.reserve(state_.position.size());
    for (const std::int32_t owner : plan_->owner) {
        all.push_back(readers[at(owner)].take<Vec3>());
    }
    return all;
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
