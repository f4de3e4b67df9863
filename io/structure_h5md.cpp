#include "io/structure_h5md.hpp"

#include "engine/base/error.hpp"
#include "io/cell_text.hpp"
#include "io/hdf5.hpp"
#include "io/hdf5_rehearsal.hpp"
#include "io/unit_text.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera
{

namespace
{

/// An open file, with the words its faults share.
struct Source {
    h5::File file;
    std::vector<std::string>* warnings;

    [[noreturn]] void refuse(const std::string& what, const std::string& hint) const
    {
        throw InputError(fmt::format("{}: {}\n hint: {}", file.path(), what, hint));
    }

    /// The factor that turns the numbers of a dataset into internal units.
    [[nodiscard]] double factor(const std::string& dataset, std::string_view assumed) const
    {
        std::string unit = file.text(dataset, "unit");
        if (unit.empty()) {
            unit = assumed;
            if (file.text("/h5md/creator", "name") != "GROMACS") {
                warnings->push_back(fmt::format("{}: {} has no attribute unit; taken as {}",
                                                file.path(), dataset, assumed));
            }
        }
        const std::optional<double> factor = unit_factor(unit);
        if (!factor) {
            refuse(fmt::format("the unit \"{}\" of {} is not known", unit, dataset),
                   "known: nm pm fm A Angstrom with ps fs ns s AKMA, as in \"nm ps-1\"");
        }
        return *factor;
    }
};

/// An element {step, time, value} of H5MD.
struct Element {
    std::string name;
    h5::Dataset value;
    hsize_t rows = 0;                ///< as far as values and steps both go
    std::vector<std::int64_t> steps; ///< [rows]; empty where the file has none
};

std::int64_t one_integer(const std::vector<double>& numbers, std::int64_t otherwise)
{
    return numbers.empty() ? otherwise : static_cast<std::int64_t>(numbers.front());
}

Element open_element(const Source& in, const std::string& name)
{
    Element out;
    out.name = name;
    if (!in.file.has_dataset(name + "/value")) {
        in.refuse(fmt::format("{}/value is missing (an element of H5MD is a group of step, time "
                              "and value)",
                              name),
                  "the file is malformed, or of another dialect; write it again as H5MD 1.1");
    }
    out.value = in.file.dataset(name + "/value");
    if (!out.value.is_number() || out.value.extents().empty()) {
        in.refuse(name + "/value is no array of numbers", "the file is malformed");
    }
    out.rows = out.value.rows();
    if (in.file.has_dataset(name + "/step")) {
        const h5::Dataset step = in.file.dataset(name + "/step");
        if (!step.is_number()) {
            in.refuse(name + "/step is not a number", "the file is malformed");
        }
        out.steps = step.read<std::int64_t>();
        if (step.extents().empty()) { // a fixed increment
            const std::int64_t increment = out.steps.front();
            const std::int64_t offset = one_integer(in.file.numbers(name + "/step", "offset"), 0);
            out.steps.clear();
            for (hsize_t k = 0; k < out.rows; ++k) {
                out.steps.push_back(offset + static_cast<std::int64_t>(k) * increment);
            }
        }
        out.rows = std::min<hsize_t>(out.rows, out.steps.size());
    }
    return out;
}

std::optional<double> time_of(const Source& in, const Element& element, hsize_t row)
{
    const std::string name = element.name + "/time";
    if (!in.file.has_dataset(name)) {
        return std::nullopt;
    }
    const h5::Dataset time = in.file.dataset(name);
    const std::vector<double> values = time.read<double>();
    const double factor = in.factor(name, "ps");
    if (time.extents().empty()) {
        const std::vector<double> offset = in.file.numbers(name, "offset");
        return factor *
               ((offset.empty() ? 0 : offset.front()) + static_cast<double>(row) * values.front());
    }
    return row < values.size() ? std::optional(factor * values[row]) : std::nullopt;
}

/// The row of `element` that belongs to the frame: of the same step, else (no steps) of the same
/// number.
std::optional<hsize_t> row_of(const Element& element, const Element& position, hsize_t row)
{
    if (element.steps.empty() || position.steps.empty()) {
        return row < element.rows ? std::optional(row) : std::nullopt;
    }
    const auto found = std::find(element.steps.begin(), element.steps.end(), position.steps[row]);
    const auto at = static_cast<hsize_t>(found - element.steps.begin());
    return at < element.rows ? std::optional(at) : std::nullopt;
}

std::vector<Vec3> vectors_of(const Source& in, const Element& element, hsize_t row,
                             std::string_view assumed)
{
    const h5::Extents extents = element.value.extents();
    if (extents.size() != 3 || extents[2] != 3) {
        in.refuse(
            fmt::format("{}/value is not of frames, atoms and three coordinates", element.name),
            "only three-dimensional systems can be read");
    }
    const double factor = in.factor(element.name + "/value", assumed);
    const std::vector<double> numbers = element.value.read_row<double>(row);
    std::vector<Vec3> out;
    for (std::size_t k = 0; k + 2 < numbers.size(); k += 3) {
        out.push_back(factor * Vec3{numbers[k], numbers[k + 1], numbers[k + 2]});
    }
    return out;
}

Mat3 cell_from(const Source& in, const std::string& name, const std::vector<double>& n)
{
    if (n.size() == 3) {
        return {{{n[0], 0, 0}, {0, n[1], 0}, {0, 0, n[2]}}};
    }
    if (n.size() != 9) {
        in.refuse(
            fmt::format("{} holds {} numbers a frame rather than three or nine", name, n.size()),
            "the file is malformed");
    }
    return {{{n[0], n[1], n[2]}, {n[3], n[4], n[5]}, {n[6], n[7], n[8]}}};
}

std::optional<Mat3> cell_of_frame(const Source& in, const std::string& group,
                                  const Element& position, hsize_t row)
{
    const std::string box = group + "/box", edges = box + "/edges";
    const std::vector<std::string> boundary = in.file.texts(box, "boundary");
    const auto open = std::count(boundary.begin(), boundary.end(), "none");
    if (!in.file.has(edges) || (open > 0 && open == static_cast<long>(boundary.size()))) {
        return std::nullopt;
    }
    if (open > 0) {
        in.refuse(box + " is periodic in some directions only", "that is not built yet");
    }
    if (in.file.has_dataset(edges)) {
        const double factor = in.factor(edges, "nm");
        return factor * cell_from(in, edges, in.file.dataset(edges).read<double>());
    }
    const Element element = open_element(in, edges);
    const std::optional<hsize_t> at = row_of(element, position, row);
    if (!at) {
        in.refuse(fmt::format("{} has no cell for frame {}", edges, row + 1),
                  "the file is malformed, or was cut short");
    }
    const double factor = in.factor(edges + "/value", "nm");
    return factor * cell_from(in, edges, element.value.read_row<double>(*at));
}

/// Names, where the file is Tessera's.
void take_labels(const Source& in, Coordinates& out)
{
    const std::string from = "/parameters/topology";
    if (!in.file.has_dataset(from + "/atom_name") || !in.file.has_dataset(from + "/residue")) {
        return;
    }
    const std::vector<std::string> names = in.file.read_texts(from + "/atom_name");
    const auto residue = in.file.dataset(from + "/residue").read<std::int32_t>();
    const auto residue_names = in.file.read_texts(from + "/residue_name");
    const auto residue_numbers = in.file.read_texts(from + "/residue_number");
    if (names.size() != out.positions.size() || residue.size() != names.size()) {
        return;
    }
    out.atom_names = names;
    for (const std::int32_t r : residue) {
        const auto at = static_cast<std::size_t>(r);
        out.residue_names.push_back(at < residue_names.size() ? residue_names[at] : "");
        out.residue_numbers.push_back(at < residue_numbers.size() ? residue_numbers[at] : "");
    }
}

std::string particles_group(const Source& in)
{
    if (!in.file.has("/h5md")) {
        in.refuse("the group /h5md is missing (this is HDF5, but not H5MD)",
                  "name an H5MD file; Tessera's checkpoints are continued with --continue");
    }
    if (in.file.has("/particles/trajectory/position")) {
        return "/particles/trajectory";
    }
    if (in.file.has("/particles")) {
        for (const std::string& name : in.file.members("/particles")) {
            if (in.file.has("/particles/" + name + "/position")) {
                return "/particles/" + name;
            }
        }
    }
    in.refuse("no group of /particles has positions", "name a file with coordinates");
}

/// Those of the frame's step; they may stand in a group of their own (vectors_apart.hpp).
void take_velocities(const Source& in, const std::string& group, const Element& position,
                     hsize_t row, Coordinates& out)
{
    for (const std::string& name : {group + "/velocity", group + "_velocity/velocity"}) {
        if (!in.file.has(name)) {
            continue;
        }
        const Element velocity = open_element(in, name);
        const std::optional<hsize_t> at = row_of(velocity, position, row);
        if (!at) {
            out.why_no_velocities = fmt::format(
                "{} has none at {} {}, the frame that is read", name,
                position.steps.empty() ? "frame" : "step",
                position.steps.empty() ? static_cast<std::int64_t>(row + 1) : position.steps[row]);
            continue;
        }
        out.velocities = vectors_of(in, velocity, *at, "nm ps-1");
        out.why_no_velocities.clear();
        if (out.velocities.size() != out.positions.size()) {
            in.refuse(fmt::format("{} velocities for {} positions", out.velocities.size(),
                                  out.positions.size()),
                      "the file is malformed");
        }
        return;
    }
}

Coordinates read_frame(const std::string& path, H5mdFrame frame)
{
    Coordinates out;
    const Source in{h5::File::open(path, h5::Access::read), &out.warnings};
    const std::string group = particles_group(in);
    const Element position = open_element(in, group + "/position");
    if (position.rows == 0) {
        in.refuse(group + "/position holds no frames", "the run that wrote it had not begun");
    }
    const hsize_t row = frame == H5mdFrame::first ? 0 : position.rows - 1;
    out.positions = vectors_of(in, position, row, "nm");
    out.time = time_of(in, position, row);
    if (!position.steps.empty()) {
        out.step = position.steps[row];
    }

    take_velocities(in, group, position, row, out);
    if (const std::optional<Mat3> cell = cell_of_frame(in, group, position, row)) {
        try {
            place_cell(*cell, path + ": " + group + "/box", out);
        } catch (const InputError& fault) {
            in.refuse(fault.what(), "correct " + group + "/box/edges");
        }
    }
    take_labels(in, out);
    return out;
}

} // namespace

Coordinates read_h5md(const std::string& path, H5mdFrame frame)
{
    h5::rehearse(path, [&] { static_cast<void>(read_frame(path, frame)); });
    return read_frame(path, frame);
}

} // namespace tessera
