#pragma once

#include "engine/simulation/forces_by_class.hpp"
#include "engine/simulation/noise_power.hpp"
#include "engine/simulation/observers.hpp"

#include <functional>
#include <string>

namespace tessera
{

/// Compares the forces of a running simulation with FP64 forces of pairs found another way
/// (PairPath::reference), every so many steps and at the start; docs/accuracy.md. It changes no bit
/// of the run. Cost: about five steps in FP64.
///
/// A finding beyond ten times the margins (margins_of, T1 and T2 of accuracy.hpp) is a fault of
/// program or machine: PhysicsError. Errors of forces are told over the rms of the total force, but
/// at least over what changes thermal momentum within 20 fs, as forces cancel in minimised
/// structures and crystals while their errors do not; that of the energy over the potential energy,
/// but at least the kinetic energy at the temperature. The margin of the pressure grows with what
/// the forces make of it, where that is more than in water.
class AccuracyCheck : public Observer {
public:
    struct Finding {
        std::int64_t step = 0;
        double time = 0;      ///< ps
        double force_rms = 0; ///< relative
        double force_max = 0; ///< relative
        std::int64_t worst_atom = -1;
        double noise_power = 0;    ///< kT/ns/dof
        double pressure = 0;       ///< bar; from the virial of forces alone
        double whole_pressure = 0; ///< bar; what the right forces' virial makes
        double energy = 0;         ///< relative
    };

    /// `ndf` as of the run. `tell` takes each finding before it is judged.
    AccuracyCheck(std::shared_ptr<const Topology> topology, const NonbondedSettings& settings,
                  const DynamicsSettings& dynamics, double ndf, std::int64_t every, int threads,
                  std::function<void(const Finding&)> tell);

    [[nodiscard]] Interest interest(std::int64_t step) const override;
    void notify(const StepView& view) override;
    [[nodiscard]] bool needs_room() const override { return true; }
    [[nodiscard]] const char* phase() const override { return "accuracy check"; }

private:
    [[nodiscard]] Finding compare(const StepView& view);
    void judge(const Finding& found) const;

    std::shared_ptr<const Topology> topology_;
    NonbondedSettings settings_;
    Precision precision_;
    std::int64_t every_;
    int threads_;
    double kinetic_;       ///< kJ/mol, at the temperature
    double thermal_force_; ///< kJ/mol/nm
    // what evaluates in FP64 holds hundreds of bytes an atom: it is made for each check, and let go
    std::function<NoisePower()> make_noise_power_;
    std::function<void(const Finding&)> tell_;
};

/// One line, without its end: "check at step 5000: forces differ from FP64 by ...".
std::string in_words(const AccuracyCheck::Finding& found);

} // namespace tessera
