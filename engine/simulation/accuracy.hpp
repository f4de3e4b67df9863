#pragma once

#include "engine/model/state.hpp"
#include "engine/simulation/forces_by_class.hpp"
#include "engine/simulation/noise_power.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tessera
{

/// What a precision mode must keep, fixed before it was measured (docs/accuracy.md). Errors of
/// forces are relative to the root mean square of the total force.
struct AccuracyMargins {
    double pair_rms, pair_max;
    double reciprocal_rms;
    double energy;           ///< relative to the potential energy
    double pressure;         ///< bar
    double noise_power;      ///< kT/ns/dof
    double least_difference; ///< of pair forces, rms: below it a mode is FP64 in disguise
};
AccuracyMargins margins_of(Precision precision);

/// bar: -2/(3V) of the trace of a virial (kJ/mol); 0 in open space.
double pressure_of_virial(const Mat3& virial, const Box& box);

/// Errors of a group of atoms, summed over frames.
struct ErrorSums {
    std::int64_t atoms = 0; ///< over all frames
    double square = 0;      ///< sum |dF|^2, (kJ/mol/nm)^2
    double largest = 0;     ///< |dF|, kJ/mol/nm
    std::int32_t worst_atom = -1;
    [[nodiscard]] double rms() const; ///< kJ/mol/nm
    void merge(const ErrorSums& other);
};

/// One configuration: forces to be judged against a reference.
struct FrameAccuracy {
    std::array<ErrorSums, force_class_count> error; ///< by ForceClass
    std::map<std::string, std::array<ErrorSums, force_class_count>> element_error;
    double force_square = 0; ///< sum |F|^2 of the reference, total
    double energy_error = 0; ///< kJ/mol
    double potential = 0;    ///< kJ/mol, of the reference
    /// bar: from the virial of forces alone; the same with what constraints answer. 0 without cell.
    double pressure_error = 0, constrained_pressure_error = 0;
    double noise_power = 0; ///< kT/ns/dof
    std::array<std::int64_t, 3> pair_force_sum{};
    std::int64_t step = 0;
    [[nodiscard]] double force_rms() const;
};

/// FP64 forces with white noise: what tests T1 and T2 find of it, and should find.
struct PositiveControl {
    double injected; ///< rms of the noise over that of the total force
    double found;    ///< by T1
    double power;    ///< found by T2, kT/ns/dof
    /// Predicted for T2 with the standard deviation of one sample; none: NoisePower has none.
    std::optional<NoisePower::Expected> expected;
    /// By T1: within five standard deviations (1/sqrt(2 components) of the size).
    [[nodiscard]] bool is_found_by_forces() const;
    /// By T1, and by T2 within four standard deviations; false where nothing is predicted.
    [[nodiscard]] bool is_found() const;
    std::int64_t components = 0;
};

/// What is judged.
struct AccuracyRow {
    enum class Sense : std::uint8_t { at_most, at_least };
    std::string key;  ///< for files: "pair_rms"
    std::string text; ///< for readers
    std::string unit; ///< empty: a ratio
    double value = 0;
    double margin = 0;
    Sense sense = Sense::at_most;
    [[nodiscard]] bool within() const; ///< false for NaN
};

/// Tests T1 (errors of forces) and T2 (noise power) of docs/accuracy.md on the frames it is given:
/// a precision against FP64 with pairs found another way (PairPath::reference). Bonded terms and,
/// in FP64, meshes run the same code on both sides.
class AccuracyStudy {
public:
    /// `ndf`, `timestep` (ps) and `temperature` (K) as of the run whose heating is predicted.
    AccuracyStudy(std::shared_ptr<const Topology> topology, const NonbondedSettings& settings,
                  double ndf, double timestep, double temperature, int threads);

    /// Judges a state whose positions meet the constraints.
    const FrameAccuracy& add(const State& state);
    /// The reference forces of the last frame with noise of `relative` rms on pairs and total,
    /// judged like the precision: must be found.
    [[nodiscard]] PositiveControl inject_noise(double relative, std::uint64_t seed);

    /// Any forces of a state against any others; not among the frames.
    [[nodiscard]] FrameAccuracy compare(const State& state, const ForcesByClass& tested,
                                        const ForcesByClass& reference);

    [[nodiscard]] const std::vector<FrameAccuracy>& frames() const { return frames_; }
    /// All frames together: rms and largest; energy and pressure the worst of them; power the mean.
    [[nodiscard]] FrameAccuracy joined() const;
    /// What margins demand, judged over all frames.
    [[nodiscard]] std::vector<AccuracyRow> rows() const;
    [[nodiscard]] bool has_fp32_pairs() const { return has_fp32_pairs_; }

private:
    std::shared_ptr<const Topology> topology_;
    Precision precision_;
    bool has_mesh_;
    int threads_;
    ForceClasses tested_, reference_;
    NoisePower noise_power_;
    std::vector<std::string> element_; ///< [atoms]
    std::vector<FrameAccuracy> frames_;
    State last_state_;
    ForcesByClass last_reference_;
    std::optional<NoisePower::Expected> unit_noise_; ///< of 1 kJ/mol/nm at the last frame
    bool has_fp32_pairs_ = false;
};

} // namespace tessera
