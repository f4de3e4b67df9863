#include "io/trajectory_h5md.hpp"

#include "engine/base/contract.hpp"
#include "io/hdf5_rehearsal.hpp"
#include "io/trajectory_parts.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <tuple>

namespace tessera
{

using h5md::group;
using h5md::provenance_group;
using h5md::require;

namespace
{

/// Division and product are exact: `grid` is a power of two.
Vec3 on_grid(const Vec3& x, double grid)
{
    return {std::nearbyint(x.x / grid) * grid, std::nearbyint(x.y / grid) * grid,
            std::nearbyint(x.z / grid) * grid};
}

template <class Number>
std::vector<Number> moved(const TrajectoryFrame& frame, const std::vector<CellShift>& shifts,
                          double grid)
{
    std::vector<Number> out;
    out.reserve(3 * shifts.size());
    for (std::size_t i = 0; i < shifts.size(); ++i) {
        const CellShift& s = shifts[i];
        Vec3 x = frame.positions[i] + frame.box.shift(s[0], s[1], s[2]);
        if (grid > 0) {
            x = on_grid(x, grid);
        }
        out.insert(out.end(),
                   {static_cast<Number>(x.x), static_cast<Number>(x.y), static_cast<Number>(x.z)});
    }
    return out;
}

} // namespace

void H5mdTrajectory::Parts::check_no_gap(std::int64_t checkpoint, std::int64_t last_frame) const
{
    const std::vector<double> begun = file.numbers(provenance_group, "first_step");
    if (!begun.empty() && begun.front() == static_cast<double>(checkpoint)) {
        return;
    }
    const auto steps = step.read<std::int64_t>();
    const std::size_t frames_there =
        std::min<std::size_t>(steps.size(), static_cast<std::size_t>(position.rows()));
    std::int64_t last = -1;
    for (std::size_t k = 0; k < frames_there && steps[k] <= checkpoint; ++k) {
        last = steps[k];
    }
    require(last >= last_frame, settings.path,
            fmt::format("it belongs to another run: the checkpoint is of step {} and follows a "
                        "frame at step {}, but up to there {}",
                        checkpoint, last_frame,
                        last < 0 ? "the file has no frame"
                                 : fmt::format("its last frame is of step {}: those between are "
                                               "missing",
                                               last)));
}

void H5mdTrajectory::Parts::cut(std::int64_t after_step)
{
    std::vector<h5::Dataset*> sets;
    for_each_of_frames([&](h5::Dataset& set) { sets.push_back(&set); });
    std::tie(frames, last_step) = cut_rows(file, step, after_step, sets);
    sets.clear();
    for_each_of_energies([&](h5::Dataset& set) { sets.push_back(&set); });
    std::tie(energy_rows, last_energy_step) = cut_rows(file, energy_step, after_step, sets);
    for (VectorsApart* apart : {&velocities_apart, &forces_apart}) {
        if (apart->is_open()) {
            apart->cut(file, after_step);
        }
    }
    file.flush();
}

void H5mdTrajectory::Parts::open_and_cut(const Topology& topology, h5::Access access,
                                         std::int64_t checkpoint, std::int64_t last_frame)
{
    file = h5::File::open(settings.path, access);
    check_same_run(topology);
    open_datasets();
    check_no_gap(checkpoint, last_frame);
    cut(checkpoint);
}

/// One row more in every dataset.
void H5mdTrajectory::Parts::append_zeros()
{
    const std::vector<Vec3> zeros(std::max<std::size_t>(3, atoms)); // a cell has three
    const auto append_row = [&](h5::Dataset& set) { set.append_row(&zeros.front().x); };
    for_each_of_frames(append_row);
    for_each_of_energies(append_row);
    for (VectorsApart* apart : {&velocities_apart, &forces_apart}) {
        if (apart->is_open()) {
            apart->append(file, std::numeric_limits<std::int64_t>::max(), 0, Box(),
                          {zeros.data(), atoms});
        }
    }
    file.flush();
}

void H5mdTrajectory::Parts::close()
{
    // datasets first: an open one keeps the file open
    for_each_of_frames([](h5::Dataset& set) { set = h5::Dataset(); });
    for_each_of_energies([](h5::Dataset& set) { set = h5::Dataset(); });
    observables.clear();
    energies.clear();
    velocities_apart.close();
    forces_apart.close();
    file.close();
}

void H5mdTrajectory::Parts::append_vectors(h5::Dataset& set, std::span<const Vec3> values)
{
    static_assert(sizeof(Vec3) == 3 * sizeof(double));
    TESSERA_EXPECT(values.size() == atoms);
    set.append_row(reinterpret_cast<const double*>(values.data()));
}

void H5mdTrajectory::Parts::append(const TrajectoryFrame& frame)
{
    std::vector<CellShift> shifts = whole_molecule_shifts(walk, frame.box, frame.positions);
    if (settings.periodic) {
        for (CellShift& s : shifts) { // what whole molecules lack to the continuous path
            s = {-s[0], -s[1], -s[2]};
        }
        image.append_row(shifts.front().data());
        for (CellShift& s : shifts) {
            s = {-s[0], -s[1], -s[2]};
        }
        edges.append_row(&frame.box.vectors()[0].x);
    }
    if (velocity.is_open()) {
        append_vectors(velocity, frame.velocities);
    }
    if (force.is_open()) {
        append_vectors(force, frame.forces);
    }
    for (std::size_t k = 0; k < observables.size(); ++k) {
        observables[k].append_row(&frame.observables[k]);
    }
    time.append_row(&frame.time);
    file.flush();
    // readers count frames by positions or steps: the rest is on the disk before these grow, by one
    // write (their headers stand in one page)
    step.append_row(&frame.step);
    if (settings.position_precision == FloatWidth::float32) {
        position.append_row(moved<float>(frame, shifts, settings.position_grid).data());
    } else {
        position.append_row(moved<double>(frame, shifts, settings.position_grid).data());
    }
    file.flush();
}

// ---- the interface ----

H5mdTrajectory::H5mdTrajectory(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
H5mdTrajectory::H5mdTrajectory(H5mdTrajectory&&) noexcept = default;
H5mdTrajectory& H5mdTrajectory::operator=(H5mdTrajectory&&) noexcept = default;
H5mdTrajectory::~H5mdTrajectory() = default;

H5mdTrajectory H5mdTrajectory::create(const TrajectorySettings& settings, const Topology& topology)
{
    const std::string aside = settings.path + ".new";
    try {
        auto parts = std::make_unique<Parts>(settings, topology);
        parts->file = h5::File::create(aside, settings.path);
        parts->create_positions();
        parts->write_metadata(topology);
        parts->write_topology(topology);
        parts->create_datasets();
        parts->file.flush();
        if (std::rename(aside.c_str(), settings.path.c_str()) != 0) {
            throw FileError(fmt::format("{}: cannot be written ({}). Check the folder and its "
                                        "permissions.",
                                        settings.path, std::strerror(errno)));
        }
        return H5mdTrajectory(std::move(parts));
    } catch (const FileError&) {
        std::remove(aside.c_str()); // nobody can use a part of it
        throw;
    }
}

H5mdTrajectory H5mdTrajectory::append_to(const TrajectorySettings& settings,
                                         const Topology& topology, std::int64_t last_step,
                                         std::int64_t last_frame)
{
    h5::rehearse(settings.path, [&] {
        Parts trial(settings, topology);
        trial.open_and_cut(topology, h5::Access::rehearse, last_step, last_frame);
        trial.append_zeros();
        trial.close();
    });
    auto parts = std::make_unique<Parts>(settings, topology);
    parts->open_and_cut(topology, h5::Access::cut, last_step, last_frame);
    parts->close();
    parts->file = h5::File::open(settings.path, h5::Access::write);
    parts->open_datasets();
    return H5mdTrajectory(std::move(parts));
}

void H5mdTrajectory::require_frames(const std::string& path, const Topology& topology,
                                    std::int64_t last_step, std::int64_t last_frame)
{
    TrajectorySettings settings;
    settings.path = path;
    const auto look = [&] {
        Parts parts(settings, topology);
        parts.file = h5::File::open(path, h5::Access::read);
        const std::string position = group + "/position";
        require(parts.file.has_dataset(position + "/step") &&
                    parts.file.has_dataset(position + "/value"),
                path, "it holds no positions");
        parts.step = parts.file.dataset(position + "/step");
        parts.position = parts.file.dataset(position + "/value");
        parts.check_no_gap(last_step, last_frame);
    };
    h5::rehearse(path, look);
    look();
}

void H5mdTrajectory::append(const TrajectoryFrame& frame)
{
    Parts& p = *parts_;
    TESSERA_EXPECT(frame.positions.size() == p.atoms);
    TESSERA_EXPECT(frame.observables.size() == p.observables.size());
    if (frame.step <= p.last_step) {
        return;
    }
    p.append(frame);
    ++p.frames;
    p.last_step = frame.step;
}

void H5mdTrajectory::append_energies(std::int64_t step, double time, std::span<const double> values)
{
    Parts& p = *parts_;
    TESSERA_EXPECT(values.size() == p.energies.size());
    if (step <= p.last_energy_step) {
        return;
    }
    for (std::size_t k = 0; k < p.energies.size(); ++k) {
        p.energies[k].append_row(&values[k]);
    }
    p.energy_time.append_row(&time);
    p.energy_step.append_row(&step);
    ++p.energy_rows;
    p.last_energy_step = step;
}

void H5mdTrajectory::append_velocities(std::int64_t step, double time, const Box& box,
                                       std::span<const Vec3> values)
{
    parts_->velocities_apart.append(parts_->file, step, time, box, values);
}

void H5mdTrajectory::append_forces(std::int64_t step, double time, const Box& box,
                                   std::span<const Vec3> values)
{
    parts_->forces_apart.append(parts_->file, step, time, box, values);
}

std::int64_t H5mdTrajectory::frames() const
{
    return static_cast<std::int64_t>(parts_->frames);
}

std::int64_t H5mdTrajectory::energy_rows() const
{
    return static_cast<std::int64_t>(parts_->energy_rows);
}

std::int64_t H5mdTrajectory::last_step() const
{
    return parts_->last_step;
}

void H5mdTrajectory::flush()
{
    parts_->file.flush();
}

void H5mdTrajectory::close()
{
    parts_->close();
}

} // namespace tessera
