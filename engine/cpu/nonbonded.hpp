#pragma once

#include "engine/backend/sums.hpp"
#include "engine/cpu/exclusion_corrections.hpp"
#include "engine/cpu/pair_batch.hpp"
#include "engine/cpu/position_grid.hpp"
#include "engine/plans/cluster_pair_list.hpp"

#include <array>
#include <functional>
#include <span>
#include <vector>

namespace tessera
{

/// A rank's part of the pairs, where several ranks share the work.
struct PairShare {
    /// Whether the pair x_i + shift - x_j of canonical images is computed here; shift in cell
    /// vectors.
    std::function<bool(std::int32_t i, std::int32_t j, const std::array<int, 3>& shift)> owns;
    RaggedList corrected; ///< excluded pairs i < j whose correction is made here, [atoms]
    const Topology* self_terms_of = nullptr; ///< the whole, on the one rank that books self terms
};

/// Forces between atoms that are not bonded, within the cut-off, with the corrections of excluded
/// pairs and of each atom with itself: energies lj and coulomb_real (formats.md 9.1, 9.3-9.5,
/// without the mesh). FP64; the bits depend neither on threads, nor on the age of the list, nor on
/// the images in which positions are given.
class Nonbonded {
public:
    /// Throws InputError where settings contradict each other.
    Nonbonded(const Topology& topology, const NonbondedSettings& settings);

    /// From the next search() on, only a part of the work is done. Needs a finite cut-off.
    void restrict_to(const Topology& topology, PairShare share);

    /// Makes the pair list. Throws InputError when a cut-off exceeds half the shortest height of
    /// the cell, or an Ewald sum has no cell.
    void search(const Box& box, std::span<const Vec3> positions, int threads = 1);

    /// Whether a pair within the cut-off may be missing from the list: twice the largest
    /// displacement since the search plus what the cell's change takes exceed the buffer.
    /// Displacements are measured against the old positions moved along with the cell.
    [[nodiscard]] bool needs_search(const Box& box, std::span<const Vec3> positions) const;

    /// Needs search() before, at positions that needs_search() still accepts. In exact mode, a
    /// force beyond the range of the grid marks `forces` (ForceSums::out_of_range).
    void add_forces(const Box& box, std::span<const Vec3> positions, Wanted wanted, int threads,
                    ForceSums& forces, EnergySums& energies) const;

    [[nodiscard]] const ClusterPairList& pair_list() const { return list_; }
    /// The larger of the cut-offs in use, nm.
    [[nodiscard]] double cutoff() const { return cutoff_; }

private:
    struct Work;
    void check(const Box& box) const;
    void drop_pairs_of_others();
    [[nodiscard]] GridPosition tracked(const PositionGrid& grid, const Mat3& change,
                                       const Vec3& position, std::size_t atom) const;

    PairForm form_;
    double cutoff_;
    double list_radius_;
    bool needs_cell_;
    RaggedList exclusions_;
    ExclusionCorrections corrections_;
    std::function<bool(std::int32_t, std::int32_t, const std::array<int, 3>&)> owns_; ///< null: all

    // parameters of atoms and of pairs of types
    std::vector<double> charge_;
    std::vector<std::int32_t> type_;
    std::int32_t types_;
    struct TypePair {
        double c6, c12;
    };
    std::vector<TypePair> type_pair_;       ///< [types][types]
    std::vector<double> type_c4_, type_cg_; ///< the same; empty where no pair has any

    // of the last search
    ClusterPairList list_;
    bool searched_ = false;
    Box search_box_;
    std::vector<Vec3> search_position_;      ///< canonical, [atoms]
    std::vector<PositionGrid::Image> image_; ///< cell vectors subtracted then, [atoms]
    std::vector<std::int32_t> slot_type_;    ///< [slots]
};

} // namespace tessera
