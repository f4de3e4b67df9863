#pragma once

#include "engine/simulation/observers.hpp"
#include "io/run_statistics.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace tessera
{

/// What the rows tell: a moving system, or one that runs downhill (no time, no velocities).
enum class LogKind : std::uint8_t { dynamics, minimisation };

/// The table of energies in the log: one row every so many steps, and means at the end. Units as
/// the head says (ps, kJ/mol, K, bar, nm^3; of a minimisation the potential and the largest force,
/// kJ/mol/nm, with its atom).
class EnergyLog : public Observer {
public:
    /// `kinds`: the energies this system has. `stream` outlives this and takes the rows. `mass`: of
    /// all atoms, u, for the density.
    EnergyLog(std::ostream& stream, std::vector<EnergyKind> kinds, std::int64_t every,
              bool periodic, LogKind kind = LogKind::dynamics, double mass = 0);

    [[nodiscard]] Interest interest(std::int64_t step) const override;
    void notify(const StepView& view) override;

    /// Head of the table; called by the first row too.
    void write_head();
    /// "298.40 K, potential -300553.9 kJ/mol at step 100" of the last row; empty before the first.
    [[nodiscard]] const std::string& last_row() const { return last_row_; }
    /// Means of every column with their standard errors (block averages) and the deviations of
    /// single rows, and the drift of the conserved quantity with its error. Nothing of a
    /// minimisation: its rows have no mean.
    [[nodiscard]] std::string summary(std::int64_t atoms) const;

private:
    std::ostream& stream_;
    std::vector<EnergyKind> kinds_;
    std::int64_t every_;
    bool periodic_;
    LogKind kind_;
    double mass_;
    bool head_written_ = false;
    double degrees_of_freedom_ = 0;
    std::string last_row_;
    std::vector<BlockAverage> terms_;
    BlockAverage potential_, kinetic_, total_, conserved_, temperature_, pressure_, volume_,
        density_;
    DriftLine conserved_over_time_;
};

} // namespace tessera
