#pragma once

#include "engine/base/aligned_vector.hpp"
#include "engine/cpu/pair_blocks.hpp"
#include "engine/cpu/simd/pair_kernels.hpp"
#include "engine/model/state.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tessera
{

/// Memory of a walker, kept from one to the next: fresh pages cost more than their use.
struct BlockRoom {
    AlignedVector<float> position, lj;
    AlignedVector<std::int32_t> entry_force, force;
};

/// Sums the forces of blocks for one thread, in units of 2^-force_bits kJ/mol/nm.
class BlockWalker {
public:
    /// `origin` and `shifts` in units of 2^-23 nm.
    using Units = std::array<std::uint32_t, 3>;
    BlockWalker(const BlockForm& form, const PairBlocks& blocks,
                std::span<const std::uint32_t> xyzq, std::span<const float> lj,
                std::span<const Units> shifts, BlockRoom& room,
                const BlockKernel& kernel = pair_kernels().mixed);

    /// `wide`: sums in 64 bits, whatever the forces; same bits where both fit.
    void walk(std::int64_t block, const Units& origin, bool wants_shift_forces, bool wide);

    /// [clusters][16]: x4 y4 z4 and four without meaning, modulo 2^32
    [[nodiscard]] std::span<const std::int32_t> force() const { return room_.force; }
    /// [clusters][3][4], to be added; empty where nothing was summed in 64 bits
    [[nodiscard]] std::span<const std::int64_t> wide_force() const { return wide_force_; }
    /// On the i side, by shift.
    [[nodiscard]] std::span<const std::array<std::int64_t, 3>> shift_force() const
    {
        return shift_force_;
    }
    /// Slots of the pair with the lowest slots whose force left the range; -1: none did.
    [[nodiscard]] const std::array<std::int32_t, 2>& broken_pair() const { return broken_pair_; }

private:
    void walk_wide(const PairBlocks::Block& block, const BlockTask& task,
                   const BlockWorkspace& work, bool wants_shift_forces);

    const BlockForm& form_;
    const PairBlocks& blocks_;
    std::span<const std::uint32_t> xyzq_; ///< [clusters][4][4], see BlockTask
    std::span<const float> parameters_;   ///< [clusters][8]
    std::span<const Units> shifts_;
    BlockRoom& room_;
    BlockKernel kernel_;
    AlignedVector<std::uint32_t> origin_; ///< [shifts][16]
    std::vector<std::int64_t> wide_force_, wide_entry_force_;
    std::vector<std::array<std::int64_t, 3>> shift_force_;
    std::array<std::int32_t, 2> broken_pair_{-1, -1};
};

} // namespace tessera
