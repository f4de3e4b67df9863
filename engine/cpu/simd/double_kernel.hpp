#pragma once

#include "engine/base/fixed_point.hpp"
#include "engine/cpu/simd/block_kernel.hpp"
#include "engine/physics/pair/double_form.hpp"

#include <array>
#include <cstdint>

namespace tessera
{

/// As BlockTask, for FP64.
struct DoubleTask {
    const double* xyzq;       ///< [clusters][4][4]: x y z (nm), charge (e)
    const std::int32_t* type; ///< [slots]
    const std::int32_t* cluster;
    const std::uint16_t* offset;
    const double* shift;          ///< [shifts][4]: what an entry subtracts, nm
    std::array<double, 3> origin; ///< nm; near all entries, reaches no bit
    std::int64_t entries;
    const BlockRow* rows;
    std::int64_t row_count;
    const std::uint16_t* tiles; ///< numbers of the block
};

/// Room for one block.
struct DoubleWorkspace {
    float* near;          ///< [entries][16]: x4 y4 z4 and zeros, relative to the origin
    double* position;     ///< [entries][16]: x4 y4 z4 q4
    std::int32_t* type;   ///< [entries][4]
    std::int64_t* force;  ///< [entries][3][4]
    std::uint32_t* units; ///< [4][tiles of a row, and two]
};

struct DoubleSums {
    ExactSum lj, coulomb;
};

/// Forces and energies of the pairs of a block within the cut-off, in FP64: each component of each
/// pair is rounded to the grid of forces, each energy to that of energies, and added as an integer.
/// A function of the displacement and of products of both atoms' parameters, odd in the
/// displacement. All operations are IEEE's, so every instruction set gives the same bits.
///
/// A tile's sixteen pairs are first looked at in FP32, with a margin: of an atom of the row only
/// those columns are kept that have an atom near it. Two such units of 1x4 pairs fill a vector.
struct DoubleKernel {
    using Add = bool (*)(const DoubleTask&, const DoubleForm&, const DoubleWorkspace&, DoubleSums&);
    /// Fills workspace.force; energies are added to the sums. False: some pair is out of range, and
    /// all sums are worthless.
    Add forces, energies, both;
};
} // namespace tessera
