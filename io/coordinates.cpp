#include "io/coordinates.hpp"

#include "engine/base/text_file.hpp"
#include "engine/base/unfit_file.hpp"
#include "io/amber_coordinates.hpp"
#include "io/charmm_crd.hpp"
#include "io/checkpoint.hpp"
#include "io/structure_g96.hpp"
#include "io/structure_gro.hpp"
#include "io/structure_h5md.hpp"
#include "io/structure_pdb.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <utility>
#include <vector>

namespace tessera
{

namespace
{

using Reader = std::function<Coordinates(const std::string&, const CoordinateHints&)>;

Coordinates read_amber(const std::string& path, const CoordinateHints& hints)
{
    return read_amber_restart(path, hints.ifbox, hints.expected_atoms);
}

Coordinates read_brookhaven(const std::string& path, const CoordinateHints& hints)
{
    return read_pdb(path, hints.expected_atoms);
}

Coordinates read_state(const std::string& path, const CoordinateHints& /*hints*/)
{
    return read_checkpoint_coordinates(path);
}

/// Both Amber and CHARMM name their coordinates .crd.
Coordinates read_crd(const std::string& path, const CoordinateHints& hints)
{
    return is_charmm_crd(read_file(path)) ? read_charmm_crd(path) : read_amber(path, hints);
}

const std::vector<std::pair<std::string, Reader>>& readers()
{
    static const std::vector<std::pair<std::string, Reader>> all = {
        {".gro", [](const auto& path, const auto&) { return read_gro(path); }},
        {".g96", [](const auto& path, const auto&) { return read_g96(path); }},
        {".pdb", read_brookhaven},
        {".ent", read_brookhaven},
        {".h5md", [](const auto& path, const auto&) { return read_h5md(path); }},
        {".h5", read_state},
        {".inpcrd", read_amber},
        {".rst7", read_amber},
        {".rst", read_amber},
        {".restrt", read_amber},
        {".ncrst", read_amber},
        {".nc", read_amber},
        {".crd", read_crd},
    };
    return all;
}

bool holds_an_atom(const std::string& extension, const std::string& line)
{
    if (extension == ".pdb" || extension == ".ent") {
        return line.rfind("ATOM", 0) == 0 || line.rfind("HETATM", 0) == 0;
    }
    return !line.empty() && line[0] != '#';
}

/// ":LINE" of an atom in a text file, for messages alone (the file is read anew); "" where that
/// cannot be told.
std::string line_of_atom(const std::string& path, const std::string& extension, std::size_t atom)
{
    if (extension == ".h5md" || extension == ".h5") {
        return "";
    }
    const std::string content = read_file(path);
    constexpr std::size_t first = 3; // behind a title and the number of atoms
    if (extension == ".gro") {
        return fmt::format(":{}", first + atom);
    }
    if (extension != ".pdb" && extension != ".ent" && extension != ".g96") {
        const bool is_amber_text = !is_netcdf(content) && !is_charmm_crd(content);
        return is_amber_text ? fmt::format(":{}", first + atom / 2) : "";
    }
    const std::vector<std::string> lines = split_lines(content);
    std::size_t line = 0;
    if (extension == ".g96") {
        while (line < lines.size() && lines[line].rfind("POSITION", 0) != 0) {
            ++line;
        }
        ++line;
    }
    for (; line < lines.size(); ++line) {
        if (holds_an_atom(extension, lines[line]) && atom-- == 0) {
            return fmt::format(":{}", line + 1);
        }
    }
    return "";
}

/// Positions live on a grid of 64-bit integers, 2^-48 nm apart (fixed_point.hpp).
/// Half the grid's range leaves room to move.
void refuse_out_of_range(const std::string& path, const std::string& extension,
                         const Coordinates& frame)
{
    constexpr double limit = 16384;
    for (std::size_t i = 0; i < frame.positions.size(); ++i) {
        for (int k = 0; k < 3; ++k) {
            if (!(std::fabs(frame.positions[i][k]) < limit)) {
                throw InputError(fmt::format(
                    "{}{}: atom {} lies at {:.6g} nm (positions must be below {} nm). Move the "
                    "system to the origin, and check the unit of the file.",
                    path, line_of_atom(path, extension, i), i + 1, frame.positions[i][k], limit));
            }
        }
    }
}

void refuse_not_finite(const std::string& path, const std::string& extension,
                       const Coordinates& frame)
{
    const auto look = [&](const std::vector<Vec3>& vectors, const char* what, const char* unit) {
        for (std::size_t i = 0; i < vectors.size(); ++i) {
            const Vec3& v = vectors[i];
            if (!std::isfinite(v.x) || !std::isfinite(v.y) || !std::isfinite(v.z)) {
                // velocities stand elsewhere than positions, but in .gro
                const bool has_line = &vectors == &frame.positions || extension == ".gro";
                throw InputError(fmt::format(
                    "{}{}: the {} of atom {} is {:.6g} {:.6g} {:.6g} {} (not finite). The run that "
                    "wrote the file had failed: take an earlier frame or file.",
                    path, has_line ? line_of_atom(path, extension, i) : "", what, i + 1, v.x, v.y,
                    v.z, unit));
            }
        }
    };
    look(frame.positions, "position", "nm");
    look(frame.velocities, "velocity", "nm/ps");
}

} // namespace

std::string extension_in_lower_case(const std::filesystem::path& path)
{
    std::string out = path.extension().string();
    std::transform(out.begin(), out.end(), out.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return out;
}

Coordinates read_coordinates(const std::string& path, const CoordinateHints& hints)
{
    const std::filesystem::path name(path);
    std::error_code ignored;
    if (std::filesystem::is_other(name, ignored)) { // they are read more than once
        throw UnfitFile(path + ": cannot be read (it is a device, pipe or socket). Name a file.");
    }
    const bool is_gzip = extension_in_lower_case(name) == ".gz";
    const std::string extension = extension_in_lower_case(is_gzip ? name.stem() : name);
    std::string known;
    for (const auto& [of, read] : readers()) {
        if (of == extension || (of == ".h5" && is_checkpoint(path))) { // or "state.h5.prev"
            Coordinates frame = read(path, hints);
            refuse_not_finite(path, extension, frame);
            refuse_out_of_range(path, extension, frame);
            return frame;
        }
        known += (known.empty() ? "" : " ") + of;
    }
    throw InputError(fmt::format("{}: cannot tell the format of the coordinates (the extension "
                                 "\"{}\" is not known).\n hint: rename the file to one of: {}",
                                 path, extension, known));
}

} // namespace tessera
