#include "io/trajectory_h5md.hpp"

#include "engine/base/contract.hpp"
#include "io/hdf5.hpp"
#include "io/hdf5_rehearsal.hpp"
#include "io/topology_hash.hpp"
#include "io/vectors_apart.hpp"
#include "io/whole_molecules.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <tuple>

namespace tessera
{

namespace
{

const std::string group = "/particles/trajectory";
const std::string provenance_group = "/parameters/provenance";
const std::string creator = "Tessera";

void require(bool condition, const std::string& path, const std::string& what)
{
    if (!condition) {
        throw InputError(fmt::format("{}: cannot be continued ({}). Name another trajectory, or "
                                     "start without --continue.",
                                     path, what));
    }
}

} // namespace

struct H5mdTrajectory::Parts {
    Parts(TrajectorySettings of, const Topology& topology)
        : settings(std::move(of)), walk(molecule_walk(topology)),
          atoms(static_cast<std::size_t>(topology.atoms()))
    {
    }

    TrajectorySettings settings;
    MoleculeWalk walk;
    std::size_t atoms;
    h5::File file;

    h5::Dataset step, time, position, image, velocity, force, edges;
    std::vector<h5::Dataset> observables;
    h5::Dataset energy_step, energy_time;
    std::vector<h5::Dataset> energies;
    VectorsApart velocities_apart, forces_apart;

    hsize_t frames = 0, energy_rows = 0;
    std::int64_t last_step = -1, last_energy_step = -1;

    void write_metadata(const Topology& topology);
    void write_parameters(const Topology& topology);
    void write_topology(const Topology& topology);
    void create_positions();
    void create_datasets();
    void open_datasets();
    void check_same_run(const Topology& topology) const;
    void check_no_gap(std::int64_t checkpoint, std::int64_t last_frame) const;
    void cut(std::int64_t after_step);
    void close();
    void append(const TrajectoryFrame& frame);
    void append_zeros();
    void open_and_cut(const Topology& topology, h5::Access access, std::int64_t checkpoint,
                      std::int64_t last_frame);

    /// Calls f for every dataset that has one row a frame, step and time last.
    template <class F>
    void for_each_of_frames(F&& f)
    {
        for (h5::Dataset* set : {&position, &image, &velocity, &force, &edges}) {
            if (set->is_open()) {
                f(*set);
            }
        }
        std::for_each(observables.begin(), observables.end(), f);
        f(time);
        f(step);
    }
    template <class F>
    void for_each_of_energies(F&& f)
    {
        std::for_each(energies.begin(), energies.end(), f);
        f(energy_time);
        f(energy_step);
    }

private:
    [[nodiscard]] hid_t real() const;
    [[nodiscard]] VectorElement velocity_element() const;
    [[nodiscard]] VectorElement force_element() const;
    h5::Dataset create_element(const std::string& name, hid_t stored, const h5::Extents& row,
                               const std::string& unit);
    void append_vectors(h5::Dataset& set, std::span<const Vec3> values);
};

template <class Number>
std::vector<Number> moved(const TrajectoryFrame& frame, const std::vector<CellShift>& shifts)
{
    std::vector<Number> out;
    out.reserve(3 * shifts.size());
    for (std::size_t i = 0; i < shifts.size(); ++i) {
        const CellShift& s = shifts[i];
        const Vec3 x = frame.positions[i] + frame.box.shift(s[0], s[1], s[2]);
        out.insert(out.end(),
                   {static_cast<Number>(x.x), static_cast<Number>(x.y), static_cast<Number>(x.z)});
    }
    return out;
}

void H5mdTrajectory::Parts::write_metadata(const Topology& topology)
{
    const Provenance& from = settings.provenance;
    file.set_numbers<std::int32_t>("/h5md", "version", {1, 1});
    file.create_group("/h5md/author");
    file.set_fixed_text("/h5md/author", "name", from.author);
    file.create_group("/h5md/creator");
    file.set_fixed_text("/h5md/creator", "name", creator);
    file.set_fixed_text("/h5md/creator", "version", from.program_version);
    file.create_group("/h5md/modules/units");
    file.set_numbers<std::int32_t>("/h5md/modules/units", "version", {1, 0});
    file.set_fixed_text("/h5md/modules/units", "system", "SI");

    file.create_group(provenance_group);
    file.set_fixed_text(provenance_group, "program_version", from.program_version);
    file.set_fixed_text(provenance_group, "topology_hash", topology_hash(topology));
    for (const auto& [name, seed] : from.seeds) {
        file.set_number(provenance_group, "seed_" + name, static_cast<std::int64_t>(seed));
    }
    file.set_number(provenance_group, "first_step", settings.first_step);
    file.write_text(provenance_group + "/deck", from.deck_text);
}

void H5mdTrajectory::Parts::write_parameters(const Topology& topology)
{
    file.write(group + "/species", topology.type);
    file.write(group + "/mass", topology.mass);
    file.set_text(group + "/mass", "unit", "u");
    file.write(group + "/charge", topology.charge);
    file.set_text(group + "/charge", "unit", "e");
    file.set_fixed_text(group + "/charge", "type", "effective");
}

void H5mdTrajectory::Parts::write_topology(const Topology& topology)
{
    const bool has_parameters = topology.pairs.types > 0; // else only names are known
    if (has_parameters) {
        write_parameters(topology);
    }
    file.create_group("/parameters/topology");
    file.write_texts("/parameters/topology/atom_name",
                     {topology.atom_name.begin(), topology.atom_name.end()});
    file.write("/parameters/topology/residue", topology.residue);
    std::vector<std::string> names, numbers_of;
    for (const Residue& residue : topology.residues) {
        names.push_back(residue.name);
        numbers_of.push_back(residue.number);
    }
    file.write_texts("/parameters/topology/residue_name", names);
    file.write_texts("/parameters/topology/residue_number", numbers_of);

    file.create_group("/connectivity");
    std::vector<std::int32_t> bonds;
    for (const auto& bond : topology.bonds) {
        bonds.insert(bonds.end(), bond.begin(), bond.end());
    }
    file.write("/connectivity/bonds", std::span<const std::int32_t>(bonds),
               {topology.bonds.size(), 2});
    file.set_reference("/connectivity/bonds", "particles_group", group);
}

/// An H5MD element {step, time, value} with the frames' step and time.
h5::Dataset H5mdTrajectory::Parts::create_element(const std::string& name, hid_t stored,
                                                  const h5::Extents& row, const std::string& unit)
{
    file.create_group(name);
    hsize_t bytes = H5Tget_size(stored);
    for (const hsize_t extent : row) {
        bytes *= extent;
    }
    h5::Dataset value = file.create_growing(name + "/value", stored, row, rows_per_chunk(bytes));
    if (step.is_open()) {
        file.hard_link(group + "/position/step", name + "/step");
        file.hard_link(group + "/position/time", name + "/time");
    } else { // beside the value, before attributes: in one page
        step = file.create_growing(name + "/step", H5T_STD_I64LE, {}, scalars_per_chunk);
        time = file.create_growing(name + "/time", H5T_IEEE_F64LE, {}, scalars_per_chunk);
        file.set_text(name + "/time", "unit", "ps");
    }
    if (!unit.empty()) {
        file.set_text(name + "/value", "unit", unit);
    }
    return value;
}

hid_t H5mdTrajectory::Parts::real() const
{
    return settings.position_precision == FloatWidth::float64 ? H5T_IEEE_F64LE : H5T_IEEE_F32LE;
}

VectorElement H5mdTrajectory::Parts::velocity_element() const
{
    return {group + "_velocity",          "velocity", "nm ps-1", real(), atoms, settings.periodic,
            settings.velocity_time_offset};
}

VectorElement H5mdTrajectory::Parts::force_element() const
{
    return {group + "_force", "force", "kJ mol-1 nm-1", real(), atoms, settings.periodic, 0};
}

/// Before anything whose length differs between files, so that their place does not: the group in
/// front moves the headers of positions and steps into one page.
void H5mdTrajectory::Parts::create_positions()
{
    file.create_group("/h5md");
    position = create_element(group + "/position", real(), {atoms, 3}, "nm");
}

void H5mdTrajectory::Parts::create_datasets()
{
    file.create_group(group + "/box");
    file.set_number<std::int32_t>(group + "/box", "dimension", 3);
    const std::string boundary = settings.periodic ? "periodic" : "none";
    file.set_fixed_texts(group + "/box", "boundary", {boundary, boundary, boundary});
    if (settings.periodic) {
        edges = create_element(group + "/box/edges", H5T_IEEE_F64LE, {3, 3}, "nm");
        image = create_element(group + "/image", H5T_STD_I32LE, {atoms, 3}, "");
    }
    if (settings.velocities) {
        velocity = create_element(group + "/velocity", real(), {atoms, 3}, "nm ps-1");
        // leap-frog: what the velocities' time is, less the frame's
        file.set_number(group + "/velocity", "time_offset", settings.velocity_time_offset);
        file.set_text(group + "/velocity", "time_offset_unit", "ps");
    }
    if (settings.forces) {
        force = create_element(group + "/force", real(), {atoms, 3}, "kJ mol-1 nm-1");
    }

    if (settings.velocities_apart) {
        velocities_apart = VectorsApart::create(file, velocity_element());
    }
    if (settings.forces_apart) {
        forces_apart = VectorsApart::create(file, force_element());
    }

    file.create_group("/observables");
    for (const ScalarColumn& column : settings.observables) {
        observables.push_back(
            create_element("/observables/" + column.name, H5T_IEEE_F64LE, {}, column.unit));
    }

    file.create_group("/energies");
    energy_step = file.create_growing("/energies/step", H5T_STD_I64LE, {}, scalars_per_chunk);
    energy_time = file.create_growing("/energies/time", H5T_IEEE_F64LE, {}, scalars_per_chunk);
    file.set_text("/energies/time", "unit", "ps");
    for (const ScalarColumn& column : settings.energies) {
        const std::string name = "/energies/" + column.name;
        energies.push_back(file.create_growing(name, H5T_IEEE_F64LE, {}, scalars_per_chunk));
        if (!column.unit.empty()) {
            file.set_text(name, "unit", column.unit);
        }
    }
}

void H5mdTrajectory::Parts::check_same_run(const Topology& topology) const
{
    const std::string& path = settings.path;
    require(file.has("/h5md/creator") && file.text("/h5md/creator", "name") == creator, path,
            "the file was not written by Tessera");
    require(file.has_dataset(group + "/position/value"), path, "it holds no positions");
    const h5::Extents extents = file.dataset(group + "/position/value").extents();
    require(extents.size() == 3 && extents[1] == atoms, path,
            fmt::format("the file is of another system: {} atoms in the file, {} in the topology",
                        extents.size() == 3 ? extents[1] : 0, atoms));
    require(file.has(provenance_group) &&
                file.text(provenance_group, "topology_hash") == topology_hash(topology),
            path, "the file is of another system: names or parameters differ");

    const auto words = [](bool is_double) { return is_double ? "float64" : "float32"; };
    const bool is_double = file.dataset(group + "/position/value").bytes_per_number() == 8;
    const bool is_wanted_double = settings.position_precision == FloatWidth::float64;
    require(is_double == is_wanted_double, path,
            fmt::format("it holds positions in {}, the deck asks for output.position_precision = "
                        "\"{}\"",
                        words(is_double), words(is_wanted_double)));

    const auto same = [&](const std::string& what, const std::string& name, bool is_wanted) {
        require(file.has(name) == is_wanted, path,
                is_wanted ? fmt::format("it holds no {}, which the deck asks for", what)
                          : fmt::format("it holds {}, which the deck does not ask for", what));
    };
    same("velocities", group + "/velocity", settings.velocities);
    same("forces", group + "/force", settings.forces);
    same("velocities at a stride of their own", group + "_velocity", settings.velocities_apart);
    same("forces at a stride of their own", group + "_force", settings.forces_apart);
    same("cells", group + "/box/edges", settings.periodic);
    const auto same_columns = [&](const std::string& of, const std::vector<ScalarColumn>& columns,
                                  std::size_t others) {
        for (const ScalarColumn& column : columns) {
            same(of.substr(1) + " named " + column.name, of + "/" + column.name, true);
        }
        require(file.members(of).size() == columns.size() + others, path,
                "it holds more " + of.substr(1) + " than this run yields");
    };
    same_columns("/observables", settings.observables, 0);
    same_columns("/energies", settings.energies, 2);
}

void H5mdTrajectory::Parts::open_datasets()
{
    step = file.dataset(group + "/position/step");
    time = file.dataset(group + "/position/time");
    position = file.dataset(group + "/position/value");
    if (settings.periodic) {
        edges = file.dataset(group + "/box/edges/value");
        image = file.dataset(group + "/image/value");
    }
    if (settings.velocities) {
        velocity = file.dataset(group + "/velocity/value");
    }
    if (settings.forces) {
        force = file.dataset(group + "/force/value");
    }
    if (settings.velocities_apart) {
        velocities_apart.open(file, velocity_element());
    }
    if (settings.forces_apart) {
        forces_apart.open(file, force_element());
    }
    for (const ScalarColumn& column : settings.observables) {
        observables.push_back(file.dataset("/observables/" + column.name + "/value"));
    }
    energy_step = file.dataset("/energies/step");
    energy_time = file.dataset("/energies/time");
    for (const ScalarColumn& column : settings.energies) {
        energies.push_back(file.dataset("/energies/" + column.name));
    }
}

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
        position.append_row(moved<float>(frame, shifts).data());
    } else {
        position.append_row(moved<double>(frame, shifts).data());
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
