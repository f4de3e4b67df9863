#include "io/amber_coordinates_netcdf.hpp"

#include "engine/base/error.hpp"
#include "engine/math/units.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>

namespace tessera
{

namespace
{

using Unit = std::pair<std::string_view, double>; ///< a unit's name, and it in internal units

constexpr std::array<Unit, 5> length_units = {{{"angstrom", units::angstrom},
                                               {"angstroms", units::angstrom},
                                               {"a", units::angstrom},
                                               {"nanometer", units::nanometre},
                                               {"nm", units::nanometre}}};
constexpr std::array<Unit, 4> velocity_units = {{{"angstrom/picosecond", units::angstrom},
                                                 {"angstroms/picosecond", units::angstrom},
                                                 {"nanometer/picosecond", units::nanometre},
                                                 {"nm/ps", units::nanometre}}};
constexpr std::array<Unit, 3> angle_units = {
    {{"degree", 1.0}, {"degrees", 1.0}, {"radian", 1.0 / units::degree}}};
constexpr std::array<Unit, 3> time_units = {
    {{"picosecond", 1.0}, {"ps", 1.0}, {"femtosecond", units::femtosecond}}};

/// The values of a variable in internal units (angles: degrees). `otherwise`: what one of the
/// file's numbers is where it has neither unit nor scale.
template <std::size_t N>
std::vector<double> read(const Netcdf3& file, const Netcdf3::Variable& variable,
                         const std::array<Unit, N>& known, double otherwise)
{
    const auto* scale = variable.attribute("scale_factor");
    const auto* unit = variable.attribute("units");
    double factor = otherwise;
    if (unit != nullptr) {
        std::string name = unit->text;
        std::transform(name.begin(), name.end(), name.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        const auto it = std::find_if(known.begin(), known.end(),
                                     [&](const Unit& u) { return u.first == name; });
        if (it == known.end()) {
            throw InputError(fmt::format("{}: variable {} is in \"{}\" (that unit is not known). "
                                         "Write the file in Amber's units: Å, ps, degrees.",
                                         file.file(), variable.name, unit->text));
        }
        factor = it->second;
    } else if (scale != nullptr) {
        factor = known.front().second;
    }
    if (scale != nullptr) {
        if (scale->numbers.size() != 1 || !std::isfinite(scale->numbers[0]) ||
            scale->numbers[0] == 0) {
            throw InputError(fmt::format("{}: the scale_factor of variable {} is not one number "
                                         "other than zero. Write the file anew.",
                                         file.file(), variable.name));
        }
        factor *= scale->numbers[0];
    }
    std::vector<double> values = file.values(variable);
    for (double& v : values) {
        if (!std::isfinite(v)) {
            throw InputError(fmt::format("{}: variable {} holds a number that is not finite. The "
                                         "run that wrote the file had failed: take an earlier one.",
                                         file.file(), variable.name));
        }
        v *= factor;
    }
    return values;
}

std::vector<Vec3> triples(const std::vector<double>& values)
{
    std::vector<Vec3> all(values.size() / 3);
    for (std::size_t a = 0; a < all.size(); ++a) {
        all[a] = {values[3 * a], values[3 * a + 1], values[3 * a + 2]};
    }
    return all;
}

/// Refuses a variable that is not atoms x 3 (a frame of it).
void require_shape(const Netcdf3& file, const Netcdf3::Variable& variable, bool is_trajectory)
{
    std::vector<std::int64_t> shape = file.shape(variable);
    if (is_trajectory && shape.size() == 3) {
        if (shape[0] == 0) {
            throw InputError(fmt::format("{}: variable {} holds no frame. Name a file with a frame "
                                         "in it.",
                                         file.file(), variable.name));
        }
        shape.erase(shape.begin());
    }
    if (shape.size() != 2 || shape[1] != 3 || shape[0] < 1 || shape[0] > 2147483647) {
        throw InputError(fmt::format("{}: variable {} has not the shape atoms x 3. The file is "
                                     "damaged, or not Amber's.",
                                     file.file(), variable.name));
    }
}

std::string text_of(const Netcdf3::Attribute* attribute)
{
    return attribute == nullptr ? std::string() : attribute->text;
}

} // namespace

Coordinates amber_netcdf_frame(const Netcdf3& file)
{
    const std::string conventions = text_of(file.attribute("Conventions"));
    const bool is_restart = conventions.find("AMBERRESTART") != std::string::npos;
    const bool is_trajectory = !is_restart && conventions.find("AMBER") != std::string::npos;
    if (!is_restart && !is_trajectory) {
        throw InputError(fmt::format("{}: a NetCDF file that is not Amber's (its Conventions are "
                                     "\"{}\"; AMBER and AMBERRESTART are read). Name another file.",
                                     file.file(), conventions));
    }
    const Netcdf3::Variable* positions = file.variable("coordinates");
    if (positions == nullptr) {
        throw InputError(
            fmt::format("{}: the file holds no coordinates. Name one that does.", file.file()));
    }
    Coordinates frame;
    frame.title = text_of(file.attribute("title"));
    require_shape(file, *positions, is_trajectory);
    const auto last_frame = [&file](std::vector<double> values, std::size_t wanted) {
        if (values.size() < wanted) {
            throw InputError(fmt::format("{}: a variable holds {} values, but {} are needed. The "
                                         "file is damaged.",
                                         file.file(), values.size(), wanted));
        }
        values.erase(values.begin(), values.end() - static_cast<std::ptrdiff_t>(wanted));
        return values;
    };
    const std::int64_t frames = !is_trajectory               ? 1
                                : file.is_record(*positions) ? file.records()
                                                             : file.shape(*positions).front();
    if (frames > 1) {
        frame.warnings.push_back(
            fmt::format("{}: holds {} frames; the last one is taken", file.file(), frames));
    }
    const std::size_t atoms =
        static_cast<std::size_t>(file.shape(*positions)[file.shape(*positions).size() - 2]);
    frame.positions =
        triples(last_frame(read(file, *positions, length_units, units::angstrom), 3 * atoms));

    if (const auto* velocities = file.variable("velocities")) {
        require_shape(file, *velocities, is_trajectory);
        const double amber_unit = units::angstrom / units::amber_time;
        frame.velocities =
            triples(last_frame(read(file, *velocities, velocity_units, amber_unit), 3 * atoms));
    }
    const auto* lengths = file.variable("cell_lengths");
    const auto* angles = file.variable("cell_angles");
    if (lengths != nullptr && angles != nullptr) {
        const auto l = last_frame(read(file, *lengths, length_units, units::angstrom), 3);
        const auto a = last_frame(read(file, *angles, angle_units, 1.0), 3);
        if (l[0] != 0 || l[1] != 0 || l[2] != 0) { // zeros: written by runs without a cell
            try {
                frame.box = Box::from_lengths_and_angles({l[0], l[1], l[2]}, {a[0], a[1], a[2]});
            } catch (const InputError& why) {
                throw InputError(
                    fmt::format("{}: the cell cannot be used: {}", file.file(), why.what()));
            }
        }
    }
    if (const auto* time = file.variable("time")) {
        if (!file.is_record(*time) || is_trajectory) {
            frame.time = last_frame(read(file, *time, time_units, 1.0), 1)[0];
        }
    }
    return frame;
}

} // namespace tessera
