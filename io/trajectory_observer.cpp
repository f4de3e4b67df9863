#include "io/trajectory_observer.hpp"

#include "engine/math/units.hpp"

namespace tessera
{

namespace
{

/// The scalars behind the energies proper, in one order for both strides.
void add_scalars(const Observables& o, bool moves, std::vector<double>& row)
{
    row.push_back(o.potential);
    if (moves) {
        row.insert(row.end(), {o.kinetic, o.total, o.conserved, o.temperature});
    }
    row.insert(row.end(), {o.pressure / units::bar, o.volume});
}

bool falls_on(std::int64_t step, std::int64_t stride)
{
    return stride > 0 && step % stride == 0;
}

void add_scalar_columns(bool moves, std::vector<ScalarColumn>& columns)
{
    columns.push_back({"potential_energy", "kJ mol-1"});
    if (moves) {
        for (const char* name : {"kinetic_energy", "total_energy", "conserved_energy"}) {
            columns.push_back({name, "kJ mol-1"});
        }
        columns.push_back({"temperature", "K"});
    }
    columns.push_back({"pressure", "bar"});
    columns.push_back({"volume", "nm+3"});
}

} // namespace

std::vector<ScalarColumn> TrajectoryObserver::energy_columns(const std::vector<EnergyKind>& kinds,
                                                             bool moves)
{
    std::vector<ScalarColumn> columns;
    for (const EnergyKind kind : kinds) {
        columns.push_back({std::string(name_of(kind)), "kJ mol-1"});
    }
    add_scalar_columns(moves, columns);
    return columns;
}

std::vector<ScalarColumn> TrajectoryObserver::observable_columns(bool moves)
{
    std::vector<ScalarColumn> columns;
    add_scalar_columns(moves, columns);
    return columns;
}

TrajectoryObserver::TrajectoryObserver(H5mdTrajectory& trajectory,
                                       const TrajectorySettings& settings,
                                       std::vector<EnergyKind> kinds,
                                       const TrajectoryStrides& strides, bool moves)
    : trajectory_(trajectory), velocities_(settings.velocities), forces_(settings.forces),
      moves_(moves), kinds_(std::move(kinds)), strides_(strides)
{
}

Interest TrajectoryObserver::interest(std::int64_t step) const
{
    const bool frame = falls_on(step, strides_.frames);
    const bool sums = frame || falls_on(step, strides_.energies);
    const bool velocities = falls_on(step, strides_.velocities_apart);
    const bool forces = falls_on(step, strides_.forces_apart);
    return {sums || velocities || forces,
            {sums, sums},
            frame || velocities,
            forces || (frame && forces_)};
}

void TrajectoryObserver::notify(const StepView& view)
{
    const State& state = view.state();
    if (falls_on(state.step, strides_.energies)) {
        write_energies(view);
    }
    if (falls_on(state.step, strides_.velocities_apart)) {
        trajectory_.append_velocities(state.step, state.time, state.box, state.velocity);
    }
    if (falls_on(state.step, strides_.forces_apart)) {
        trajectory_.append_forces(state.step, state.time, state.box, view.forces());
    }
    if (falls_on(state.step, strides_.frames)) {
        write_frame(view); // hands the energies to the operating system too
    }
}

void TrajectoryObserver::write_frame(const StepView& view)
{
    const State& state = view.state();
    std::vector<Vec3> positions;
    positions.reserve(state.position.size());
    for (const GridPosition& x : state.position) {
        positions.push_back(to_nm(x));
    }
    const std::vector<Vec3> forces = forces_ ? view.forces() : std::vector<Vec3>();
    std::vector<double> observables;
    add_scalars(view.observables(), moves_, observables);

    TrajectoryFrame frame;
    frame.step = state.step;
    frame.time = state.time;
    frame.box = state.box;
    frame.positions = positions;
    if (velocities_) {
        frame.velocities = state.velocity;
    }
    frame.forces = forces;
    frame.observables = observables;
    trajectory_.append(frame);
}

void TrajectoryObserver::write_energies(const StepView& view)
{
    const Observables& o = view.observables();
    std::vector<double> row;
    for (const EnergyKind kind : kinds_) {
        row.push_back(o.energy[static_cast<std::size_t>(kind)]);
    }
    add_scalars(o, moves_, row);
    trajectory_.append_energies(o.step, o.time, row);
}

} // namespace tessera
