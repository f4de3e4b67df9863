#pragma once

#include "engine/cpu/pair_tiles.hpp"
#include "engine/cpu/simd/block_kernel.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tessera
{

/// What the kernel of blocks needs of a system.
struct BlockParameters {
    BlockForm form;
    double charge_scale = 1; ///< a power of two, for charges that hold the Coulomb constant's root
    std::vector<std::array<float, 2>> of_type; ///< see BlockTask::lj
    std::vector<std::uint8_t> is_other; ///< [types][types]: no rule gives this pair; empty: none
};

/// Chooses the rule that gives most pairs of types within 2e-7. None where the form has tiles only:
/// switched forces, two cut-offs, an Ewald term too steep for 32 cubics.
std::optional<BlockParameters> make_block_parameters(const PairForm& form, const TileForm& tiles,
                                                     std::span<const double> c6,
                                                     std::span<const double> c12,
                                                     std::span<const double> c4);

/// Fills in the cubics; the largest error of an FP32 evaluation, in units of beta^3.
double set_cubics(double beta, double cutoff, BlockForm& form);

} // namespace tessera
