#pragma once

#include "engine/backend/sums.hpp"
#include "engine/cpu/pair_batch.hpp"
#include "engine/cpu/position_grid.hpp"
#include "engine/model/topology.hpp"

#include <array>
#include <span>
#include <vector>

namespace tessera
{

/// What excluded pairs and single atoms contribute to lj and coulomb_real:
///
///     Ewald           -ke q_i q_j erf(beta r)/r a pair,             -ke beta/sqrt(pi) q_i^2 an
///     atom reaction field  ke q_i q_j (k r^2 - c) a pair within the cut-off,    -ke c/2 q_i^2 an
///     atom LJ-PME          cg (1 - g)/r^6 a pair,                        beta^6/12 cg_ii an atom
///
/// at the nearest image. A plain cut-off has none.
class ExclusionCorrections {
public:
    ExclusionCorrections() = default;
    /// `mesh_c6(a, b)` of two atom types is the coefficient that the LJ mesh holds.
    ExclusionCorrections(const Topology& topology, const PairForm& form,
                         const std::vector<double>& mesh_c6)
        : ExclusionCorrections(topology, form, mesh_c6, topology.exclusions, &topology)
    {
    }
    /// A part of them: the pairs i < j of `pairs`, and the self terms of `self_terms_of` (null:
    /// none).
    ExclusionCorrections(const Topology& topology, const PairForm& form,
                         const std::vector<double>& mesh_c6, const RaggedList& pairs,
                         const Topology* self_terms_of);

    /// `positions` are finite, in any images, which do not reach the bits.
    void add_forces(const PositionGrid& grid, std::span<const Vec3> positions, Wanted wanted,
                    int threads, ForceSums& forces, EnergySums& energies) const;

    [[nodiscard]] bool is_empty() const { return is_empty_; }

private:
    struct Batch;
    struct Share;
    void add_pair(const PositionGrid& grid, std::span<const Vec3> positions, std::size_t pair,
                  Wanted wanted, Share& share) const;
    void add_share(const PositionGrid& grid, std::span<const Vec3> positions, std::size_t first,
                   std::size_t last, Wanted wanted, Share& share) const;

    PairForm form_;
    bool is_empty_ = true;
    std::vector<std::array<std::int32_t, 2>> pairs_; ///< i < j, ascending
    std::vector<double> strength_;                   ///< ke q_i q_j, [pairs]
    std::vector<double> cg_;                         ///< [pairs], empty without LJ-PME
    ExactSum self_coulomb_, self_lj_;                ///< kJ/mol
};

} // namespace tessera
