#pragma once

#include "engine/backend/sums.hpp"
#include "engine/base/phase_timer.hpp"
#include "engine/model/state.hpp"
#include "engine/plans/scheme.hpp"

#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tessera
{

/// Proof that long-range forces, and what is wanted of them, have begun; join() takes it back.
class [[nodiscard]] LongRangeToken {
public:
    explicit LongRangeToken(Wanted wanted) : wanted_(wanted) {}
    LongRangeToken(LongRangeToken&& other) noexcept
        : wanted_(other.wanted_), open_(std::exchange(other.open_, false))
    {
    }
    LongRangeToken& operator=(LongRangeToken&&) = delete;
    [[nodiscard]] bool is_open() const { return open_; }
    [[nodiscard]] Wanted wanted() const { return wanted_; }

private:
    Wanted wanted_;
    bool open_ = true;
};

/// Kinetic energy and constraint forces at the time of the positions. Unit: kJ/mol. Zero where a
/// minimiser moves the atoms.
struct Motion {
    Mat3 kinetic; ///< 1/2 sum m v_k v_l; leap-frog: mean of the two half-step values
    Mat3 constraint_virial;
};

/// The conserved quantity's part that baths hold, kJ/mol.
struct BathEnergies {
    double thermostat = 0; ///< heat given to the system so far, less what the
                           ///< removal of the centre of mass' motion took
    double barostat = 0;   ///< energy given to the system by changes of the cell so far
};

/// The largest of the forces along which atoms can move, kJ/mol/nm, and the atom on which it acts
/// (-1: there is none). NaN where an atom's force is not finite.
struct LargestForce {
    double force = 0;
    std::int64_t atom = -1;
};

/// State that is neither position nor velocity, by name; doubles are stored bit by bit.
using ExtraState = std::map<std::string, std::vector<double>>;

/// Who holds the state and works on it: a few verbs, each one phase over all atoms.
class Backend {
public:
    virtual ~Backend() = default;

    /// Takes over a state.
    virtual void load(const State& state) = 0;
    /// The state as it is. Copies from the device where there is one. Where ranks share the atoms,
    /// clock and cell are as they are, the atoms as they were at the last collect().
    [[nodiscard]] virtual const State& state() const = 0;

    /// Makes state() hold all atoms where ranks share them; all ranks call it together.
    virtual void collect() {}

    /// Replaces numbers by their sums over ranks; all ranks call it together.
    virtual void agree(std::span<std::int64_t> /*numbers*/) {}

    // forces, in this order
    virtual void begin_forces(Wanted wanted) = 0; ///< places virtual sites, searches if it must
    virtual void add_local_forces(Wanted wanted) = 0;
    virtual LongRangeToken begin_long_range(Wanted wanted) = 0;
    virtual void join(LongRangeToken token) = 0;
    virtual void
    finish_forces(Wanted wanted) = 0; ///< spreads virtual sites' forces, checks the range

    /// One sub-step of the step from state().step to the next (not Forces).
    virtual void perform(const SubStep& sub_step) = 0;
    /// The step is over: step number and time of the state advance.
    virtual void advance_clock() = 0;
    /// Puts the positions of a start onto the constraints.
    virtual void project_positions() = 0;
    /// Makes the velocities belong to the positions' time, or to half a step earlier, by half a
    /// kick under the present forces where they do not; and takes out what the constraints forbid.
    virtual void adopt_velocities(bool half_step_behind) = 0;
    /// Maxwell-Boltzmann velocities: no motion of the centre of mass, none along constraints.
    virtual void draw_velocities(double temperature, std::uint64_t seed) = 0;

    // results, at the time of the forces
    [[nodiscard]] virtual const EnergySums& energies() const = 0;
    [[nodiscard]] virtual std::vector<Vec3> forces() const = 0;
    virtual Motion measure_motion() = 0;
    [[nodiscard]] virtual double degrees_of_freedom() const = 0;
    [[nodiscard]] virtual bool has_constraints() const = 0;
    [[nodiscard]] virtual BathEnergies bath_energies() const = 0;
    /// With what the constraints bear taken out.
    virtual LargestForce largest_free_force() = 0;
    /// Minimisers: how far the next trial moves, nm.
    [[nodiscard]] virtual double trial_length() const = 0;
    /// Minimisers, after the forces of the start: moves atoms whose force is not finite (they stand
    /// on others, and nothing tells where to go) by a tiny step each, the same in every run.
    /// Returns which, in words; empty: none, and the forces stand.
    virtual std::string part_coincident_atoms() = 0;
    /// "atom 7 (OW of SOL 3)"
    [[nodiscard]] virtual std::string describe(std::int64_t atom) const = 0;

    /// Returns the memory of what the next force evaluation makes anew; forces and sums stand.
    virtual void let_go() {}

    /// Of the phases of the last force evaluation that wanted hashes, in their order: the first
    /// that differs between two runs is where they part. Empty where there are none.
    [[nodiscard]] virtual std::span<const PhaseHash> phase_hashes() const { return {}; }

    [[nodiscard]] virtual ExtraState export_extra() const = 0;
    virtual void import_extra(const ExtraState& extra) = 0;
    virtual PhaseTimes& times() = 0;
};

} // namespace tessera
