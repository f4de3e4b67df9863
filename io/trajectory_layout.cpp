// H5mdTrajectory::Parts, first part: what stands in the file, and whether it is the same run's.
#include "engine/base/error.hpp"
#include "io/topology_hash.hpp"
#include "io/trajectory_parts.hpp"

#include <fmt/format.h>

namespace tessera
{

using h5md::group;
using h5md::provenance_group;
using h5md::require;

namespace
{
const std::string creator = "Tessera";
} // namespace

void h5md::require(bool condition, const std::string& path, const std::string& what)
{
    if (!condition) {
        throw InputError(fmt::format("{}: cannot be continued ({}). Name another trajectory, or "
                                     "start without --continue.",
                                     path, what));
    }
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

/// An H5MD element {step, time, value} with the frames' step and time; `make` makes the value.
h5::Dataset
H5mdTrajectory::Parts::create_element(const std::string& name, const std::string& unit,
                                      const std::function<h5::Dataset(const std::string&)>& make)
{
    file.create_group(name);
    h5::Dataset value = make(name + "/value");
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

h5::Dataset H5mdTrajectory::Parts::create_vectors_of_frames(const std::string& name, hid_t stored,
                                                            const std::string& unit)
{
    return create_element(name, unit, [&](const std::string& value) {
        return create_vectors(file, value, stored, atoms, settings.deflate_level);
    });
}

h5::Dataset H5mdTrajectory::Parts::create_doubles_of_frames(const std::string& name,
                                                            const h5::Extents& row,
                                                            const std::string& unit)
{
    hsize_t bytes = sizeof(double);
    for (const hsize_t extent : row) {
        bytes *= extent;
    }
    return create_element(name, unit, [&](const std::string& value) {
        return file.create_growing(value, H5T_IEEE_F64LE, row, rows_per_chunk(bytes));
    });
}

hid_t H5mdTrajectory::Parts::real() const
{
    return settings.position_precision == FloatWidth::float64 ? H5T_IEEE_F64LE : H5T_IEEE_F32LE;
}

VectorElement H5mdTrajectory::Parts::velocity_element() const
{
    return {group + "_velocity",
            "velocity",
            "nm ps-1",
            real(),
            atoms,
            settings.periodic,
            settings.velocity_time_offset,
            settings.deflate_level};
}

VectorElement H5mdTrajectory::Parts::force_element() const
{
    return {group + "_force",  "force", "kJ mol-1 nm-1",       real(), atoms,
            settings.periodic, 0,       settings.deflate_level};
}

/// Before anything whose length differs between files, so that their place does not: the group in
/// front moves the headers of positions and steps into one page.
void H5mdTrajectory::Parts::create_positions()
{
    file.create_group("/h5md");
    position = create_vectors_of_frames(group + "/position", real(), "nm");
    if (settings.position_grid > 0) {
        file.set_number(group + "/position/value", "rounded_to", settings.position_grid);
    }
}

void H5mdTrajectory::Parts::create_datasets()
{
    file.create_group(group + "/box");
    file.set_number<std::int32_t>(group + "/box", "dimension", 3);
    const std::string boundary = settings.periodic ? "periodic" : "none";
    file.set_fixed_texts(group + "/box", "boundary", {boundary, boundary, boundary});
    if (settings.periodic) {
        edges = create_doubles_of_frames(group + "/box/edges", {3, 3}, "nm");
        image = create_vectors_of_frames(group + "/image", H5T_STD_I32LE, "");
    }
    if (settings.velocities) {
        velocity = create_vectors_of_frames(group + "/velocity", real(), "nm ps-1");
        // leap-frog: what the velocities' time is, less the frame's
        file.set_number(group + "/velocity", "time_offset", settings.velocity_time_offset);
        file.set_text(group + "/velocity", "time_offset_unit", "ps");
    }
    if (settings.forces) {
        force = create_vectors_of_frames(group + "/force", real(), "kJ mol-1 nm-1");
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
            create_doubles_of_frames("/observables/" + column.name, {}, column.unit));
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

void H5mdTrajectory::Parts::check_same_packing() const
{
    const std::string name = group + "/position/value";
    const std::vector<double> declared = file.numbers(name, "rounded_to");
    const double grid = declared.empty() ? 0 : declared.front();
    const auto rounding = [](double to) {
        return to == 0 ? std::string("not rounded")
                       : fmt::format("rounded to multiples of {:.6g} nm", to);
    };
    require(grid == settings.position_grid, settings.path,
            fmt::format("its positions are {}, by output.position_rounding of the deck they are {}",
                        rounding(grid), rounding(settings.position_grid)));
    const auto packing = [](int level) {
        return level == 0 ? std::string("none") : fmt::format("deflate-{}", level);
    };
    const int level = file.dataset(name).deflate_level();
    require(level == settings.deflate_level, settings.path,
            fmt::format("its compression is \"{}\", the deck asks for output.compression = "
                        "\"{}\"",
                        packing(level), packing(settings.deflate_level)));
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

    check_same_packing();

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

} // namespace tessera
