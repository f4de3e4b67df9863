#pragma once

#include "engine/base/aligned_vector.hpp"
#include "engine/cpu/pair_blocks.hpp"
#include "engine/cpu/simd/double_kernel.hpp"
#include "engine/math/mat3.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tessera
{

enum class DoubleResults : std::uint8_t { forces, energies, both };

/// Atoms in the order of slots, as the FP64 kernel reads them.
struct DoubleAtoms {
    std::span<const double> xyzq; ///< [clusters][4][4]: x y z (nm), charge (e)
    std::span<const std::int32_t> type;
    std::span<const Vec3> shift; ///< [shifts], nm
    Mat3 change;                 ///< of the cell since the search
};

/// Sums forces and energies of blocks in FP64, for one thread; forces in units of 2^-36 kJ/mol/nm.
class DoubleWalker {
public:
    DoubleWalker(const DoubleForm& form, const PairBlocks& blocks, const DoubleAtoms& atoms,
                 DoubleResults wanted);

    void walk(std::int64_t block, bool wants_shift_forces);

    /// [clusters][3][4], modulo 2^64; empty where only energies were wanted.
    [[nodiscard]] std::span<const std::uint64_t> force() const { return force_; }
    /// On the i side, by shift.
    [[nodiscard]] std::span<const std::array<std::uint64_t, 3>> shift_force() const
    {
        return shift_force_;
    }
    [[nodiscard]] const DoubleSums& energies() const { return energies_; }
    /// Whether every pair was in the range of the grids; otherwise the sums are worthless.
    [[nodiscard]] bool is_in_range() const { return is_in_range_; }

private:
    const DoubleForm& form_;
    const PairBlocks& blocks_;
    DoubleAtoms atoms_;
    DoubleKernel::Add add_;
    AlignedVector<double> shift_;
    AlignedVector<float> near_;
    AlignedVector<double> position_;
    AlignedVector<std::int32_t> type_;
    AlignedVector<std::int64_t> entry_force_;
    AlignedVector<std::uint32_t> units_;
    std::vector<std::uint64_t> force_;
    std::vector<std::array<std::uint64_t, 3>> shift_force_;
    DoubleSums energies_;
    bool is_in_range_ = true;
};

/// All blocks, shared between threads: what each has summed. Empty where a pair left the range.
std::vector<std::optional<DoubleWalker>>
walk_in_doubles(const DoubleForm& form, const PairBlocks& blocks, const DoubleAtoms& atoms,
                DoubleResults wanted, bool wants_shift_forces, int threads);

} // namespace tessera
