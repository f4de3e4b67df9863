#pragma once

#include "engine/backend/sums.hpp"
#include "engine/cpu/block_walker.hpp"
#include "engine/cpu/double_walker.hpp"
#include "engine/cpu/pair_batch.hpp"
#include "engine/cpu/tile_walker.hpp"
#include "engine/model/state.hpp"
#include "engine/plans/cluster_pair_list.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace tessera
{

/// Where the forces see atoms and periodic shifts, for virials.
struct PairPlaces {
    std::function<GridPosition(std::size_t)> of_atom;
    std::span<const GridPosition> shift;
};

/// What one thread has summed over pairs: forces by slot, the force on the i side by periodic
/// shift, energies. Exact mode keeps integers, so the sum over threads does not depend on who did
/// what.
class PairSums {
public:
    /// Without slots, for energies alone.
    PairSums(std::size_t slots, std::size_t shifts, SumMode mode);

    /// Adds the batch of one row: pairs of the atoms of `cluster`, all under one shift.
    void add(const PairBatch& batch, std::int32_t cluster, std::int32_t shift, Wanted wanted);

    /// Adds the energies of a batch alone.
    void add_energies(const PairBatch& batch);
    /// Adds what a thread has summed in FP64 blocks (exact mode only).
    void add(const DoubleWalker& doubles);
    /// Adds what a thread has summed in tiles (exact mode only).
    void add(const TileWalker& tiles);

private:
    friend void join(std::span<std::optional<PairSums>> parts, const ClusterOrder& order,
                     const PairPlaces& places, Wanted wanted, int threads, ForceSums& forces,
                     EnergySums& energies);

    void add_exact(const PairBatch& batch, std::int32_t cluster, std::int32_t shift);
    void add_floating(const PairBatch& batch, std::int32_t cluster, std::int32_t shift);
    /// A pair beyond the fast rounding, or beyond the grid: then remembers the slot.
    void add_slowly(const PairBatch& batch, int k, std::uint64_t (&f)[3], std::int32_t slot);

    SumMode mode_;
    std::vector<std::array<std::uint64_t, 3>> fixed_; ///< two's complement: sums wrap, [slots]
    std::vector<std::array<std::uint64_t, 3>> fixed_shift_;
    std::vector<Vec3> floating_, floating_shift_;
    ExactSum lj_, coulomb_;
    std::int32_t slot_out_of_range_ = -1;
    std::array<std::int32_t, 2> pair_out_of_range_{-1, -1}; ///< slots; in mixed precision
};

/// Adds the sums of all threads to forces and energies; virial from sums of x (outer) F over slots
/// and shifts, exact in integers.
void join(std::span<std::optional<PairSums>> parts, const ClusterOrder& order,
          const PairPlaces& places, Wanted wanted, int threads, ForceSums& forces,
          EnergySums& energies);

/// The same with what all threads have summed in blocks, in units of 2^-bits kJ/mol/nm; exact mode
/// only, and no energies. False: a sum may have left 32 bits, and nothing is added.
[[nodiscard]] bool add_block_forces(std::span<const std::optional<BlockWalker>> blocks, int bits,
                                    const ClusterOrder& order, const PairPlaces& places,
                                    Wanted wanted, int threads, ForceSums& forces,
                                    EnergySums& energies);

/// Index of the calling thread in its team.
int thread_number();

} // namespace tessera
