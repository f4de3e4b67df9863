#include "engine/cpu/nonbonded.hpp"

#include "engine/base/contract.hpp"
#include "engine/base/error.hpp"
#include "engine/base/let_go.hpp"
#include "engine/cpu/kernel_grid.hpp"
#include "engine/cpu/mesh_c6.hpp"
#include "engine/cpu/pair_sums.hpp"
#include "engine/cpu/row_walker.hpp"
#include "engine/plans/shuffle.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <utility>

namespace tessera
{

namespace
{

constexpr int width = ClusterOrder::width;

// With blocks the list lives long and tiles are chosen from it again and again: their share of the
// list's buffer, measured.
constexpr double inner_buffer = 0.22;

std::size_t at(std::int64_t k)
{
    return static_cast<std::size_t>(k);
}

bool is_ewald(Electrostatics e)
{
    return e == Electrostatics::pme || e == Electrostatics::ewald;
}

} // namespace

/// Both positions and up to a few cell vectors are off by 2^-24 nm an element, r^2 by some 2^-23 of
/// itself.
double reach_of_rounding(Precision precision, double cutoff)
{
    return precision == Precision::mixed && std::isfinite(cutoff) ? 2e-6 + 1e-6 * cutoff : 0.0;
}

double cutoff_in_use(const NonbondedSettings& settings)
{
    return settings.electrostatics == Electrostatics::none ? settings.lj_cutoff : settings.cutoff();
}

double list_reach(const NonbondedSettings& settings)
{
    const double cutoff = cutoff_in_use(settings);
    return cutoff + std::max(0.0, settings.list_buffer) +
           reach_of_rounding(settings.precision, cutoff);
}

Nonbonded::Nonbonded(const Topology& topology, const NonbondedSettings& settings)
    : Nonbonded(std::make_shared<const Topology>(topology), settings)
{
}

Nonbonded::Nonbonded(std::shared_ptr<const Topology> shared, const NonbondedSettings& settings)
    : form_(make_pair_form(settings, shared->coulomb_constant)), cutoff_(cutoff_in_use(settings)),
      sure_cutoff_(cutoff_), list_radius_(cutoff_ + std::max(0.0, settings.list_buffer)),
      needs_cell_(is_ewald(settings.electrostatics) || settings.lj_pme),
      topology_(std::move(shared)), types_(topology_->pairs.types),
      shuffle_seed_(settings.shuffle_seed)
{
    const Topology& topology = *topology_;
    const std::vector<double> cg = settings.lj_pme
                                       ? make_mesh_c6(topology.pairs, settings.lj_combination)
                                       : std::vector<double>(topology.pairs.c6.size(), 0.0);
    type_pair_.reserve(cg.size());
    for (std::size_t k = 0; k < cg.size(); ++k) {
        type_pair_.push_back({topology.pairs.c6[k], topology.pairs.c12[k]});
    }
    if (topology.pairs.has_c4()) {
        type_c4_ = topology.pairs.c4;
    }
    if (settings.lj_pme) {
        type_cg_ = cg;
    }
    corrections_ = ExclusionCorrections(topology_, form_, cg);
    doubles_ = make_double_parameters(form_, topology.pairs.c6, topology.pairs.c12,
                                      topology.pairs.has_c4());
    if (settings.precision == Precision::mixed) {
        make_tiles(topology, std::any_of(topology.charge.begin(), topology.charge.end(),
                                         [](double q) { return q != 0.0; }));
    }
}

void Nonbonded::make_tiles(const Topology& topology, bool has_charges)
{
    tiles_ = make_tile_form(form_, has_charges);
    if (!tiles_) {
        return;
    }
    for (const TypePair& pair : type_pair_) {
        tiles_->c6.push_back(static_cast<float>(pair.c6));
        tiles_->c12.push_back(static_cast<float>(pair.c12));
    }
    for (const double c4 : type_c4_) {
        tiles_->c4.push_back(static_cast<float>(c4));
    }
    blocks_ =
        make_block_parameters(form_, *tiles_, topology.pairs.c6, topology.pairs.c12, type_c4_);
    const double buffer = list_radius_ - sure_cutoff_;
    sure_cutoff_ = cutoff_ + reach_of_rounding(Precision::mixed, cutoff_);
    if (blocks_) {
        pruning_.emplace(cutoff_, inner_buffer * buffer);
    }
    list_radius_ = sure_cutoff_ + buffer;
}

void Nonbonded::restrict_to(const Topology& topology, PairShare share)
{
    const std::vector<double> cg =
        type_cg_.empty() ? std::vector<double>(type_pair_.size(), 0.0) : type_cg_;
    corrections_ = ExclusionCorrections(
        topology_, form_, cg, std::make_shared<const RaggedList>(std::move(share.corrected)),
        share.self_terms_of);
    any_ = std::move(share.any);
    owner_ = std::move(share.owner);
    if (tiles_ && owner_) {
        make_tiles(topology, share.has_charges);
    }
}

void Nonbonded::drop_pairs_of_others()
{
    TESSERA_EXPECT(!list_.all_pairs);
    is_partial_.assign(list_.columns.size(), 0);
    for (const ClusterPairList::Row& row : list_.rows) {
        for (std::int64_t c = row.begin; c < row.end; ++c) {
            ClusterPairList::Column& column = list_.columns[at(c)];
            const std::uint32_t all = column.mask;
            for (std::uint32_t mask = column.mask; mask != 0; mask &= mask - 1) {
                const int bit = std::countr_zero(mask);
                const auto atom = [&](std::int32_t cluster, int lane) {
                    return list_.order.atom_of_slot[at(cluster * width + lane)];
                };
                if (!owner_->owns(atom(row.cluster, bit / width), atom(column.cluster, bit % width),
                                  list_.shifts[at(row.shift)])) {
                    column.mask &= ~(1u << bit);
                }
            }
            is_partial_[at(c)] = column.mask != all ? 1 : 0;
        }
    }
}

void Nonbonded::check(const Box& box) const
{
    if (!box.is_periodic()) {
        if (needs_cell_) {
            throw InputError(
                "an Ewald sum (pme, ewald, LJ-PME) needs a periodic cell, but there is "
                "none. Give a cell, or choose \"cutoff\" or \"reaction-field\".");
        }
        return;
    }
    const double limit = 0.5 * box.shortest_height();
    if (!(cutoff_ <= limit * (1.0 + 1e-12))) {
        const Mat3& h = box.vectors();
        throw InputError(fmt::format(
            "the cut-off {:.6g} nm does not fit the cell ({:.6g} {:.6g} {:.6g}), ({:.6g} {:.6g} "
            "{:.6g}), ({:.6g} {:.6g} {:.6g}) nm (half its shortest height is {:.7g} nm). Choose a "
            "smaller cut-off or a larger cell.",
            cutoff_, h[0].x, h[0].y, h[0].z, h[1].x, h[1].y, h[1].z, h[2].x, h[2].y, h[2].z,
            limit));
    }
}

void Nonbonded::search(const Box& box, std::span<const Vec3> positions, int threads)
{
    TESSERA_EXPECT(positions.size() == topology_->charge.size());
    check(box);
    forget_list();
    tracker_.start(box, positions, threads);
    const std::vector<Vec3> canonical = tracker_.positions(threads);
    list_ = make_empty_pair_list(tracker_.box(), canonical, topology_->exclusions, list_radius_,
                                 threads);
    if (shuffle_seed_ != 0) {
        need_rows(threads);
        list_ = shuffled(list_, shuffle_seed_ = mixed_bits(shuffle_seed_) | 1);
    }
    searched_ = true;

    const std::size_t slots = list_.order.atom_of_slot.size();
    slot_type_.assign(slots + 12, 0); // tiles read a whole vector
    for (std::size_t s = 0; s < slots; ++s) {
        const std::int32_t atom = list_.order.atom_of_slot[s];
        if (atom >= 0) {
            slot_type_[s] = topology_->type[at(atom)];
        }
    }
    if ((blocks_ || doubles_) && !list_.all_pairs) {
        make_blocks(canonical, threads);
        if (!has_rows_) { // who needs rows has them made from the positions
            tessera::let_go(list_.order.nodes);
        }
    }
}

/// The list and what was made with its help, but for what the next search writes over.
void Nonbonded::forget_list()
{
    searched_ = has_rows_ = false;
    list_ = {};
    tessera::let_go(slot_lj_);
    if (pruning_) {
        pruning_->let_go();
    }
    work_ = {}; // null atoms may move
}

void Nonbonded::let_go()
{
    forget_list();
    tracker_ = {};
    tessera::let_go(slot_type_);
    block_search_ = {};
    pair_blocks_ = {};
    ahead_ = {};
    tessera::let_go(is_partial_);
}

void Nonbonded::need_rows(int threads)
{
    if (!has_rows_) {
        const std::vector<Vec3> canonical = tracker_.positions(threads);
        if (list_.order.nodes.empty()) {
            list_ = make_empty_pair_list(tracker_.box(), canonical, topology_->exclusions,
                                         list_radius_, threads);
        }
        find_rows(tracker_.box(), canonical, topology_->exclusions, threads, list_);
        has_rows_ = true;
        if (owner_) {
            drop_pairs_of_others();
        }
    }
}

void Nonbonded::make_blocks(std::span<const Vec3> canonical, int threads)
{
    const std::vector<Vec3> shifts = list_.shift_vectors(tracker_.box());
    BlockRules rules;
    rules.largest_block = block_options_.largest_block;
    rules.kernel_radius = pruning_ ? pruning_->radius() : 0.0;
    rules.near_radius = pruning_ ? cutoff_ : 0.0; // until the next search few of them leave
    rules.owner = owner_ ? &*owner_ : nullptr;
    if (blocks_) {
        rules.is_other = blocks_->is_other;
        rules.slot_type = slot_type_;
        rules.types = types_;
    }
    const bool by_list = has_rows_ || !rules.is_other.empty() || block_options_.by_list;
    if (by_list || !block_search_.find(list_, topology_->exclusions, canonical, shifts, rules,
                                       threads, pair_blocks_)) {
        need_rows(threads);
        rules.is_partial = is_partial_;
        pair_blocks_ = make_pair_blocks(list_, shifts, rules);
    }
    if (!blocks_) {
        return;
    }
    const std::size_t slots = list_.order.atom_of_slot.size();
    slot_lj_.assign(2 * slots, 0.0F);
    for (std::size_t s = 0; s < slots; ++s) {
        if (list_.order.atom_of_slot[s] >= 0) {
            const std::array<float, 2>& own = blocks_->of_type[at(slot_type_[s])];
            float* to = slot_lj_.data() + s / width * 2 * width + s % width;
            to[0] = own[0];
            to[width] = own[1];
        }
    }
}

bool Nonbonded::needs_search(const Box& box, std::span<const Vec3> positions, int threads) const
{
    if (!searched_ || positions.size() != tracker_.atoms() ||
        box.is_periodic() != tracker_.box().is_periodic()) {
        return true;
    }
    if (list_.all_pairs) {
        return false;
    }
    const AtomTracker::Now now = tracker_.at(box);
    const double slack = now.smallest_stretch() * list_radius_ - sure_cutoff_;
    return !(slack >= 0) || tracker_.has_gone(now, positions, 0.5 * slack, threads);
}

namespace
{

template <class Walk>
void walk_listed(std::span<const ClusterPairList::Row> rows,
                 std::span<const ClusterPairList::Column> columns, const Walk& walk)
{
    const auto count = static_cast<std::int64_t>(rows.size());
#pragma omp for schedule(dynamic, 16)
    for (std::int64_t k = 0; k < count; ++k) {
        const ClusterPairList::Row& row = rows[at(k)];
        walk(row.cluster, row.shift, columns.subspan(at(row.begin), at(row.end - row.begin)));
    }
}

/// Calls walk(cluster, index of the shift, columns) for every row, shared between the threads of
/// the calling team.
template <class Walk>
void walk_rows(const ClusterPairList& list, const Walk& walk)
{
    if (list.all_pairs) {
        std::vector<ClusterPairList::Column> columns;
#pragma omp for schedule(dynamic, 1)
        for (std::int32_t c = 0; c < list.order.clusters(); ++c) {
            list.columns_of(c, columns);
            walk(c, 0, columns);
        }
    } else {
        walk_listed(list.rows, list.columns, walk);
    }
}

} // namespace

Nonbonded::BlockWalk Nonbonded::begin_walk(const Evaluation& now)
{
    const auto units = [](const GridPosition& x) {
        return BlockWalker::Units{KernelGrid::unit(x.x), KernelGrid::unit(x.y),
                                  KernelGrid::unit(x.z)};
    };
    BlockWalk walk;
    for (const GridPosition& s : work_.shift_grid) {
        walk.shifts.push_back(units(s));
    }
    for (const PairBlocks::Block& block : pair_blocks_.blocks) {
        // any point will do: positions relative to it are exact, wherever it is
        walk.origins.push_back(units(to_grid(now.atoms.moved(block.origin))));
    }
    pruning_->choose(pair_blocks_, {work_.block_xyzq, walk.shifts, walk.origins}, now.threads);
    walk.count = std::ssize(pair_blocks_.blocks);
    walk.walkers.resize(at(now.threads));
    work_.rooms.resize(std::max(work_.rooms.size(), walk.walkers.size()));
#pragma omp parallel num_threads(now.threads)
    {
        const std::size_t me = at(thread_number());
        walk.walkers[me].emplace(blocks_->form, pair_blocks_, work_.block_xyzq, slot_lj_,
                                 walk.shifts, work_.rooms[me]);
    }
    return walk;
}

/// `wide`: sums in 64 bits.
void Nonbonded::go_on(BlockWalk& walk, const Evaluation& now, std::int64_t blocks, bool wide) const
{
    const std::int64_t first = walk.next;
    walk.next = std::min(walk.count, first + blocks);
#pragma omp parallel for schedule(dynamic, 1) num_threads(now.threads)
    for (std::int64_t b = first; b < walk.next; ++b) {
        walk.walkers[at(thread_number())]->walk(b, walk.origins[at(b)], now.wanted.virial, wide);
    }
}

Nonbonded::Ahead Nonbonded::begin(const Box& box, std::span<const Vec3> positions, Wanted wanted,
                                  int threads, SumMode mode)
{
    TESSERA_EXPECT(searched_ && positions.size() == tracker_.atoms());
    check(box);
    const bool in_tiles = tiles_ && mode == SumMode::exact;
    const bool in_blocks = in_tiles && blocks_;
    Ahead ahead{{tracker_.at(box), wanted, std::max(1, threads), mode, in_tiles, in_blocks,
                 in_blocks && !pair_blocks_.other_columns.empty()},
                {}};
    if (in_blocks && wanted.energies) {
        tessera::let_go(work_.rooms); // FP64 positions need the room first
    }
    place_atoms(ahead.now, positions);
    if (in_blocks && !wanted.energies) {
        ahead.walk = begin_walk(ahead.now);
    }
    return ahead;
}

bool Nonbonded::add_ahead(const Box& box, std::span<const Vec3> positions, Wanted wanted,
                          int threads, SumMode mode)
{
    if (!ahead_) {
        ahead_ = begin(box, positions, wanted, threads, mode);
        return true;
    }
    if (!ahead_->walk || ahead_->walk->next == ahead_->walk->count) {
        return false;
    }
    constexpr std::int64_t blocks = 2; // a tenth of a millisecond
    go_on(*ahead_->walk, ahead_->now, blocks * ahead_->now.threads, block_options_.wide);
    return true;
}

void Nonbonded::add_forces(const Box& box, std::span<const Vec3> positions, Wanted wanted,
                           int threads, ForceSums& forces, EnergySums& energies)
{
    if (!ahead_) {
        ahead_ = begin(box, positions, wanted, threads, forces.mode());
    }
    auto [now, begun] = *std::exchange(ahead_, {});
    const PairPlaces places{
        [&, &atoms = now.atoms](std::size_t a) { return as_seen(atoms, positions[a], a); },
        work_.shift_grid};
    if (!now.in_blocks || now.has_others || wanted.energies) {
        add_without_blocks(now, places, forces, energies);
    }
    if (now.in_blocks) {
        const auto add = [&, &now = now](BlockWalk walk, bool wide) {
            go_on(walk, now, walk.count, wide);
            return add_block_forces(walk.walkers, tiles_->force_bits, list_.order, places, wanted,
                                    now.threads, forces, energies);
        };
        const bool fits = add(begun ? std::move(*begun) : begin_walk(now), block_options_.wide) ||
                          add(begin_walk(now), true);
        TESSERA_ENSURE(fits);
    }
    corrections_.add_forces(now.atoms.grid, positions, wanted, now.threads, forces, energies);
    if (now.in_tiles && wanted.energies) { // seldom, and listeners may need as much
        work_ = {};
    }
}

/// What FP32 blocks do not do, by way of sums that hold energies, virials and forces in 64 bits.
void Nonbonded::add_without_blocks(const Evaluation& now, const PairPlaces& places,
                                   ForceSums& forces, EnergySums& energies)
{
    std::vector<std::optional<DoubleWalker>> doubles; // empty: batches do it
    if (doubles_ && !list_.all_pairs && now.mode == SumMode::exact &&
        (!now.in_tiles || now.wanted.energies)) {
        const DoubleResults results = now.in_tiles          ? DoubleResults::energies
                                      : now.wanted.energies ? DoubleResults::both
                                                            : DoubleResults::forces;
        doubles = walk_in_doubles(doubles_->form, pair_blocks_,
                                  {work_.xyzq, slot_type_, work_.shift, now.atoms.change}, results,
                                  now.wanted.virial, now.threads);
        if (any_ && any_(doubles.empty())) { // one rank's pair beyond the range is all ranks'
            doubles.clear();
        }
    }
    if ((now.in_tiles && !now.in_blocks) ||
        (doubles.empty() && (!now.in_tiles || now.wanted.energies))) {
        need_rows(now.threads);
    }
    const std::size_t slots = list_.order.atom_of_slot.size(), shifts = list_.shifts.size();
    std::vector<std::optional<PairSums>> sums(at(now.threads));
#pragma omp parallel num_threads(now.threads)
    {
        const std::size_t me = at(thread_number());
        const bool has_forces = !now.in_blocks || now.has_others;
        sums[me].emplace(has_forces ? slots : 0, shifts, now.mode);
        if (!doubles.empty() && doubles[me]) {
            sums[me]->add(*doubles[me]);
        }
        add_share(now, !doubles.empty(), *sums[me]);
    }
    join(sums, list_.order, places, now.wanted, now.threads, forces, energies);
    if (now.in_tiles && now.wanted.energies) { // FP32 needs the room
        tessera::let_go(work_.xyzq);
    }
}

/// What neither blocks nor doubles have done: the calling thread's share of it.
void Nonbonded::add_share(const Evaluation& now, bool has_doubles, PairSums& mine)
{
    const auto walk = [&](bool only_others, const auto& walk_row) {
        if (only_others) {
            walk_listed(pair_blocks_.other_rows, pair_blocks_.other_columns, walk_row);
        } else {
            walk_rows(list_, walk_row);
        }
    };
    if (now.has_others || (now.in_tiles && !now.in_blocks)) {
        const TileAtoms atoms{work_.tile_xyzq.data(), slot_type_.data()};
        TileWalker walker(*tiles_, atoms, types_, list_.order.clusters(), list_.shifts.size());
        walk(now.has_others, [&](std::int32_t cluster, std::int32_t shift, const auto& columns) {
            walker.walk(cluster, work_.shift_grid[at(shift)], shift, columns);
        });
        mine.add(walker);
    }
    const bool wants_batches = !now.in_tiles || now.wanted.energies;
    if (!wants_batches || (has_doubles && !now.has_others)) {
        return;
    }
    const PackedClusters packed{work_.xyzq.data(), slot_type_.data()};
    const auto add_parameters = [this](PairBatch& batch) { this->add_parameters(batch); };
    const auto consume = [&](const PairBatch& batch, std::int32_t cluster, std::int32_t shift) {
        if (now.in_tiles) {
            mine.add_energies(batch);
        } else {
            mine.add(batch, cluster, shift, now.wanted);
        }
    };
    RowWalker walker(form_, cutoff_ * cutoff_, packed, types_, add_parameters, consume);
    walk(has_doubles, [&](std::int32_t cluster, std::int32_t shift, const auto& columns) {
        walker.walk(cluster, work_.shift[at(shift)], shift, columns);
    });
}

void Nonbonded::add_parameters(PairBatch& batch) const
{
    for (int k = 0; k < batch.size; ++k) {
        const TypePair& pair = type_pair_[at(batch.type_pair[k])];
        batch.c6[k] = pair.c6;
        batch.c12[k] = pair.c12;
    }
    for (int k = 0; k < batch.size && !type_c4_.empty(); ++k) {
        batch.c4[k] = type_c4_[at(batch.type_pair[k])];
    }
    for (int k = 0; k < batch.size && !type_cg_.empty(); ++k) {
        batch.cg[k] = type_cg_[at(batch.type_pair[k])];
    }
}

} // namespace tessera
