#include "io/structure_gro.hpp"

#include "io/cell_text.hpp"
#include "io/columns.hpp"
#include "io/write_text.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace tessera
{

namespace
{

constexpr std::size_t first_coordinate = 20;

/// The number behind the last `key` of a title that is not the end of a longer word.
template <class Number>
std::optional<Number> titled(std::string_view title, std::string_view key)
{
    std::size_t at = title.rfind(key);
    while (at != std::string_view::npos) {
        const bool is_word =
            at == 0 || std::isalnum(static_cast<unsigned char>(title[at - 1])) == 0;
        const auto behind = words(title.substr(at + key.size()));
        if (is_word && !behind.empty()) {
            if (const auto value = number_in<Number>(behind.front())) {
                return value;
            }
        }
        at = at == 0 ? std::string_view::npos : title.rfind(key, at - 1);
    }
    return std::nullopt;
}

/// The width of a coordinate field: the distance between the first two decimal points; 0 where the
/// line has no two.
std::size_t field_width(std::string_view line)
{
    const std::size_t one = line.find('.', std::min(first_coordinate, line.size()));
    const std::size_t two = one == std::string_view::npos ? one : line.find('.', one + 1);
    return two == std::string_view::npos ? 0 : two - one;
}

struct FrameStart {
    std::size_t title = 0;
    std::size_t atoms = 0;
};

FrameStart frame_start(const LineFile& file, std::size_t title)
{
    if (title + 1 >= file.size()) {
        file.refuse(title + 1, "the number of atoms is missing (the file ends)",
                    "a .gro frame is a title, the number of atoms, one line an atom, and the cell");
    }
    const auto first_word = words(file[title + 1]);
    const auto count = first_word.empty() ? std::nullopt : number_in<long>(first_word.front());
    if (!count || *count < 0 || *count > 2147483647) {
        file.refuse(title + 1, no_number_of_atoms(first_word),
                    "the second line of a .gro frame holds the number of atoms alone");
    }
    return {title, static_cast<std::size_t>(*count)};
}

/// "nan" or "inf" where a number belongs, whatever else that does to the columns: how programs
/// write the state of a simulation that broke.
void refuse_not_a_number(const LineFile& file, std::size_t line,
                         std::size_t begin = first_coordinate)
{
    const std::string_view text = file[line];
    for (const std::string_view word : words(text.substr(std::min(begin, text.size())))) {
        std::string small;
        for (const char c : word) {
            small += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
        const std::size_t sign = small.find_first_of("+-") == 0 ? 1 : 0;
        if (small.compare(sign, 3, "nan") == 0 || small.compare(sign, 3, "inf") == 0) {
            file.refuse(line, static_cast<std::size_t>(word.data() - text.data()), word.size(),
                        fmt::format("{} is not a number to compute with", word), "not a number",
                        "the simulation that wrote this had broken: take an earlier frame");
        }
    }
}

void refuse_atom_line(const LineFile& file, const FrameStart& start, std::size_t line)
{
    const std::size_t found = line - start.title - 2;
    if (line >= file.size()) {
        file.refuse(line,
                    fmt::format("the file ends after {} atoms (line {} says {})", found,
                                start.title + 2, start.atoms),
                    "the file was cut short, or the count is wrong");
    }
    const std::size_t numbers = cell_numbers(file[line]).size();
    if (numbers == 3 || numbers == 9) {
        file.refuse(line,
                    fmt::format("the cell follows after {} atoms (line {} says {})", found,
                                start.title + 2, start.atoms),
                    "correct the number of atoms, or add the missing lines");
    }
    refuse_not_a_number(file, line);
    file.refuse(line,
                "no coordinates on an atom's line (from column 21 on there are no three "
                "numbers with decimal points)",
                "an atom's line is: residue number, residue name, atom name, atom number, 5 "
                "columns each, then x y z");
}

/// With n decimals a position is at least n + 5 wide, so the first decimal point stands in column
/// 25 or later, and in the same column on every line; elsewhere, the line lost or gained a
/// character.
void check_alignment(const LineFile& file, const FrameStart& start, std::size_t line)
{
    const std::size_t point = file[line].find('.', first_coordinate);
    const std::size_t first = file[start.title + 2].find('.', first_coordinate);
    if (point < first_coordinate + 4 || point != first) {
        refuse_not_a_number(file, line);
        file.refuse(line, point, 1,
                    fmt::format("the line is out of its columns (its first decimal point is in "
                                "column {}, {})",
                                point + 1,
                                point == first ? "left of column 25"
                                               : fmt::format("but in {} on line {}", first + 1,
                                                             start.title + 3)),
                    "",
                    "residue number, residue name, atom name and atom number take 5 columns each "
                    "(an empty name is five blanks), then all positions the same width");
    }
}

/// A number wider than its field pushes the decimal points behind it out of their columns.
void check_points(const LineFile& file, std::size_t line, std::size_t first, std::size_t width)
{
    const std::string_view text = file[line];
    const std::size_t offset = columns(text, first, width).find('.');
    for (std::size_t k = 1; k < 3; ++k) {
        const std::size_t begin = first + k * width;
        if (columns(text, begin, width).find('.') != offset) {
            refuse_not_a_number(file, line);
            file.refuse(line, begin, width,
                        fmt::format("the line is out of its columns (the decimal points of columns "
                                    "{} to {} are not {} columns apart)",
                                    first + 1, first + 3 * width, width),
                        "",
                        "a number is too wide for its field, or missing: write all with the "
                        "same width, as %8.3f does below 10000 nm");
        }
    }
}

/// Behind the third velocity, where the line holds more digits than its fields.
void check_end(const LineFile& file, std::size_t line, std::size_t end)
{
    if (!trimmed(columns(file[line], end, 1)).empty()) {
        file.refuse(line, end, 1,
                    fmt::format("the line is out of its columns (column {} behind the velocities "
                                "is not blank)",
                                end + 1),
                    "", "a number is too wide for its field: write all with the same width");
    }
}

/// Fields may be missing as a whole, not one by one.
bool has_velocity(const LineFile& file, std::size_t line, std::size_t first, std::size_t width)
{
    int given = 0;
    for (std::size_t k = 0; k < 3; ++k) {
        given += trimmed(columns(file[line], first + k * width, width)).empty() ? 0 : 1;
    }
    if (given == 1 || given == 2) {
        file.refuse(line, first, 3 * width,
                    fmt::format("a velocity with {} of its three components", given), "incomplete",
                    "give all three, or none");
    }
    return given == 3;
}

void read_atoms(const LineFile& file, const FrameStart& start, Coordinates& frame)
{
    std::size_t width = 0;
    std::vector<std::size_t> without_velocity;
    for (std::size_t i = 0; i < start.atoms; ++i) {
        const std::size_t line = start.title + 2 + i;
        if (line >= file.size() || field_width(file[line]) == 0) {
            refuse_atom_line(file, start, line);
        }
        check_alignment(file, start, line);
        if (i == 0) {
            width = field_width(file[line]);
        }
        check_points(file, line, first_coordinate, width);
        const std::string_view text = file[line];
        frame.residue_numbers.emplace_back(trimmed(columns(text, 0, 5)));
        frame.residue_names.emplace_back(trimmed(columns(text, 5, 5)));
        frame.atom_names.emplace_back(trimmed(columns(text, 10, 5)));
        constexpr std::size_t x = first_coordinate;
        frame.positions.push_back({file.real(line, x, width, "coordinate x"),
                                   file.real(line, x + width, width, "coordinate y"),
                                   file.real(line, x + 2 * width, width, "coordinate z")});
        const std::size_t v = x + 3 * width;
        if (has_velocity(file, line, v, width)) {
            check_points(file, line, v, width);
            check_end(file, line, v + 3 * width);
            frame.velocities.resize(i);
            frame.velocities.push_back({file.real(line, v, width, "the x velocity"),
                                        file.real(line, v + width, width, "the y velocity"),
                                        file.real(line, v + 2 * width, width, "the z velocity")});
        } else {
            without_velocity.push_back(i);
        }
    }
    if (!frame.velocities.empty() && !without_velocity.empty()) {
        frame.velocities.resize(start.atoms);
        frame.warnings.push_back(fmt::format(
            "{}:{}: {} of {} atoms have no velocity (this is the first); theirs is taken as 0",
            file.path(), start.title + 3 + without_velocity.front(), without_velocity.size(),
            start.atoms));
    }
}

void read_cell(const LineFile& file, const FrameStart& start, Coordinates& frame)
{
    const std::size_t line = start.title + 2 + start.atoms;
    if (line >= file.size()) {
        file.refuse(line, "the cell is missing (the file ends behind the last atom)",
                    "the last line of a .gro frame holds three or nine numbers; 0 0 0 for no cell");
    }
    const std::vector<double> numbers = cell_numbers(file[line]);
    if (numbers.size() != 3 && numbers.size() != 9) {
        refuse_not_a_number(file, line, 0);
        const bool is_atom = field_width(file[line]) != 0 && numbers.empty();
        file.refuse(line,
                    is_atom ? fmt::format("more atoms than the {} that line {} says", start.atoms,
                                          start.title + 2)
                            : "the cell is not three or nine numbers",
                    is_atom ? "correct the number of atoms, or remove the lines too many"
                            : "write a_x b_y c_z [a_y a_z b_x b_z c_x c_y] in nm");
    }
    take_cell(file, line, cell_of(numbers), frame);
}

} // namespace

Coordinates read_gro(const std::string& path, int frame)
{
    const LineFile file(path);
    std::size_t title = 0;
    for (int skipped = 0; skipped < frame; ++skipped) {
        title += frame_start(file, title).atoms + 3;
    }
    const FrameStart start = frame_start(file, title);

    Coordinates out;
    out.title = std::string(trimmed(file[title]));
    out.time = titled<double>(out.title, "t=");
    out.step = titled<long long>(out.title, "step=");
    read_atoms(file, start, out);
    read_cell(file, start, out);

    const std::size_t end = title + start.atoms + 3;
    if (frame == 0 && end < file.size() && !trimmed(file[end]).empty()) {
        out.warnings.push_back(
            fmt::format("{}:{}: further frames follow; the first one is taken", path, end + 1));
    }
    return out;
}

std::string gro_text(const Coordinates& frame, int decimals)
{
    const std::size_t atoms = frame.positions.size();
    const auto width = static_cast<std::size_t>(decimals) + 5;
    std::string out = title_line(frame.title);
    if (frame.time && !titled<double>(out, "t=")) {
        out += fmt::format(" t= {:.5f}", *frame.time);
        if (frame.step) {
            out += fmt::format(" step= {}", *frame.step);
        }
    }
    out += fmt::format("\n{}\n", atoms);

    const AtomLabels labels(frame);
    for (std::size_t i = 0; i < atoms; ++i) {
        out += fmt::format("{:5}{:<5}{:>5}{:5}", labels.residue_number(i) % 100000,
                           fitting(labels.residue_name(i), 5, "residue name", i),
                           fitting(labels.atom_name(i), 5, "atom name", i), (i + 1) % 100000);
        for (int k = 0; k < 3; ++k) {
            out += fitting(frame.positions[i][k], width, decimals, "position", i);
        }
        for (int k = 0; k < 3 && !frame.velocities.empty(); ++k) {
            out += fitting(frame.velocities[i][k], width, decimals + 1, "velocity", i);
        }
        out += '\n';
    }

    for (const double element : cell_numbers_of(frame.box.value_or(Box()))) {
        out += fmt::format(" {:9.{}f}", element, std::max(5, decimals));
    }
    return out + '\n';
}

void write_gro(const std::string& path, const Coordinates& frame, int decimals)
{
    write_text(path, gro_text(frame, decimals));
}

} // namespace tessera
