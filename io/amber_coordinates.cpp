#include "io/amber_coordinates.hpp"

#include "engine/base/error.hpp"
#include "engine/base/text_file.hpp"
#include "engine/math/units.hpp"
#include "io/amber_coordinates_netcdf.hpp"
#include "io/columns.hpp"
#include "io/netcdf3.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace tessera
{

namespace
{

constexpr std::string_view hdf5_magic = "\x89HDF";
constexpr std::size_t field_width = 12, fields_a_line = 6;

std::string_view without_trailing_blanks(std::string_view line)
{
    const std::size_t last = line.find_last_not_of(" \t\r");
    return last == std::string_view::npos ? std::string_view() : line.substr(0, last + 1);
}

std::size_t lines_for(std::size_t atoms)
{
    return (atoms + 1) / 2;
}

/// A field of 12 columns as a number, or a fault with its place.
double field(const LineFile& file, std::size_t line, std::size_t k, std::string_view what)
{
    const std::string_view text = columns(file[line], k * field_width, field_width);
    const auto value = number_in<double>(text);
    if (!value) {
        const bool overflowed = text.find('*') != std::string_view::npos;
        file.refuse(
            line, k * field_width, std::max<std::size_t>(1, text.size()),
            overflowed ? fmt::format("an overflowed field (a {} did not fit its {} columns)", what,
                                     field_width)
                       : fmt::format("a {} is missing or not a number", what),
            overflowed ? "the number is lost" : "",
            overflowed ? "wrap the coordinates into the cell and write the file anew, or "
                         "write it as NetCDF"
                       : "each line holds six numbers of 12 columns each, the last one fewer");
    }
    return *value;
}

/// `atoms` triples from line `first` on, times `unit`.
std::vector<Vec3> triples(const LineFile& file, std::size_t first, std::size_t atoms, double unit,
                          std::string_view what)
{
    std::vector<Vec3> all(atoms);
    for (std::size_t a = 0; a < atoms; ++a) {
        const std::size_t line = first + a / 2;
        for (std::size_t c = 0; c < 3; ++c) {
            all[a][static_cast<int>(c)] = unit * field(file, line, 3 * (a % 2) + c, what);
        }
    }
    // a line that holds more than it should tells of a wrong count, not of more data
    for (std::size_t a = 0; a < atoms; a += 2) {
        const std::size_t line = first + a / 2;
        const std::size_t fields = a + 1 < atoms ? fields_a_line : fields_a_line / 2;
        const std::string_view rest =
            columns(file[line], fields * field_width, std::string_view::npos);
        if (!trimmed(rest).empty()) {
            file.refuse(line, fields * field_width, rest.size(),
                        fmt::format("the line holds more than {} numbers", fields), "",
                        "correct the number of atoms on line 2, or the line");
        }
    }
    return all;
}

std::size_t fields_on(const LineFile& file, std::size_t line)
{
    return (without_trailing_blanks(file[line]).size() + field_width - 1) / field_width;
}

Box cell_on(const LineFile& file, std::size_t line)
{
    const std::size_t n = fields_on(file, line);
    if (n != 3 && n != 6) {
        file.refuse(line, 0, without_trailing_blanks(file[line]).size(),
                    fmt::format("the cell line holds {} numbers (6 are needed: lengths and angles; "
                                "old files have 3 lengths)",
                                n),
                    "", "correct the line; if it belongs to the velocities, the file is cut short");
    }
    Vec3 lengths, angles{90, 90, 90};
    for (std::size_t k = 0; k < 3; ++k) {
        lengths[static_cast<int>(k)] = units::angstrom * field(file, line, k, "cell length");
        if (n == 6) {
            angles[static_cast<int>(k)] = field(file, line, k + 3, "cell angle");
        }
    }
    try {
        return Box::from_lengths_and_angles(lengths, angles);
    } catch (const InputError& why) {
        file.refuse(line, 0, without_trailing_blanks(file[line]).size(), why.what(), "",
                    "the last line of an Amber restart is the cell: a b c alpha beta gamma");
    }
}

Coordinates read_ascii(const std::string& path, int ifbox)
{
    const LineFile file(path);
    std::size_t lines = file.size();
    while (lines > 2 && trimmed(file[lines - 1]).empty()) {
        --lines;
    }
    if (lines < 2) {
        file.refuse(lines, "the number of atoms is missing (the file ends)",
                    "an Amber coordinate file is a title, the number of atoms, and coordinates");
    }
    Coordinates frame;
    frame.title = std::string(trimmed(file[0]));
    const auto header = words(file[1]);
    const auto count = header.empty() ? std::nullopt : number_in<long>(header[0]);
    if (!count || *count < 1 || *count > 2147483647) {
        file.refuse(1, 0, std::max<std::size_t>(1, without_trailing_blanks(file[1]).size()),
                    no_number_of_atoms(header), "",
                    "the second line of an Amber coordinate file holds the number of atoms, and "
                    "perhaps the time in ps");
    }
    if (header.size() > 1) {
        frame.time = number_in<double>(header[1]);
    }
    const auto atoms = static_cast<std::size_t>(*count);
    const std::size_t block = lines_for(atoms);
    if (lines - 2 < block) {
        file.refuse(
            lines - 1,
            fmt::format("the file ends after {} lines of coordinates ({} are needed for the "
                        "{} atoms of line 2)",
                        lines - 2, block, atoms),
            "the file is cut short, or the number of atoms is wrong");
    }
    const std::size_t extra = lines - 2 - block;
    bool has_velocities = extra >= block && extra > 0;
    bool has_cell = extra == 1 || extra == block + 1;
    if (block == 1 && extra == 1) {
        // one line that may be either, unless it has not as many numbers as there are velocities
        const bool may_be_either = fields_on(file, lines - 1) == 3 * atoms;
        has_cell = ifbox > 0 || !may_be_either;
        has_velocities = !has_cell;
        if (may_be_either && ifbox < 0) {
            frame.warnings.push_back(
                fmt::format("{}:{}: taken as velocities (behind {} atoms one line may be either "
                            "these or the cell). Name an Amber topology: its IFBOX tells",
                            path, lines, atoms));
        }
    }
    if (extra != 0 && !(has_velocities && extra == block + (has_cell ? 1U : 0U)) &&
        !(has_cell && extra == 1)) {
        file.refuse(
            2 + block,
            fmt::format("{} lines follow the coordinates of {} atoms (none, 1 for the cell, "
                        "{} for velocities, or {} for both are possible)",
                        extra, atoms, block, block + 1),
            "the file is cut short, or the number of atoms is wrong");
    }
    frame.positions = triples(file, 2, atoms, units::angstrom, "coordinate");
    if (has_velocities) {
        const double unit = units::angstrom / units::amber_time;
        frame.velocities = triples(file, 2 + block, atoms, unit, "velocity");
    }
    if (has_cell) {
        frame.box = cell_on(file, lines - 1);
    }
    return frame;
}

} // namespace

bool is_netcdf(std::string_view content)
{
    return Netcdf3::is_one(content) || content.substr(0, hdf5_magic.size()) == hdf5_magic;
}

Coordinates read_amber_restart(const std::filesystem::path& path, int ifbox, int expected_atoms)
{
    const std::string name = path.string();
    std::string content = read_file(path);
    if (content.substr(0, hdf5_magic.size()) == hdf5_magic) {
        throw InputError(fmt::format(
            "{}: this is a NetCDF-4 file (HDF5 inside), which is not read as Amber coordinates.\n "
            "hint: convert it: nccopy -k cdf2 in.nc out.nc",
            name));
    }
    Coordinates frame = Netcdf3::is_one(content)
                            ? amber_netcdf_frame(Netcdf3(std::move(content), name))
                            : read_ascii(name, ifbox);
    const auto atoms = static_cast<int>(frame.positions.size());
    if (expected_atoms > 0 && atoms != expected_atoms) {
        throw InputError(fmt::format("{}: the file holds {} atoms, but the topology has {}. Name "
                                     "coordinates and topology that belong together.",
                                     name, atoms, expected_atoms));
    }
    if (ifbox > 0 && !frame.box) {
        throw InputError(fmt::format(
            "{}: the file ends without a cell, but the topology is periodic (IFBOX = {}).\n hint: "
            "name coordinates with a cell; in an ASCII file it is the last line, a b c alpha beta "
            "gamma in Å and degrees",
            name, ifbox));
    }
    return frame;
}

} // namespace tessera
