#include "io/convert.hpp"

#include "io/checkpoint.hpp"
#include "io/coordinates.hpp"
#include "io/structure_g96.hpp"
#include "io/structure_gro.hpp"
#include "io/structure_pdb.hpp"
#include "io/trajectory_h5md.hpp"
#include "io/whole_molecules.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>

namespace tessera
{

namespace
{

/// Do this many decimals hold the numbers? The slack is the rounding of a double of 1000 nm.
bool holds(const std::vector<Vec3>& values, double decimals_scale)
{
    return std::all_of(values.begin(), values.end(), [&](const Vec3& v) {
        for (int k = 0; k < 3; ++k) {
            const double scaled = v[k] * decimals_scale;
            if (std::fabs(scaled - std::rint(scaled)) > 1e-8) {
                return false;
            }
        }
        return true;
    });
}

int gro_decimals(const Coordinates& frame)
{
    return holds(frame.positions, 1e3) && holds(frame.velocities, 1e4) ? 3 : 6;
}

void take_names(const Topology& topology, Coordinates& frame)
{
    if (frame.atom_names.empty()) {
        frame.atom_names.assign(topology.atom_name.begin(), topology.atom_name.end());
    }
    if (frame.residue_names.empty()) {
        frame.residue_numbers.clear();
        for (const std::int32_t residue : topology.residue) {
            const Residue& of = topology.residues[static_cast<std::size_t>(residue)];
            frame.residue_names.push_back(of.name);
            frame.residue_numbers.push_back(of.number);
        }
    }
}

/// Names and residues of a frame; no masses, charges or bonds.
Topology bare_topology(const Coordinates& frame)
{
    Topology out;
    const std::size_t atoms = frame.positions.size();
    out.mass.assign(atoms, 0);
    for (std::size_t i = 0; i < atoms; ++i) {
        const auto text = [i](const std::vector<std::string>& all) {
            return all.empty() ? std::string() : all[i];
        };
        const Residue residue{text(frame.residue_names), text(frame.residue_numbers),
                              static_cast<std::int32_t>(i)};
        if (out.residues.empty() || out.residues.back().name != residue.name ||
            out.residues.back().number != residue.number) {
            out.residues.push_back(residue);
        }
        out.residue.push_back(static_cast<std::int32_t>(out.residues.size()) - 1);
        out.atom_name.push_back(text(frame.atom_names));
    }
    return out;
}

/// What stands at `path` stays until the new file is whole.
void write_one_frame(const std::string& path, const Coordinates& frame, const Topology* topology)
{
    const std::string aside = path + ".part";
    TrajectorySettings settings;
    settings.path = aside;
    settings.position_precision = FloatWidth::float64;
    settings.periodic = frame.box && frame.box->is_periodic();
    settings.velocities = !frame.velocities.empty();
    const Topology bare = topology == nullptr ? bare_topology(frame) : Topology();
    try {
        H5mdTrajectory out =
            H5mdTrajectory::create(settings, topology == nullptr ? bare : *topology);
        out.append({frame.step.value_or(0),
                    frame.time.value_or(0),
                    frame.box.value_or(Box()),
                    frame.positions,
                    frame.velocities,
                    {},
                    {}});
        out.close();
        if (std::rename(aside.c_str(), path.c_str()) != 0) {
            throw FileError(fmt::format("{}: cannot be written ({}). Check the folder and its "
                                        "permissions.",
                                        path, std::strerror(errno)));
        }
    } catch (...) {
        std::remove(aside.c_str());
        throw;
    }
}

void write_as(const std::string& extension, const std::string& out, const Coordinates& frame,
              const Topology* topology, std::vector<std::string>& remarks)
{
    if (extension == ".gro") {
        write_gro(out, frame, gro_decimals(frame));
    } else if (extension == ".g96") {
        write_g96(out, frame);
    } else if (extension == ".pdb") {
        write_pdb(out, frame,
                  topology == nullptr ? std::vector<std::int32_t>() : topology->atomic_number);
        if (!frame.velocities.empty()) {
            remarks.push_back(out + ": the velocities are left out (a PDB file holds none)");
        }
    } else if (extension == ".h5md") {
        write_one_frame(out, frame, topology);
    }
}

} // namespace

void refuse_other_count(const std::string& in, const Coordinates& frame, long long atoms)
{
    if (static_cast<long long>(frame.positions.size()) != atoms) {
        throw InputError(fmt::format("{}: {} atoms, but the topology has {}. Name coordinates "
                                     "and topology of the same system.",
                                     in, frame.positions.size(), atoms));
    }
}

std::vector<std::string> convert_coordinates(const std::string& in, const std::string& out,
                                             const Topology* topology, int ifbox)
{
    const std::string extension = extension_in_lower_case(out);
    constexpr std::array written = {".gro", ".g96", ".pdb", ".h5md"};
    if (std::find(written.begin(), written.end(), extension) == written.end()) {
        throw InputError(fmt::format("{}: cannot be written (the extension \"{}\" is not known).\n "
                                     "hint: end the name with .gro, .g96, .pdb or .h5md",
                                     out, extension));
    }
    CoordinateHints hints;
    hints.ifbox = ifbox;
    hints.expected_atoms = topology == nullptr ? 0 : topology->atoms();
    Coordinates frame = read_coordinates(in, hints);
    std::vector<std::string> remarks = frame.warnings;
    if (!frame.why_no_velocities.empty() && extension != ".pdb") {
        remarks.push_back(
            fmt::format("{}: there are no velocities ({})", out, frame.why_no_velocities));
    }
    if (topology != nullptr) {
        refuse_other_count(in, frame, topology->atoms());
        take_names(*topology, frame);
        if (is_checkpoint(in) && frame.box && frame.box->is_periodic()) {
            // a checkpoint holds continuous paths; users want the molecules in the cell
            const auto shifts =
                whole_molecule_shifts(molecule_walk(*topology), *frame.box, frame.positions);
            for (std::size_t i = 0; i < shifts.size(); ++i) {
                frame.positions[i] += frame.box->shift(shifts[i][0], shifts[i][1], shifts[i][2]);
            }
        }
    }

    const bool has_names = !frame.atom_names.empty() && !frame.residue_names.empty();
    if (!has_names && (extension == ".gro" || extension == ".g96" || extension == ".pdb")) {
        remarks.push_back(fmt::format("{}: every atom is written as X of UNK 1 ({} holds no names)."
                                      "\n hint: give the names with --topology FILE",
                                      out, in));
    }
    try {
        write_as(extension, out, frame, topology, remarks);
    } catch (const InputError& fault) {
        throw InputError(fmt::format("{} cannot be written from {}: {}", out, in, fault.what()));
    }
    return remarks;
}

} // namespace tessera
