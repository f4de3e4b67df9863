#pragma once

#include "engine/base/fixed_point.hpp"
#include "engine/cpu/pair_batch.hpp"
#include "engine/cpu/smooth_ewald.hpp"
#include "engine/plans/cluster_pair_list.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tessera
{

/// Everything a pair of atoms needs in FP32: PairForm without energies, and the parameters of pairs
/// of types. The root of the Coulomb constant is in the charges.
struct TileForm {
    float lj_cutoff2 = 0, coulomb_cutoff2 = 0; ///< nm^2
    LjModifier lj = LjModifier::none;
    ForceSwitch<float> force_switch{};
    PotentialSwitch<float> potential_switch{};
    CoulombForm coulomb = CoulombForm::none;
    ReactionField<float> field{};
    SmoothEwald smooth;

    int force_bits = fixed::pair_force_bits; ///< a pair's force is rounded to 2^-force_bits
    float largest_force = static_cast<float>(fixed::largest_pair_force); ///< kJ/mol/nm

    std::vector<float> c6, c12, c4; ///< [types][types]; c4 empty where no pair has any
};

/// None where a form exists in FP64 only: LJ-PME; an Ewald sum whose cut-off is too many 1/beta; no
/// cut-off, where forces are sums over so many pairs that the quantum would be felt.
/// `has_charges` chooses the quantum of forces (fixed_point.hpp).
std::optional<TileForm> make_tile_form(const PairForm& form, bool has_charges);

/// Atoms in the order of slots, as the tiles read them.
struct TileAtoms {
    /// [clusters][4][4]: x of the four atoms, y, z in units of 2^-23 nm modulo 2^32, and the bits
    /// of their charges, FP32, (kJ/mol nm)^1/2.
    const std::uint32_t* xyzq;
    const std::int32_t* type; ///< [slots], and 12 more that are readable
};

/// The row's atoms, shifted to its image, each four times: lane 4 a + b is atom a with atom b of a
/// column.
struct TileRow {
    alignas(64) std::uint32_t x[16], y[16], z[16];
    alignas(64) float charge[16];
    alignas(64) std::int32_t type_row[16]; ///< type times the number of types
};

/// Sums in units of 2^-force_bits kJ/mol/nm.
struct TileSums {
    std::int64_t* force;         ///< [clusters][3][4]
    std::int64_t own[3][4] = {}; ///< of the row's cluster, which `force` has not got
    std::int32_t row_bit = -1;   ///< a pair whose force left the range: its lane
    std::int32_t column = -1;    ///< and its place among the columns
};

inline constexpr std::size_t tiles_at_once = 16;

/// Adds the forces of up to `tiles_at_once` tiles of a row: FP32 from exact integer displacements,
/// each component of each pair rounded to 2^-force_bits kJ/mol/nm and summed as an integer, so that
/// neither order nor company of the pairs reaches the bits. A function of the displacement and of
/// products of both atoms' parameters alone, odd in the displacement. Every instruction set gives
/// the same bits.
///
/// Where a pair's force exceeds the range (TileForm::largest_force), or is not finite, `sums`
/// names it; sums are then worthless.
void add_tiles(const TileRow& row, std::span<const ClusterPairList::Column> columns,
               const TileAtoms& atoms, const TileForm& form, TileSums& sums);

} // namespace tessera
