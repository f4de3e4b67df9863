#pragma once

#include "engine/simulation/observers.hpp"
#include "io/trajectory_h5md.hpp"

#include <vector>

namespace tessera
{

/// Writes a running simulation into an H5MD trajectory: frames at one stride, energies at another.
class TrajectoryObserver : public Observer {
public:
    /// Columns for the settings of the file, in the order in which notify() writes them.
    static std::vector<ScalarColumn> energy_columns(const std::vector<EnergyKind>& kinds);
    static std::vector<ScalarColumn> observable_columns();

    /// `trajectory` was made with `settings` and outlives this.
    TrajectoryObserver(H5mdTrajectory& trajectory, const TrajectorySettings& settings,
                       std::vector<EnergyKind> kinds, std::int64_t every,
                       std::int64_t energies_every);

    [[nodiscard]] Interest interest(std::int64_t step) const override;
    void notify(const StepView& view) override;

private:
    void write_frame(const StepView& view);
    void write_energies(const StepView& view);

    H5mdTrajectory& trajectory_;
    bool velocities_, forces_;
    std::vector<EnergyKind> kinds_;
    std::int64_t every_, energies_every_;
};

} // namespace tessera
