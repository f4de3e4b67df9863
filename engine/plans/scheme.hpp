#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace tessera
{

/// A part of the time step: part/parts of dt.
struct Fraction {
    int part = 1, parts = 1;
    [[nodiscard]] double of(double dt) const { return dt * part / parts; }
    friend bool operator==(const Fraction&, const Fraction&) = default;
};

/// v += f/m dt
struct Kick {
    Fraction fraction;
    friend bool operator==(const Kick&, const Kick&) = default;
};
/// x += v dt
struct Drift {
    Fraction fraction;
    friend bool operator==(const Drift&, const Drift&) = default;
};
/// Moves x onto the constraints along their directions before the drift of the same fraction, and v
/// by the same displacement over the time.
struct ConstrainPositions {
    Fraction fraction;
    friend bool operator==(const ConstrainPositions&, const ConstrainPositions&) = default;
};
/// Takes the components along the constraints out of v.
struct ConstrainVelocities {
    friend bool operator==(const ConstrainVelocities&, const ConstrainVelocities&) = default;
};
/// Ornstein-Uhlenbeck: v <- c v + sqrt((1 - c^2) kT/m) xi, c = exp(-friction dt). Units: 1/ps, K.
struct Thermalize {
    double friction, temperature;
    std::uint64_t seed;
    friend bool operator==(const Thermalize&, const Thermalize&) = default;
};
/// Adds sign times the kinetic energy to the heat that the thermostat has given: a pair of them
/// encloses what exchanges heat.
struct MeterHeat {
    int sign;
    friend bool operator==(const MeterHeat&, const MeterHeat&) = default;
};
/// Stochastic velocity rescaling, every so many steps (rescale.hpp). Units: K, ps.
struct RescaleVelocities {
    double temperature, time;
    std::uint64_t seed;
    std::int64_t every;
    friend bool operator==(const RescaleVelocities&, const RescaleVelocities&) = default;
};
/// Pressure of the configuration as it is, for the ScaleBox of the same step.
struct MeasurePressure {
    std::int64_t every;
    friend bool operator==(const MeasurePressure&, const MeasurePressure&) = default;
};
/// Stochastic cell rescaling (cell_rescale.hpp). Units: K, kJ/mol/nm^3, ps, nm^3 mol/kJ.
struct ScaleBox {
    double temperature, pressure, time, compressibility;
    std::uint64_t seed;
    std::int64_t every;
    friend bool operator==(const ScaleBox&, const ScaleBox&) = default;
};
/// Takes the velocity of the centre of mass out of v, every so many steps.
struct RemoveComMotion {
    std::int64_t every;
    friend bool operator==(const RemoveComMotion&, const RemoveComMotion&) = default;
};
/// Forces at the present positions.
struct Forces {
    friend bool operator==(const Forces&, const Forces&) = default;
};
/// A trial step down the forces, and its judgement: kept if the energy fell, else taken back.
struct Descend {
    friend bool operator==(const Descend&, const Descend&) = default;
};
struct Judge {
    friend bool operator==(const Judge&, const Judge&) = default;
};

using SubStep = std::variant<Kick, Drift, ConstrainPositions, ConstrainVelocities, Thermalize,
                             MeterHeat, RescaleVelocities, MeasurePressure, ScaleBox,
                             RemoveComMotion, Forces, Descend, Judge>;

inline bool is_force_evaluation(const SubStep& sub)
{
    return std::holds_alternative<Forces>(sub);
}

/// An integrator as a value. Kicks sum to one step; so do drifts.
struct Scheme {
    std::vector<SubStep> sub_steps;
    bool velocities_half_step_behind = false; ///< leap-frog: v(t - dt/2) stands beside x(t)

    [[nodiscard]] auto begin() const { return sub_steps.begin(); }
    [[nodiscard]] auto end() const { return sub_steps.end(); }
    friend bool operator==(const Scheme&, const Scheme&) = default;
};

/// Inserts the constraint sub-steps: positions after every drift; velocities before whatever reads
/// them (heat meter, rescaling) and at the end, where kicks, drifts or noise have moved them since.
/// Velocities half a step behind belong to no positions: they are corrected with the positions
/// only.
Scheme constrained(const Scheme& scheme);

/// "kick 1/2, drift 1, forces, kick 1/2"
std::string to_text(const Scheme& scheme);

} // namespace tessera
