#pragma once

#include "engine/backend/sums.hpp"
#include "engine/geometry/box.hpp"
#include "engine/model/state.hpp"
#include "engine/plans/step_plan.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace tessera
{

/// Scalars and tensors of one step. Units: ps, K, kJ/mol, nm; pressures kJ/mol/nm^3 (times
/// 16.6053906717: bar).
struct Observables {
    std::int64_t step = 0;
    double time = 0;
    std::array<double, energy_kind_count> energy{}; ///< by EnergyKind
    double potential = 0;
    double kinetic = 0; ///< at the time of the positions (leap-frog: mean of the half-step values)
    double total = 0;   ///< potential + kinetic
    double conserved = 0; ///< total, less what thermostat and barostat have given
    double degrees_of_freedom = 0;
    double temperature = 0;
    Mat3 kinetic_tensor;                  ///< 1/2 sum m v_k v_l
    Mat3 virial;                          ///< -1/2 sum r_k F_l, constraint forces included
    Mat3 constraint_virial;               ///< their part of it
    Mat3 pressure_tensor;                 ///< 2/V (kinetic_tensor - virial); zero in open space
    double pressure = 0;                  ///< a third of its trace
    double volume = 0;                    ///< 0: open space
    double largest_force = 0;             ///< minimisers: along which atoms can move, kJ/mol/nm
    std::int64_t largest_force_atom = -1; ///< on which it acts
    Box box;
};

/// Does an observer listen at a step, and what must be computed for it?
struct Interest {
    bool listens = false;
    Wanted wanted;      ///< energies and virial have to be asked for: they cost time
    bool atoms = true;  ///< looks at positions or velocities: where ranks share them, they have to
                        ///< be sent for
    bool forces = true; ///< looks at forces
};

/// What an observer may look at, valid during notify() only.
class StepView {
public:
    StepView(const StepPlan& plan, const State& state,
             std::function<const Observables&()> observables,
             std::function<std::vector<Vec3>()> forces,
             std::span<const PhaseHash> phase_hashes = {})
        : plan_(plan), state_(state), observables_(std::move(observables)),
          forces_(std::move(forces)), phase_hashes_(phase_hashes)
    {
    }
    [[nodiscard]] const StepPlan& plan() const { return plan_; }
    [[nodiscard]] const State& state() const { return state_; }
    /// Full only where energies and virial were wanted: else evaluated anew, at the cost of a step.
    [[nodiscard]] const Observables& observables() const { return observables_(); }
    /// kJ/mol/nm, topology order; virtual sites hold 0.
    [[nodiscard]] std::vector<Vec3> forces() const { return forces_(); }
    /// Of the force evaluation, in the order of its phases; where hashes were wanted.
    [[nodiscard]] std::span<const PhaseHash> phase_hashes() const { return phase_hashes_; }

private:
    const StepPlan& plan_;
    const State& state_;
    std::function<const Observables&()> observables_;
    std::function<std::vector<Vec3>()> forces_;
    std::span<const PhaseHash> phase_hashes_;
};

/// Listens to a simulation: writes files, gathers statistics. Must not change it.
class Observer {
public:
    virtual ~Observer() = default;
    /// A pure function of the step number; asked for before the step's forces are computed.
    [[nodiscard]] virtual Interest interest(std::int64_t step) const = 0;
    /// Called at the steps of interest, in the order in which observers were added; at step 0 (the
    /// start) too.
    virtual void notify(const StepView& view) = 0;
    /// Does it take so much memory that the simulation should let go of its lists first, and make
    /// them anew?
    [[nodiscard]] virtual bool needs_room() const { return false; }
    /// What its time is booked under; a string literal.
    [[nodiscard]] virtual const char* phase() const { return "output"; }
};

} // namespace tessera
