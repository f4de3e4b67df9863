#pragma once

#include "engine/simulation/observers.hpp"
#include "io/trajectory_h5md.hpp"

#include <vector>

namespace tessera
{

/// Steps between what is written; 0: never.
struct TrajectoryStrides {
    std::int64_t frames = 0;
    std::int64_t energies = 0;
    std::int64_t velocities_apart = 0;
    std::int64_t forces_apart = 0;
};

/// Writes a running simulation into an H5MD trajectory: frames, energies and, where the settings
/// ask for it, velocities and forces, each at its own stride.
class TrajectoryObserver : public Observer {
public:
    /// Columns for the settings of the file, in the order in which notify() writes them.
    /// Of a minimisation only energies, pressure and volume: nothing moves.
    static std::vector<ScalarColumn> energy_columns(const std::vector<EnergyKind>& kinds,
                                                    bool moves = true);
    static std::vector<ScalarColumn> observable_columns(bool moves = true);

    /// `trajectory` was made with `settings` and outlives this.
    TrajectoryObserver(H5mdTrajectory& trajectory, const TrajectorySettings& settings,
                       std::vector<EnergyKind> kinds, const TrajectoryStrides& strides,
                       bool moves = true);

    [[nodiscard]] Interest interest(std::int64_t step) const override;
    void notify(const StepView& view) override;

private:
    void write_frame(const StepView& view);
    void write_energies(const StepView& view);

    H5mdTrajectory& trajectory_;
    bool velocities_, forces_, moves_;
    std::vector<EnergyKind> kinds_;
    TrajectoryStrides strides_;
};

} // namespace tessera
