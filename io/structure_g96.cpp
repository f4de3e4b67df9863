#include "io/structure_g96.hpp"

#include "io/cell_text.hpp"
#include "io/columns.hpp"
#include "io/write_text.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera
{

namespace
{

constexpr std::size_t label_width = 24; // residue number, residue name, atom name, atom number

struct Block {
    std::string name;
    std::size_t header = 0;         ///< line of the name
    std::vector<std::size_t> lines; ///< without remarks and blank lines
};

/// The next block at or after `line`, which is moved behind its END; nothing at the end of the
/// file.
std::optional<Block> next_block(const LineFile& file, std::size_t& line)
{
    const auto is_remark = [&](std::size_t at) {
        const std::string_view text = trimmed(file[at]);
        return text.empty() || text.front() == '#';
    };
    while (line < file.size() && is_remark(line)) {
        ++line;
    }
    if (line >= file.size()) {
        return std::nullopt;
    }
    Block block;
    block.name = std::string(trimmed(file[line]));
    block.header = line;
    for (++line; line < file.size(); ++line) {
        if (trimmed(file[line]) == "END") {
            ++line;
            return block;
        }
        if (!is_remark(line)) {
            block.lines.push_back(line);
        }
    }
    file.refuse(block.header,
                fmt::format("the block {} is not closed (the file ends without END)", block.name),
                "the file was cut short");
}

std::vector<Vec3> vectors_of(const LineFile& file, const Block& block)
{
    const std::size_t first = block.name.ends_with("RED") ? 0 : label_width;
    std::vector<Vec3> out;
    out.reserve(block.lines.size());
    for (const std::size_t line : block.lines) {
        const std::string_view text = file[line];
        const auto fields = words(columns(text, first, text.size()));
        Vec3 value;
        for (int k = 0; k < 3; ++k) {
            const auto at = static_cast<std::size_t>(k);
            const auto number = fields.size() == 3 ? number_in<double>(fields[at]) : std::nullopt;
            if (!number) {
                file.refuse(line,
                            fmt::format("a line of {} without three finite numbers from column {} "
                                        "on",
                                        block.name, first + 1),
                            "write x y z there");
            }
            value[k] = *number;
        }
        out.push_back(value);
    }
    return out;
}

void take_labels(const LineFile& file, const Block& block, Coordinates& frame)
{
    for (const std::size_t line : block.lines) {
        frame.residue_numbers.emplace_back(trimmed(columns(file[line], 0, 5)));
        frame.residue_names.emplace_back(trimmed(columns(file[line], 6, 5)));
        frame.atom_names.emplace_back(trimmed(columns(file[line], 12, 5)));
    }
}

void take_time(const LineFile& file, const Block& block, Coordinates& frame)
{
    const auto fields =
        block.lines.empty() ? std::vector<std::string_view>() : words(file[block.lines.front()]);
    const auto step = fields.size() == 2 ? number_in<long long>(fields[0]) : std::nullopt;
    const auto time = fields.size() == 2 ? number_in<double>(fields[1]) : std::nullopt;
    if (!step || !time) {
        file.refuse(block.header, "the block TIMESTEP does not hold a step and a time",
                    "write the step (a whole number) and the time in ps");
    }
    frame.step = step;
    frame.time = time;
}

Mat3 cell_in(const LineFile& file, const Block& block)
{
    std::vector<double> numbers;
    for (const std::size_t line : block.lines) {
        const std::vector<double> more = cell_numbers(file[line]);
        numbers.insert(numbers.end(), more.begin(), more.end());
    }
    if (numbers.size() != 3 && numbers.size() != 9) {
        file.refuse(
            block.header,
            fmt::format("the block BOX holds {} numbers rather than three or nine", numbers.size()),
            "write a_x b_y c_z [a_y a_z b_x b_z c_x c_y] in nm");
    }
    return cell_of(numbers);
}

void refuse_block(const LineFile& file, const Block& block)
{
    static const std::vector<std::string> known = {
        "TITLE", "TIMESTEP", "POSITION", "POSITIONRED", "VELOCITY", "VELOCITYRED", "BOX"};
    const std::string near = nearest_name(block.name, known);
    file.refuse(block.header, fmt::format("the block {} cannot be read", block.name),
                near.empty() ? "known blocks: TITLE, TIMESTEP, POSITION, POSITIONRED, VELOCITY, "
                               "VELOCITYRED, BOX; convert the file, or remove the block"
                             : fmt::format("did you mean {}?", near));
}

} // namespace

Coordinates read_g96(const std::string& path)
{
    const LineFile file(path);
    Coordinates out;
    std::size_t line = 0, position_header = 0;
    std::optional<Block> cell;
    bool has_positions = false;
    while (const std::optional<Block> block = next_block(file, line)) {
        const std::string& name = block->name;
        const bool is_position = name == "POSITION" || name == "POSITIONRED";
        if (has_positions && (is_position || name == "TIMESTEP")) {
            out.warnings.push_back(fmt::format(
                "{}:{}: further frames follow; the first one is taken", path, block->header + 1));
            break;
        }
        if (name == "TITLE") {
            out.title = block->lines.empty() ? std::string() : file[block->lines.front()];
        } else if (name == "TIMESTEP") {
            take_time(file, *block, out);
        } else if (is_position) {
            out.positions = vectors_of(file, *block);
            has_positions = true;
            position_header = block->header;
            if (name == "POSITION") {
                take_labels(file, *block, out);
            }
        } else if (name == "VELOCITY" || name == "VELOCITYRED") {
            out.velocities = vectors_of(file, *block);
            if (out.velocities.size() != out.positions.size()) {
                file.refuse(block->header,
                            fmt::format("{} velocities for {} positions (line {})",
                                        out.velocities.size(), out.positions.size(),
                                        position_header + 1),
                            "give a velocity for each atom, behind the positions");
            }
        } else if (name == "BOX") {
            cell = block;
        } else {
            refuse_block(file, *block);
        }
    }
    if (!has_positions) {
        file.refuse(file.size(), "the block POSITION is missing (the file ends)",
                    "a .g96 file holds POSITION or POSITIONRED");
    }
    if (cell) {
        take_cell(file, cell->header, cell_in(file, *cell), out);
    }
    return out;
}

std::string g96_text(const Coordinates& frame)
{
    std::string out = fmt::format("TITLE\n{}\nEND\n", title_line(frame.title));
    if (frame.time || frame.step) {
        out += fmt::format("TIMESTEP\n{:15}{:15.6f}\nEND\n", frame.step.value_or(0),
                           frame.time.value_or(0));
    }
    const AtomLabels labels(frame);
    const auto block = [&](std::string_view name, const std::vector<Vec3>& values,
                           std::string_view quantity) {
        out += fmt::format("{}\n", name);
        for (std::size_t i = 0; i < values.size(); ++i) {
            out += fmt::format("{:5} {:<5} {:<5}{:7}", labels.residue_number(i) % 100000,
                               fitting(labels.residue_name(i), 5, "residue name", i),
                               fitting(labels.atom_name(i), 5, "atom name", i), (i + 1) % 10000000);
            for (int k = 0; k < 3; ++k) {
                // a blank stays between the numbers: readers split this line
                out += ' ' + fitting(values[i][k], 14, 9, quantity, i);
            }
            out += '\n';
        }
        out += "END\n";
    };
    block("POSITION", frame.positions, "position");
    if (!frame.velocities.empty()) {
        block("VELOCITY", frame.velocities, "velocity");
    }
    if (frame.box) {
        out += "BOX\n";
        for (const double element : cell_numbers_of(*frame.box)) {
            out += fmt::format(" {:14.9f}", element);
        }
        out += "\nEND\n";
    }
    return out;
}

void write_g96(const std::string& path, const Coordinates& frame)
{
    write_text(path, g96_text(frame));
}

} // namespace tessera
