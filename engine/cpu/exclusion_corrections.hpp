#pragma once

#include "engine/backend/sums.hpp"
#include "engine/cpu/pair_batch.hpp"
#include "engine/cpu/position_grid.hpp"
#include "engine/model/topology.hpp"

#include <memory>
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
    ExclusionCorrections(const std::shared_ptr<const Topology>& topology, const PairForm& form,
                         const std::vector<double>& mesh_c6)
        : ExclusionCorrections(topology, form, mesh_c6, {topology, &topology->exclusions},
                               topology.get())
    {
    }
    /// A part of them: the pairs i < j of `pairs` (rows of atoms), and the self terms of
    /// `self_terms_of` (null: none).
    ExclusionCorrections(std::shared_ptr<const Topology> topology, const PairForm& form,
                         const std::vector<double>& mesh_c6,
                         std::shared_ptr<const RaggedList> pairs, const Topology* self_terms_of);

    /// `positions` are finite, in any images, which do not reach the bits.
    void add_forces(const PositionGrid& grid, std::span<const Vec3> positions, Wanted wanted,
                    int threads, ForceSums& forces, EnergySums& energies) const;

    [[nodiscard]] bool is_empty() const { return is_empty_; }

private:
    struct Batch;
    struct Share;
    /// ke q_i q_j, and what the LJ mesh holds of the pair; zero where the form has none.
    [[nodiscard]] double strength(std::size_t i, std::size_t j) const
    {
        return has_coulomb_ ? form_.coulomb_constant * (topology_->charge[i] * topology_->charge[j])
                            : 0.0;
    }
    [[nodiscard]] double attraction(std::size_t i, std::size_t j) const
    {
        return form_.lj_ewald
                   ? mesh_c6_[topology_->pairs.at(topology_->type[i], topology_->type[j])]
                   : 0.0;
    }
    void add_pair(const PositionGrid& grid, std::span<const Vec3> positions, std::size_t i,
                  std::size_t j, Wanted wanted, Share& share) const;
    void add_batch(const PositionGrid& grid, std::span<const Vec3> positions, Wanted wanted,
                   Batch& batch, Share& share) const;
    void add_share(const PositionGrid& grid, std::span<const Vec3> positions, std::size_t first,
                   Wanted wanted, Share& share) const;

    PairForm form_;
    bool is_empty_ = true, has_coulomb_ = false;
    std::shared_ptr<const Topology> topology_;
    std::shared_ptr<const RaggedList> pairs_; ///< [atoms]
    std::vector<double> mesh_c6_;             ///< [types][types], empty without LJ-PME
    ExactSum self_coulomb_, self_lj_;         ///< kJ/mol
};

} // namespace tessera
