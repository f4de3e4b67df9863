#pragma once

#include "engine/simulation/observers.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace tessera
{

/// Mean, spread and drift of a series, without keeping it.
struct RunningMean {
    std::int64_t count = 0;
    double mean = 0;
    double squares = 0; ///< sum of squared distances from the mean
    double time_mean = 0, time_squares = 0, products = 0;

    void add(double time, double value);
    [[nodiscard]] double deviation() const;
    /// Slope of the straight line that fits best, a ps.
    [[nodiscard]] double slope() const;
};

/// The table of energies in the log: one row every so many steps, and means at the end. Units as
/// the head says (ps, kJ/mol, K, bar, nm^3).
class EnergyLog : public Observer {
public:
    /// `kinds`: the energies this system has. `stream` outlives this and takes the rows.
    EnergyLog(std::ostream& stream, std::vector<EnergyKind> kinds, std::int64_t every,
              bool periodic);

    [[nodiscard]] Interest interest(std::int64_t step) const override;
    void notify(const StepView& view) override;

    /// Head of the table; called by the first row too.
    void write_head();
    /// Means and deviations of every column, and the drift of the conserved quantity.
    [[nodiscard]] std::string summary(std::int64_t atoms) const;

private:
    std::ostream& stream_;
    std::vector<EnergyKind> kinds_;
    std::int64_t every_;
    bool periodic_;
    bool head_written_ = false;
    std::vector<RunningMean> terms_;
    RunningMean potential_, kinetic_, total_, conserved_, temperature_, pressure_, volume_;
};

} // namespace tessera
