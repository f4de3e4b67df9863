#pragma once

#include "engine/backend/backend.hpp"
#include "engine/backend/crew.hpp"
#include "engine/backend/force_provider.hpp"
#include "engine/cpu/constraints.hpp"
#include "engine/cpu/place_grid.hpp"
#include "engine/cpu/velocity_of.hpp"
#include "engine/cpu/virtual_sites.hpp"
#include "engine/model/topology.hpp"
#include "engine/plans/settings.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tessera
{

/// What a rank must know of the system as a whole.
struct SystemTotals {
    double mass = 0; ///< u
    double degrees_of_freedom = 0;
    bool has_constraints = false;
};

/// What pairs ask of the cell, nm.
struct CellLimits {
    double smallest = 0; ///< a cell whose shortest height falls below it stops the run; 0: no limit
    double list_radius = 0;
};

/// The state and all verbs on it, on the CPU in FP64, for one process. Bits do not depend on the
/// number of threads, nor on when pair lists were made.
///
/// Several ranks have one each, which holds a part (adopt_part): its atoms, and ghosts without
/// mass, which stay where set_ghost() puts them. Sums over atoms are then those of all ranks, so
/// that all perform the same verbs in the same order.
class CpuBackend : public Backend {
public:
    /// Throws InputError for what cannot be moved: shells, atoms without mass.
    CpuBackend(std::shared_ptr<const Topology> topology, const DynamicsSettings& settings,
               std::vector<std::unique_ptr<ForceProvider>> forces, const CellLimits& limits,
               const Crew& crew);
    ~CpuBackend() override;

    using Forces = std::vector<std::unique_ptr<ForceProvider>>;
    /// Goes on with these atoms alone; clock, cell, baths and totals stand. `state` holds their
    /// positions and velocities.
    void adopt_part(std::shared_ptr<const Topology> part, Forces forces, const State& state);
    /// Gives virtual sites their places in state().
    void place_sites();
    /// Puts atoms and sites where the forces will see them. Whether pairs must be searched there.
    bool place_and_ask();
    /// Makes the lists that the forces need; atoms are placed.
    void search();
    /// What begin_forces() does beside.
    void clear_forces(Wanted wanted);
    /// Puts a ghost where its owner has it.
    void set_ghost(std::size_t atom, const GridPosition& x);
    /// Of this cell.
    [[nodiscard]] const PlaceGrid& places() const { return places_; }
    /// A piece of the local forces, for the time that others take; the rest is
    /// add_local_forces()'s. False: none is left.
    bool add_ahead(Wanted wanted);
    /// Of the last evaluation, before finish_forces().
    [[nodiscard]] ForceSums& sums() { return forces_; }
    [[nodiscard]] int threads() const { return threads_; }

    void load(const State& state) override;
    [[nodiscard]] const State& state() const override { return state_; }

    void begin_forces(Wanted wanted) override;
    void add_local_forces(Wanted wanted) override;
    LongRangeToken begin_long_range(Wanted wanted) override;
    void join(LongRangeToken token) override;
    void finish_forces(Wanted wanted) override;

    void perform(const SubStep& sub_step) override;
    void advance_clock() override;
    void project_positions() override;
    void adopt_velocities(bool half_step_behind) override;
    void draw_velocities(double temperature, std::uint64_t seed) override;

    [[nodiscard]] const EnergySums& energies() const override { return energies_; }
    [[nodiscard]] std::vector<Vec3> forces() const override;
    Motion measure_motion() override;
    [[nodiscard]] double degrees_of_freedom() const override { return totals_.degrees_of_freedom; }
    [[nodiscard]] bool has_constraints() const override { return totals_.has_constraints; }
    [[nodiscard]] BathEnergies bath_energies() const override { return baths_; }
    LargestForce largest_free_force() override;
    std::string part_coincident_atoms() override;
    [[nodiscard]] std::string describe(std::int64_t atom) const override;
    [[nodiscard]] double trial_length() const override { return descent_.length; }

    void let_go() override;
    [[nodiscard]] std::span<const PhaseHash> phase_hashes() const override { return hashes_; }
    [[nodiscard]] ExtraState export_extra() const override;
    void import_extra(const ExtraState& extra) override;
    PhaseTimes& times() override { return times_; }

private:
    // sub-steps
    void run(const Kick& s);
    void run(const Drift& s);
    void run(const ConstrainPositions& s);
    void run(const ConstrainVelocities& s);
    void run(const Thermalize& s);
    void run(const MeterHeat& s);
    void run(const RescaleVelocities& s);
    void run(const MeasurePressure& s);
    void run(const ScaleBox& s);
    void run(const RemoveComMotion& s);
    void run(const tessera::Forces& s);
    void run(const Descend& s);
    void run(const Judge& s);

    [[nodiscard]] bool is_due(std::int64_t every) const { return state_.step % every == 0; }
    void prepare_atoms();
    void set_atoms(const State& state);
    void clear_corrections();
    std::optional<BrokenConstraint> correct_displacements(std::span<const GridPosition> from);
    [[nodiscard]] PlaceGrid place_grid(const Box& box) const
    {
        return {box, reach_of_places(limits_.list_radius)};
    }
    void adopt_box(const Box& box);
    [[nodiscard]] Vec3 placed(std::size_t atom) const;
    void place_atoms();
    void place_virtual_sites();
    void choose_images();
    bool add_ahead(bool long_range, Wanted wanted);
    void add_forces_of(bool long_range, Wanted wanted, int threads);
    void sum_in_floating_point(Wanted wanted);
    [[nodiscard]] VelocityOf next_half_step_velocities();
    void book_stretch();
    double remove_com_motion();
    void require(const std::optional<BrokenConstraint>& broken, const char* what) const;
    [[nodiscard]] std::int64_t first_without_finite_force() const;
    [[nodiscard]] std::string when() const;
    /// Throws AtomFault. `what`: without time and place.
    [[noreturn]] void fail_at(std::int64_t atom, const std::string& what) const;

    std::shared_ptr<const Topology> topology_;
    DynamicsSettings settings_;
    std::vector<std::unique_ptr<ForceProvider>> providers_;
    VirtualSites virtual_sites_;
    Constraints constraints_;
    SystemTotals totals_;
    CellLimits limits_;
    Crew crew_;
    int threads_;

    State state_;
    double time_origin_ = 0; ///< ps, of step 0
    ForceSums forces_;
    EnergySums energies_;
    BathEnergies baths_;
    std::optional<double> pressure_; ///< of update groups, at the beginning of this step
    double group_virial_ = 0;        ///< its trace, from the same measurement
    double pending_stretch_ = 0;     ///< ln of the edges' change whose work is booked by half

    // positions as the forces see them: near one cell, on a continuous path between searches
    std::vector<Vec3> placed_;
    PlaceGrid places_;                               ///< of them
    std::array<GridPosition, 3> cell_row_{};         ///< cell vectors
    std::vector<std::array<std::int32_t, 3>> image_; ///< cell vectors taken away, of every atom

    /// Of constraints, zero for unconstrained_; first the displacements that need them. In the
    /// memory of placed_, which each force evaluation fills anew.
    std::vector<Vec3>& correction_ = placed_;
    std::vector<std::int32_t> unconstrained_; ///< atoms; empty where there are no constraints

    struct Descent {
        double length; ///< nm
        std::vector<GridPosition> position;
        ForceSums forces;
        EnergySums energies;
        bool on_trial, broken; ///< broken: constraints or forces failed on the trial
        bool at_start;         ///< its forces may still be not finite: atoms can be parted
    } descent_;

    std::vector<PhaseHash> hashes_; ///< of the last force evaluation that wanted them
    PhaseTimes times_;
};

} // namespace tessera
