#include "engine/cpu/atom_loop.hpp"
#include "engine/cpu/nonbonded.hpp"

#include <bit>
#include <cmath>

namespace tessera
{

namespace
{

constexpr int width = ClusterOrder::width;

std::size_t at(std::int64_t k)
{
    return static_cast<std::size_t>(k);
}

} // namespace

/// Fills work_. Charges stay from one search to the next.
void Nonbonded::place_atoms(const Evaluation& now, std::span<const Vec3> positions)
{
    const std::size_t slots = list_.order.atom_of_slot.size();
    const auto with_charges = [&](auto& xyzq, bool is_used, const auto& charge_of) {
        if (!is_used || xyzq.size() == 4 * slots) {
            xyzq.resize(is_used ? xyzq.size() : 0);
            return;
        }
        xyzq.assign(4 * slots, 0); // also null atoms
        for (std::size_t s = 0; s < slots; ++s) {
            if (list_.order.atom_of_slot[s] >= 0) {
                xyzq[s / width * 4 * width + 3 * width + s % width] = charge_of(s);
            }
        }
    };
    const auto charge_of = [&](std::size_t s) {
        return topology_->charge[at(list_.order.atom_of_slot[s])];
    };
    const double root = std::sqrt(topology_->coulomb_constant);
    const auto tile_charge_of = [&](std::size_t s) {
        return static_cast<float>(root * charge_of(s));
    };
    with_charges(work_.xyzq, !now.in_tiles || now.wanted.energies, charge_of);
    with_charges(work_.tile_xyzq, now.in_tiles && (!now.in_blocks || now.has_others),
                 [&](std::size_t s) { return std::bit_cast<std::uint32_t>(tile_charge_of(s)); });
    with_charges(work_.block_xyzq, now.in_blocks, [&](std::size_t s) {
        return std::bit_cast<std::uint32_t>(tile_charge_of(s) *
                                            static_cast<float>(blocks_->charge_scale));
    });
    work_.kernel_grid.reset();
    if (now.in_tiles) {
        work_.kernel_grid.emplace(now.atoms.grid);
    }
    work_.shift.clear();
    work_.shift_grid.clear();
    for (const auto& k : list_.shifts) {
        const GridPosition exact = now.atoms.grid.shift(k);
        work_.shift.push_back(to_nm(exact));
        work_.shift_grid.push_back(now.in_tiles ? work_.kernel_grid->shift(k) : exact);
    }
    for_each_stretch(
        std::ssize(positions), PlainPlaces::most, now.threads,
        [&](std::size_t first, std::size_t last) { place(now, positions, first, last); });
}

/// The atoms [first, last), side by side where only blocks want them.
void Nonbonded::place(const Evaluation& now, std::span<const Vec3> positions, std::size_t first,
                      std::size_t last)
{
    PlainPlaces places;
    if (now.in_blocks && work_.xyzq.empty() && work_.tile_xyzq.empty()) {
        for (std::size_t a = first; a < last; ++a) { // neighbours are far apart in memory
            __builtin_prefetch(work_.block_xyzq.data() + place_of(a), 1);
        }
        tracker_.place_in_units(now.atoms, positions, first, last, places);
    } else {
        places.leave_all();
    }
    for (std::size_t a = first; a < last; ++a) {
        const std::size_t k = a - first;
        if (places.is_left[k] != 0) {
            place(now.atoms, positions[a], a);
            continue;
        }
        std::uint32_t* to = work_.block_xyzq.data() + place_of(a);
        to[0] = places.unit[0][k];
        to[width] = places.unit[1][k];
        to[2 * width] = places.unit[2][k];
    }
}

/// Where x of an atom stands among [clusters][x4 y4 z4 q4].
std::size_t Nonbonded::place_of(std::size_t atom) const
{
    const std::size_t slot = at(list_.order.slot_of_atom[atom]);
    return slot / width * 4 * width + slot % width;
}

/// Fills in the slot of one atom.
void Nonbonded::place(const AtomTracker::Now& now, const Vec3& position, std::size_t atom)
{
    PairWork& work = work_;
    const std::size_t first = place_of(atom);
    if (!work.xyzq.empty()) {
        const Vec3 nm = to_nm(now.grid.moved(position, tracker_.image(now, position, atom)));
        work.xyzq[first] = nm.x;
        work.xyzq[first + width] = nm.y;
        work.xyzq[first + 2 * width] = nm.z;
    }
    if (work.kernel_grid) {
        const GridPosition x = as_seen(now, position, atom);
        const auto put = [&](auto& xyzq) {
            if (!xyzq.empty()) {
                xyzq[first] = KernelGrid::unit(x.x);
                xyzq[first + width] = KernelGrid::unit(x.y);
                xyzq[first + 2 * width] = KernelGrid::unit(x.z);
            }
        };
        put(work.tile_xyzq);
        put(work.block_xyzq);
    }
}

/// Where the forces see an atom.
GridPosition Nonbonded::as_seen(const AtomTracker::Now& now, const Vec3& position,
                                std::size_t atom) const
{
    const PositionGrid::Image subtracted = tracker_.image(now, position, atom);
    if (!work_.kernel_grid) {
        return now.grid.moved(position, subtracted);
    }
    PositionGrid::Image home;
    const GridPosition canonical = now.grid.canonical(position, home);
    return work_.kernel_grid->image(
        canonical, {home[0] - subtracted[0], home[1] - subtracted[1], home[2] - subtracted[2]});
}

} // namespace tessera
