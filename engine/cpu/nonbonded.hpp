#pragma once

#include "engine/backend/sums.hpp"
#include "engine/cpu/atom_tracker.hpp"
#include "engine/cpu/block_form.hpp"
#include "engine/cpu/block_pruning.hpp"
#include "engine/cpu/block_search.hpp"
#include "engine/cpu/block_walker.hpp"
#include "engine/cpu/exclusion_corrections.hpp"
#include "engine/cpu/pair_batch.hpp"
#include "engine/cpu/pair_tiles.hpp"
#include "engine/cpu/pair_work.hpp"
#include "engine/cpu/position_grid.hpp"
#include "engine/plans/cluster_pair_list.hpp"
#include "engine/plans/domain_plan.hpp"
#include "engine/plans/double_parameters.hpp"

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tessera
{

class PairSums;
struct PairPlaces;

/// A rank's part of the pairs, where several ranks share the work.
struct PairShare {
    std::optional<DomainOwner> owner; ///< none: all pairs are computed here
    RaggedList corrected;     ///< excluded pairs i < j whose correction is made here, [atoms]
    bool has_charges = false; ///< the whole system: the scale of forces hangs on it
    /// Whether any rank says yes; all ask together. Null: this one alone.
    std::function<bool(bool)> any;
    const Topology* self_terms_of = nullptr; ///< the whole, on the one rank that books self terms
};

/// How much farther than the cut-off (nm) atoms may be, by their FP64 positions, and still count in
/// the precision: positions and cell vectors are rounded to 2^-23 nm, r^2 is FP32. 0 for FP64.
double reach_of_rounding(Precision precision, double cutoff);
/// That of Coulomb and LJ together, nm; of LJ alone where there is no Coulomb.
double cutoff_in_use(const NonbondedSettings& settings);
/// Pairs farther apart than this at a search are on no list, nm.
double list_reach(const NonbondedSettings& settings);

/// Forces between atoms that are not bonded, within the cut-off, with the corrections of excluded
/// pairs and of each atom with itself: energies lj and coulomb_real, not what
/// a mesh adds. The bits depend neither on threads, nor on the age of the list, nor on the
/// images in which positions are given.
///
/// FP64; with Precision::mixed the forces of the pairs within the cut-off come from FP32 tiles
/// (pair_tiles.hpp) while energies, corrections and list stay FP64. Forms that have no
/// tiles (LJ-PME, no cut-off), and sums in floating mode, are evaluated in FP64 all the same.
class Nonbonded {
public:
    /// Throws InputError where settings contradict each other.
    Nonbonded(const Topology& topology, const NonbondedSettings& settings);
    /// Shares what it can with the topology.
    Nonbonded(std::shared_ptr<const Topology> shared, const NonbondedSettings& settings);

    /// From the next search() on, only a part of the work is done. Needs a finite cut-off.
    void restrict_to(const Topology& topology, PairShare share);

    /// Makes the pair list. Throws InputError when a cut-off exceeds half the shortest height of
    /// the cell, or an Ewald sum has no cell.
    void search(const Box& box, std::span<const Vec3> positions, int threads = 1);

    /// Whether a pair within the cut-off may be missing from the list: twice the largest
    /// displacement since the search plus what the cell's change takes exceed the buffer.
    /// Displacements are measured against the old positions moved along with the cell.
    [[nodiscard]] bool needs_search(const Box& box, std::span<const Vec3> positions,
                                    int threads = 1) const;

    /// Needs search() before, at positions that needs_search() still accepts. In exact mode, a
    /// force beyond the range of the grid marks `forces` (ForceSums::out_of_range).
    void add_forces(const Box& box, std::span<const Vec3> positions, Wanted wanted, int threads,
                    ForceSums& forces, EnergySums& energies);
    /// As ForceProvider::add_ahead.
    bool add_ahead(const Box& box, std::span<const Vec3> positions, Wanted wanted, int threads,
                   SumMode mode);

    /// Forgets the search and returns its memory; what was evaluated stands.
    void let_go();

    /// Of the last search; made now where the search itself needed none.
    [[nodiscard]] const ClusterPairList& pair_list()
    {
        need_rows(1);
        return list_;
    }
    /// The larger of the cut-offs in use, nm.
    [[nodiscard]] double cutoff() const { return cutoff_; }
    /// Whether forces come from FP32 tiles (mixed precision, and the form has tiles).
    [[nodiscard]] bool has_tiles() const { return tiles_.has_value(); }
    /// Whether most of them come from blocks of tiles, the fast kernel (simd/block_kernel.hpp).
    [[nodiscard]] bool has_blocks() const { return blocks_.has_value(); }
    /// Whether what is FP64 comes from blocks too (simd/double_kernel.hpp); otherwise from batches.
    [[nodiscard]] bool has_doubles() const { return doubles_ != nullptr; }

    /// Parts of the work that tests choose; they reach no bit.
    struct BlockOptions {
        std::int32_t largest_block = 64;
        bool wide = false;    ///< 64-bit sums and integer displacements throughout
        bool by_list = false; ///< blocks are made from the list of cluster pairs
    };
    void set_block_options(BlockOptions options) { block_options_ = options; }

private:
    void check(const Box& box) const;
    void need_rows(int threads);
    void drop_pairs_of_others();
    void make_tiles(const Topology& topology, bool has_charges);
    void make_blocks(std::span<const Vec3> canonical, int threads);

    /// What is wanted of one evaluation, and which kernels do it.
    struct Evaluation {
        AtomTracker::Now atoms;
        Wanted wanted;
        int threads;
        SumMode mode;
        bool in_tiles;   ///< forces come from FP32 kernels
        bool in_blocks;  ///< most of them from that of blocks
        bool has_others; ///< the others from that of single tiles
    };
    /// The way through all blocks, by thread.
    struct BlockWalk {
        std::vector<BlockWalker::Units> shifts, origins;
        std::vector<std::optional<BlockWalker>> walkers;
        std::int64_t next = 0, count = 0; ///< blocks
    };
    /// What is done before add_forces() ends.
    struct Ahead {
        Evaluation now;
        std::optional<BlockWalk> walk; ///< where blocks come first
    };
    [[nodiscard]] Ahead begin(const Box& box, std::span<const Vec3> positions, Wanted wanted,
                              int threads, SumMode mode);
    [[nodiscard]] BlockWalk begin_walk(const Evaluation& now);
    void go_on(BlockWalk& walk, const Evaluation& now, std::int64_t blocks, bool wide) const;
    void place_atoms(const Evaluation& now, std::span<const Vec3> positions);
    [[nodiscard]] std::size_t place_of(std::size_t atom) const;
    void place(const Evaluation& now, std::span<const Vec3> positions, std::size_t first,
               std::size_t last);
    void place(const AtomTracker::Now& now, const Vec3& position, std::size_t atom);
    [[nodiscard]] GridPosition as_seen(const AtomTracker::Now& now, const Vec3& position,
                                       std::size_t atom) const;
    void forget_list();
    void add_without_blocks(const Evaluation& now, const PairPlaces& places, ForceSums& forces,
                            EnergySums& energies);
    void add_share(const Evaluation& now, bool has_doubles, PairSums& mine);
    void add_parameters(PairBatch& batch) const;

    PairForm form_;
    double cutoff_;
    double sure_cutoff_; ///< pairs nearer than this in FP64 hold all that count
    double list_radius_;
    bool needs_cell_;
    std::optional<TileForm> tiles_;         ///< mixed precision only
    std::optional<BlockParameters> blocks_; ///< where forms and tables allow it
    BlockOptions block_options_;
    std::shared_ptr<const DoubleParameters> doubles_; ///< null: batches only
    std::shared_ptr<const Topology> topology_;
    ExclusionCorrections corrections_;
    std::function<bool(bool)> any_;    ///< of the ranks; null: alone
    std::optional<DomainOwner> owner_; ///< none: all pairs are this rank's

    // parameters of pairs of types
    std::int32_t types_;
    std::uint64_t shuffle_seed_; ///< 0: lists are taken as they are made
    struct TypePair {
        double c6, c12;
    };
    std::vector<TypePair> type_pair_;       ///< [types][types]
    std::vector<double> type_c4_, type_cg_; ///< the same; empty where no pair has any

    // of the last search
    ClusterPairList list_;
    bool has_rows_ = false; ///< of the list; blocks are found without them
    bool searched_ = false;
    AtomTracker tracker_;
    std::vector<std::int32_t> slot_type_; ///< [slots]
    BlockSearch block_search_;
    PairBlocks pair_blocks_;
    std::optional<BlockPruning> pruning_;  ///< of them, as atoms move; with blocks only
    AlignedVector<float> slot_lj_;         ///< as in BlockTask
    PairWork work_;                        ///< of the last evaluation
    std::optional<Ahead> ahead_;           ///< of one under way
    std::vector<std::uint8_t> is_partial_; ///< [columns]: other ranks compute some; may be empty
};

} // namespace tessera
