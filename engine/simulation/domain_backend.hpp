#pragma once

#include "engine/backend/atom_messages.hpp"
#include "engine/backend/backend.hpp"
#include "engine/backend/crew.hpp"
#include "engine/backend/transport.hpp"
#include "engine/cpu/cpu_backend.hpp"
#include "engine/cpu/cpu_forces.hpp"
#include "engine/plans/halo_plan.hpp"
#include "engine/plans/local_topology.hpp"
#include "engine/plans/settings.hpp"

#include <array>
#include <functional>
#include <memory>
#include <vector>

namespace tessera
{

/// Throws InputError for what several ranks cannot share: minimisers, shuffled plans, direct Ewald
/// sums, systems without a cell or without a finite cut-off. DomainBackend does too, but this needs
/// no atoms.
void refuse_what_ranks_cannot_share(const DynamicsSettings& dynamics,
                                    const NonbondedSettings& nonbonded, const Box& box, int ranks);

/// The domains with which a run on so many ranks begins.
DomainGrid domains_at_first(const NonbondedSettings& nonbonded, const Box& box, int ranks);

/// One of several ranks that share a system: it moves the atoms of its domain of the cell, and
/// computes the pairs and terms that fall to it from them and from ghosts, copies of atoms of the
/// domains above. Forces, energies and state have the bits of one rank. All ranks make the same
/// calls in the same order; each starts from the same whole state.
///
/// Between two searches a rank's atoms stay its own, and their positions travel:
///
///     begin         ghosts' positions leave for the ranks below. When any rank must search, the
///                   cell is cut anew: atoms go to new owners, ghosts follow
///     long range    own atoms only; while others' parts of the mesh are awaited, ghosts' positions
///                   are taken and local forces made ahead
///     local forces  the rest of them; then ghosts' forces leave for their owners
///     join          forces of the mesh
///     finish        returned forces are added as integers
///
/// Sums of energies and motion, where they are made, are added as integers.
class DomainBackend : public Backend {
public:
    /// How to cut the cell at the n-th cut (n = 0, 1, ...).
    using Cuts = std::function<DomainGrid(const Box& box, double reach, std::int64_t n)>;

    /// `smallest_cell` as in CellLimits. Without `cuts`, choose_domain_grid() says how to cut at
    /// first, and balanced() from the times that ranks take; no bit hangs on that.
    /// Throws InputError for minimisers and what cannot be shared.
    DomainBackend(std::shared_ptr<const Topology> topology, const NonbondedSettings& nonbonded,
                  const DynamicsSettings& dynamics, double smallest_cell, Transport& ranks,
                  int threads, Cuts cuts = {});

    void load(const State& state) override;
    /// Clock and cell as they are; on the first rank atoms as at the last collect(), on the others
    /// none.
    [[nodiscard]] const State& state() const override { return state_; }
    void collect() override;
    void agree(std::span<std::int64_t> numbers) override { ranks_.add(numbers); }

    void begin_forces(Wanted wanted) override;
    LongRangeToken begin_long_range(Wanted wanted) override;
    void add_local_forces(Wanted wanted) override;
    void join(LongRangeToken token) override { own_.join(std::move(token)); }
    void finish_forces(Wanted wanted) override;

    void perform(const SubStep& sub_step) override;
    void advance_clock() override;
    void project_positions() override { own_.project_positions(); }
    void adopt_velocities(bool half_step_behind) override;
    void draw_velocities(double temperature, std::uint64_t seed) override
    {
        own_.draw_velocities(temperature, seed);
    }

    [[nodiscard]] const EnergySums& energies() const override { return own_.energies(); }
    /// Of all atoms on the first rank, none on the others: all ranks ask together.
    [[nodiscard]] std::vector<Vec3> forces() const override;
    Motion measure_motion() override { return own_.measure_motion(); }
    [[nodiscard]] double degrees_of_freedom() const override { return own_.degrees_of_freedom(); }
    [[nodiscard]] bool has_constraints() const override { return own_.has_constraints(); }
    [[nodiscard]] BathEnergies bath_energies() const override { return own_.bath_energies(); }
    LargestForce largest_free_force() override { return own_.largest_free_force(); }
    [[nodiscard]] double trial_length() const override { return own_.trial_length(); }
    std::string part_coincident_atoms() override { return ""; }
    [[nodiscard]] std::string describe(std::int64_t atom) const override;
    void let_go() override { own_.let_go(); }
    [[nodiscard]] ExtraState export_extra() const override { return own_.export_extra(); }
    void import_extra(const ExtraState& extra) override { own_.import_extra(extra); }
    PhaseTimes& times() override { return own_.times(); }

private:
    /// An atom on its way to its owner.
    struct Traveller {
        std::int32_t atom;
        GridPosition position;
        Vec3 velocity;
    };
    /// One that a rank below is to know of.
    struct Ghost {
        std::int32_t atom;
        GridPosition position;
    };
    using FixedForce = std::array<std::int64_t, 3>;

    [[nodiscard]] DomainCut next_cut(const Extents& extents);
    [[nodiscard]] DomainGrid next_grid(const Box& box);
    [[nodiscard]] std::vector<double> work_of_ranks();
    void cut_anew();
    std::vector<Traveller> migrate(const DomainCut& cut, std::span<const Vec3> canonical);
    [[nodiscard]] std::vector<Vec3> canonical(std::span<const GridPosition> positions) const;
    void settle(const DomainCut& cut, std::vector<Traveller> own);
    void send_positions();
    void place_ghosts();
    void send_forces();
    void take_forces();
    void follow_clock();
    template <class T>
    [[nodiscard]] std::vector<T> on_first_rank(const std::vector<T>& of_local_atoms) const;

    std::shared_ptr<const Topology> whole_;
    TopologyIndex index_;
    double reach_; ///< of listed pairs, nm
    Transport& ranks_;
    CpuBackend own_;
    PartForces forces_;
    Cuts cuts_;
    std::int64_t cuts_made_ = 0;
    DomainGrid grid_;      ///< of the last cut
    double work_done_ = 0; ///< by this rank, up to the last cut, s

    State state_;
    std::shared_ptr<const LocalTopology> part_;
    HaloPlan halo_;
    AtomMessages<GridPosition> positions_; ///< to ghosts
    AtomMessages<FixedForce> returned_;    ///< of ghosts
};

} // namespace tessera
