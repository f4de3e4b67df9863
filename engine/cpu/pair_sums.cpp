#include "engine/cpu/pair_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <omp.h>

namespace tessera
{

namespace
{

constexpr int width = ClusterOrder::width;
constexpr double largest_pair_force = 8388608.0; // kJ/mol/nm, 2^23: eight such still fit a sum
constexpr std::uint32_t safe_narrow = 1U << 30;  // what 32 bits hold for certain

std::size_t at(std::int64_t k)
{
    return static_cast<std::size_t>(k);
}

std::array<std::int64_t, 3> components(const GridPosition& x)
{
    return {x.x, x.y, x.z};
}

/// Forces on slots that blocks have summed in 32 bits, over all threads.
class NarrowSums {
public:
    explicit NarrowSums(std::span<const std::optional<BlockWalker>> blocks)
    {
        for (const std::optional<BlockWalker>& part : blocks) {
            if (part) {
                parts_.push_back(part->force());
            }
        }
    }
    /// k: as in BlockWalker::force()
    [[nodiscard]] std::int64_t operator[](std::size_t k) const
    {
        std::uint32_t sum = 0;
        for (const std::span<const std::int32_t> part : parts_) {
            sum += static_cast<std::uint32_t>(part[k]);
        }
        return static_cast<std::int32_t>(sum);
    }
    /// Whether no sum may have left 32 bits.
    [[nodiscard]] bool fit(int threads) const
    {
        const std::int64_t numbers = parts_.empty() ? 0 : std::ssize(parts_.front());
        std::uint32_t used = 0; // bits
#pragma omp parallel for schedule(static) num_threads(threads) reduction(| : used)
        for (std::int64_t first = 0; first < numbers; first += 16) {
            std::uint32_t sum[12] = {};
            for (const std::span<const std::int32_t> part : parts_) {
                for (std::size_t k = 0; k < 12; ++k) {
                    sum[k] += static_cast<std::uint32_t>(part[at(first) + k]);
                }
            }
            for (const std::uint32_t f : sum) {
                used |= f ^ (0 - (f >> 31)); // negative ones turned round
            }
        }
        return used < safe_narrow;
    }

private:
    std::vector<std::span<const std::int32_t>> parts_;
};

/// The same in 64 bits: of blocks whose forces 32 do not hold.
class WideSums {
public:
    explicit WideSums(std::span<const std::optional<BlockWalker>> blocks)
    {
        for (const std::optional<BlockWalker>& part : blocks) {
            if (part && !part->wide_force().empty()) {
                parts_.push_back(part->wide_force());
            }
        }
    }
    [[nodiscard]] bool is_empty() const { return parts_.empty(); }
    void add_to(std::array<std::uint64_t, 3>& force, std::size_t slot) const
    {
        for (const std::span<const std::int64_t> part : parts_) {
            for (std::size_t c = 0; c < 3; ++c) {
                force[c] += static_cast<std::uint64_t>(
                    part[(3 * (slot / width) + c) * width + slot % width]);
            }
        }
    }

private:
    std::vector<std::span<const std::int64_t>> parts_;
};

/// |f| below 2^62
bool fits_sums(const std::array<std::uint64_t, 3>& f)
{
    constexpr std::uint64_t quarter = std::uint64_t{1} << 62;
    return std::all_of(f.begin(), f.end(),
                       [](std::uint64_t c) { return c + quarter < 2 * quarter; });
}

/// Of several threads.
class LowestAtom {
public:
    void note(std::int32_t atom)
    {
#pragma omp critical(pair_sums_range)
        atom_ = atom_ < 0 ? atom : std::min(atom_, atom);
    }
    void set(std::int32_t atom)
    {
        atom_ = atom;
    }
    [[nodiscard]] std::int32_t atom() const
    {
        return atom_;
    }

private:
    std::int32_t atom_ = -1;
};

/// Of pairs; -1: none.
void keep_lower(std::array<std::int32_t, 2>& lowest, const std::array<std::int32_t, 2>& pair)
{
    if (pair[0] >= 0 && (lowest[0] < 0 || pair < lowest)) {
        lowest = pair;
    }
}

/// Tells of a pair of slots whose force left the range, or else of an atom.
void mark(const std::array<std::int32_t, 2>& pair, std::int32_t atom, const ClusterOrder& order,
          ForceSums& forces)
{
    if (pair[0] >= 0) {
        forces.mark_pair(order.atom_of_slot[at(pair[0])], order.atom_of_slot[at(pair[1])]);
    } else if (atom >= 0) {
        constexpr double infinite = std::numeric_limits<double>::infinity();
        forces.add(at(atom), Vec3{infinite, infinite, infinite}); // marks the sums
    }
}

} // namespace

int thread_number()
{
    return omp_get_thread_num();
}

PairSums::PairSums(std::size_t slots, std::size_t shifts, SumMode mode) : mode_(mode)
{
    if (mode == SumMode::exact) {
        fixed_.assign(slots, {0, 0, 0});
        fixed_shift_.assign(shifts, {0, 0, 0});
    } else {
        floating_.assign(slots, Vec3{});
        floating_shift_.assign(shifts, Vec3{});
    }
}

void PairSums::add(const PairBatch& batch, std::int32_t cluster, std::int32_t shift, Wanted wanted)
{
    if (mode_ == SumMode::exact) {
        add_exact(batch, cluster, shift);
    } else {
        add_floating(batch, cluster, shift);
    }
    if (wanted.energies) {
        add_energies(batch);
    }
}

void PairSums::add_energies(const PairBatch& batch)
{
    for (int k = 0; k < batch.size; ++k) {
        lj_.add(batch.lj_energy[k]);
        coulomb_.add(batch.coulomb_energy[k]);
    }
}

void PairSums::add(const DoubleWalker& doubles)
{
    for (std::size_t s = 0; s < fixed_.size() && !doubles.force().empty(); ++s) {
        for (std::size_t c = 0; c < 3; ++c) {
            fixed_[s][c] += doubles.force()[(3 * (s / width) + c) * width + s % width];
        }
    }
    for (std::size_t k = 0; k < fixed_shift_.size(); ++k) {
        for (std::size_t c = 0; c < 3; ++c) {
            fixed_shift_[k][c] += doubles.shift_force()[k][c];
        }
    }
    lj_.add(doubles.energies().lj);
    coulomb_.add(doubles.energies().coulomb);
}

void PairSums::add(const TileWalker& tiles)
{
    const auto fixed = [&](std::int64_t f) {
        return static_cast<std::uint64_t>(f) << (fixed::force_bits - tiles.force_bits());
    };
    for (std::size_t s = 0; s < fixed_.size(); ++s) {
        for (std::size_t c = 0; c < 3; ++c) {
            fixed_[s][c] += fixed(tiles.force()[(3 * (s / width) + c) * width + s % width]);
        }
    }
    for (std::size_t k = 0; k < fixed_shift_.size(); ++k) {
        for (std::size_t c = 0; c < 3; ++c) {
            fixed_shift_[k][c] += fixed(tiles.shift_force()[k][c]);
        }
    }
    keep_lower(pair_out_of_range_, tiles.broken_pair());
}

void PairSums::add_exact(const PairBatch& batch, std::int32_t cluster, std::int32_t shift)
{
    std::uint64_t own[width][3] = {};
    for (int k = 0; k < batch.size; ++k) {
        std::uint64_t f[3] = {static_cast<std::uint64_t>(batch.fx[k]),
                              static_cast<std::uint64_t>(batch.fy[k]),
                              static_cast<std::uint64_t>(batch.fz[k])};
        if (!batch.fits_grid) {
            add_slowly(batch, k, f, batch.slot_j[k]);
        }
        std::uint64_t* i = own[batch.lane_i[k]];
        std::array<std::uint64_t, 3>& j = fixed_[at(batch.slot_j[k])];
        for (std::size_t c = 0; c < 3; ++c) {
            i[c] += f[c];
            j[c] -= f[c];
        }
    }
    for (int a = 0; a < width; ++a) {
        for (std::size_t c = 0; c < 3; ++c) {
            fixed_[at(cluster * width + a)][c] += own[a][c];
            fixed_shift_[at(shift)][c] += own[a][c];
        }
    }
}

void PairSums::add_slowly(const PairBatch& batch, int k, std::uint64_t (&f)[3], std::int32_t slot)
{
    const double d[3] = {batch.dx[k], batch.dy[k], batch.dz[k]};
    for (int c = 0; c < 3; ++c) {
        const double component = batch.force_over_r[k] * d[c];
        if (std::fabs(component) < largest_pair_force) {
            f[c] = static_cast<std::uint64_t>(to_fixed(component, fixed::force_scale));
        } else { // also NaN
            f[c] = 0;
            slot_out_of_range_ = slot;
        }
    }
}

void PairSums::add_floating(const PairBatch& batch, std::int32_t cluster, std::int32_t shift)
{
    for (int k = 0; k < batch.size; ++k) {
        const Vec3 f = batch.force_over_r[k] * Vec3{batch.dx[k], batch.dy[k], batch.dz[k]};
        floating_[at(cluster * width + batch.lane_i[k])] += f;
        floating_[at(batch.slot_j[k])] -= f;
        floating_shift_[at(shift)] += f;
    }
}

void join(std::span<std::optional<PairSums>> parts, const ClusterOrder& order,
          const PairPlaces& places, Wanted wanted, int threads, ForceSums& forces,
          EnergySums& energies)
{
    if (forces.mode() == SumMode::exact) {
        const bool has_forces = std::any_of(parts.begin(), parts.end(), [](const auto& part) {
            return part && !part->fixed_.empty();
        });
        const std::int64_t slots = has_forces ? std::ssize(order.atom_of_slot) : 0;
        OuterSum outer_sum;
        LowestAtom too_large;
#pragma omp parallel num_threads(threads)
        {
            OuterSum mine;
#pragma omp for schedule(static) nowait
            for (std::int64_t s = 0; s < slots; ++s) {
                constexpr std::int64_t ahead = 16; // neighbours in space are far apart in memory
                if (s + ahead < slots && order.atom_of_slot[at(s + ahead)] >= 0) {
                    __builtin_prefetch(&forces.fixed()[at(order.atom_of_slot[at(s + ahead)])], 1);
                }
                const std::int32_t atom = order.atom_of_slot[at(s)];
                if (atom < 0) {
                    continue;
                }
                std::array<std::uint64_t, 3> f{0, 0, 0};
                for (const std::optional<PairSums>& part : parts) {
                    for (std::size_t c = 0; part && !part->fixed_.empty() && c < 3; ++c) {
                        f[c] += part->fixed_[at(s)][c];
                    }
                }
                std::array<std::int64_t, 3>& sum = forces.fixed()[at(atom)];
                for (std::size_t c = 0; c < 3; ++c) {
                    sum[c] = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum[c]) + f[c]);
                }
                if (!fits_sums(f)) {
                    too_large.note(atom);
                }
                if (wanted.virial) {
                    mine.add(components(places.of_atom(at(atom))), f);
                }
            }
            if (wanted.virial) {
#pragma omp critical(pair_sums_virial)
                outer_sum.add(mine);
            }
        }
        for (const std::optional<PairSums>& part : parts) {
            for (std::size_t k = 0; part && wanted.virial && k < places.shift.size(); ++k) {
                outer_sum.add(components(places.shift[k]), part->fixed_shift_[k]);
            }
            if (part && part->slot_out_of_range_ >= 0) {
                too_large.set(order.atom_of_slot[at(part->slot_out_of_range_)]);
            }
        }
        std::array<std::int32_t, 2> pair{-1, -1};
        for (const std::optional<PairSums>& part : parts) {
            if (part) {
                keep_lower(pair, part->pair_out_of_range_);
            }
        }
        mark(pair, too_large.atom(), order, forces);
        if (wanted.virial) {
            energies.add_virial_of(outer_sum);
        }
    } else {
        Mat3 virial;
        for (const std::optional<PairSums>& part : parts) {
            if (!part) {
                continue;
            }
            for (std::size_t s = 0; s < part->floating_.size(); ++s) {
                const std::int32_t atom = order.atom_of_slot[s];
                if (atom >= 0) {
                    const Vec3& f = part->floating_[s];
                    forces.add(at(atom), f);
                    virial += outer(to_nm(places.of_atom(at(atom))), f);
                }
            }
            for (std::size_t k = 0; k < places.shift.size(); ++k) {
                virial += outer(to_nm(places.shift[k]), part->floating_shift_[k]);
            }
        }
        if (wanted.virial) {
            energies.add_virial(-0.5 * virial);
        }
    }
    if (wanted.energies) {
        for (const std::optional<PairSums>& part : parts) {
            if (part) {
                energies.add(EnergyKind::lj, part->lj_);
                energies.add(EnergyKind::coulomb_real, part->coulomb_);
            }
        }
    }
}

bool add_block_forces(std::span<const std::optional<BlockWalker>> blocks, int bits,
                      const ClusterOrder& order, const PairPlaces& places, Wanted wanted,
                      int threads, ForceSums& forces, EnergySums& energies)
{
    const NarrowSums narrow(blocks);
    if (!narrow.fit(threads)) {
        return false;
    }
    const WideSums wide(blocks);
    const auto atoms = static_cast<std::int64_t>(order.slot_of_atom.size());
    const int shift = fixed::force_bits - bits;
    OuterSum outer_sum;
    LowestAtom too_large;
#pragma omp parallel num_threads(threads)
    {
        OuterSum mine;
#pragma omp for schedule(static) nowait
        for (std::int64_t a = 0; a < atoms; ++a) {
            const std::size_t slot = at(order.slot_of_atom[at(a)]);
            const std::size_t x = slot / width * 4 * width + slot % width;
            std::array<std::uint64_t, 3> f;
            for (std::size_t c = 0; c < 3; ++c) {
                f[c] = static_cast<std::uint64_t>(narrow[x + c * width]);
            }
            if (!wide.is_empty()) {
                wide.add_to(f, slot);
            }
            std::array<std::int64_t, 3>& to = forces.fixed()[at(a)];
            for (std::size_t c = 0; c < 3; ++c) {
                f[c] <<= shift;
                to[c] = static_cast<std::int64_t>(static_cast<std::uint64_t>(to[c]) + f[c]);
            }
            if (!wide.is_empty() && !fits_sums(f)) {
                too_large.note(static_cast<std::int32_t>(a));
            }
            if (wanted.virial) {
                mine.add(components(places.of_atom(at(a))), f);
            }
        }
        if (wanted.virial) {
#pragma omp critical(pair_sums_virial)
            outer_sum.add(mine);
        }
    }
    std::array<std::int32_t, 2> broken{-1, -1};
    for (const std::optional<BlockWalker>& part : blocks) {
        for (std::size_t k = 0; part && wanted.virial && k < places.shift.size(); ++k) {
            std::array<std::uint64_t, 3> f;
            for (std::size_t c = 0; c < 3; ++c) {
                f[c] = static_cast<std::uint64_t>(part->shift_force()[k][c]) << shift;
            }
            outer_sum.add(components(places.shift[k]), f);
        }
        if (part) {
            keep_lower(broken, part->broken_pair());
        }
    }
    mark(broken, too_large.atom(), order, forces);
    energies.add_virial_of(outer_sum);
    return true;
}

} // namespace tessera
