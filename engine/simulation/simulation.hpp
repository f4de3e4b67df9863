#pragma once

#include "engine/backend/backend.hpp"
#include "engine/backend/force_provider.hpp"
#include "engine/backend/transport.hpp"
#include "engine/model/topology.hpp"
#include "engine/plans/settings.hpp"
#include "engine/simulation/observers.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tessera
{

/// How a state enters a simulation. fresh: constraints are projected, velocities generated where
/// the settings ask for them. continued: taken bit by bit (a checkpoint of the same run).
enum class StartKind : std::uint8_t { fresh, continued };

/// A running simulation. Bits do not depend on threads, on the age of pair lists, on the image of
/// atoms or on how often the run was stopped and continued.
class Simulation {
public:
    /// Forces as the topology and the settings say, on the CPU. Nothing is computed yet. With
    /// `ranks`, these share the system (DomainBackend): all give the same arguments, and make the
    /// same calls; what one rank's observers listen to is computed on all.
    /// Throws InputError where topology, settings and state contradict.
    Simulation(std::shared_ptr<const Topology> topology, NonbondedSettings nonbonded,
               DynamicsSettings dynamics, State start, int threads,
               StartKind kind = StartKind::fresh, Transport* ranks = nullptr);
    /// Forces given from outside (tests, exotic forces).
    Simulation(std::shared_ptr<const Topology> topology, DynamicsSettings dynamics, State start,
               int threads, std::vector<std::unique_ptr<ForceProvider>> forces,
               StartKind kind = StartKind::fresh);
    /// On a backend made elsewhere, for the same settings; it holds the start state.
    Simulation(std::unique_ptr<Backend> backend, const DynamicsSettings& dynamics,
               StartKind kind = StartKind::fresh);
    ~Simulation();

    /// Observers outlive the simulation. Add them before begin().
    void add_observer(Observer& observer);

    /// Puts the start state right and computes its forces; a fresh start is shown to the observers
    /// (a continued one was shown before the checkpoint). step() and observables() do it where it
    /// has not been done.
    void begin();

    /// Advances the system from t to t + dt. On entry and on return positions and forces belong to
    /// the same time; velocities too, or half a step behind where the scheme says so (leap-frog).
    void step();

    /// Steps until the state has this step number, or until `stop` says so (asked after every
    /// step), or until a minimiser has arrived or is stuck.
    void run(std::int64_t until_step, const std::function<bool()>& stop = {});

    /// Where ranks share the atoms: clock and cell as they are, the atoms as they were at the last
    /// collect(); observers are shown all of it.
    [[nodiscard]] const State& state() const;
    /// Makes state() hold all atoms; all ranks call it together.
    void collect();
    /// Lets lists and meshes go; the next step makes them anew, to the same bits.
    void make_room();
    /// Replaces numbers by their sums over ranks; all ranks call it together.
    void agree(std::span<std::int64_t> numbers);
    [[nodiscard]] const DynamicsSettings& dynamics() const { return dynamics_; }
    /// kJ/mol/nm, topology order, at state().time; virtual sites hold 0.
    [[nodiscard]] std::vector<Vec3> forces();
    /// At state().step. Free where that step computed energies and virial, else one force
    /// evaluation (which does not change the run).
    const Observables& observables();
    [[nodiscard]] double degrees_of_freedom() const;
    /// Steepest descent: has the largest force fallen below the tolerance?
    [[nodiscard]] bool minimised();
    /// Steepest descent: can no step lower the energy any more?
    [[nodiscard]] bool is_stuck();
    [[nodiscard]] LargestForce largest_force();
    /// "atom 7 (OW of SOL 3)"
    [[nodiscard]] std::string describe(std::int64_t atom) const;
    /// What begin() had to do to the start state, in words.
    [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

    /// What a checkpoint must hold beside state(); import before begin().
    [[nodiscard]] ExtraState export_extra() const;
    void import_extra(const ExtraState& extra);

    [[nodiscard]] const PhaseTimes& times() const;
    void clear_times();

private:
    void compute_forces(const StepPlan& plan);
    void make_descent_possible();
    [[nodiscard]] StepPlan plan_for(std::int64_t step);
    void notify(const StepPlan& plan);
    Observables gather();

    DynamicsSettings dynamics_;
    std::unique_ptr<Backend> backend_;
    Scheme scheme_;
    StartKind kind_;
    bool begun_ = false;
    std::vector<Observer*> observers_;
    std::vector<std::string> notes_;
    StepPlan plan_;                          ///< of the forces at hand
    std::optional<Observables> observables_; ///< of the forces at hand, once gathered
};

} // namespace tessera
