#include "io/charmm_crd.hpp"

#include "engine/math/units.hpp"
#include "io/columns.hpp"

#include <fmt/format.h>

namespace tessera
{

namespace
{

/// Where the fields of an atom line stand: first column and width.
struct CardColumns {
    std::size_t residue_name, atom_name, name_width;
    std::size_t x, x_width;
    std::size_t residue_number;
};
constexpr CardColumns normal = {11, 16, 4, 20, 10, 56};
constexpr CardColumns extended = {22, 32, 8, 40, 20, 112};

} // namespace

bool is_charmm_crd(std::string_view content)
{
    const std::size_t first = content.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && content[first] == '*';
}

Coordinates read_charmm_crd(const std::filesystem::path& path)
{
    const LineFile file(path.string());
    Coordinates frame;
    std::size_t line = 0;
    for (; line < file.size(); ++line) {
        const std::string_view text = trimmed(file[line]);
        if (!text.empty() && text.front() != '*') {
            break;
        }
        const std::string_view title = text.empty() ? text : trimmed(text.substr(1));
        if (!title.empty()) {
            if (!frame.title.empty()) {
                frame.title += ' ';
            }
            frame.title += title;
        }
    }
    if (line >= file.size()) {
        file.refuse(
            line, "the number of atoms is missing (the file ends)",
            "a CHARMM coordinate file is a title of '*' lines, the number of atoms, and one "
            "line an atom");
    }
    const auto header = words(file[line]);
    const auto count = number_in<long>(header[0]);
    if (!count || *count < 1 || *count > 2147483647) {
        file.refuse(line, no_number_of_atoms(header),
                    "the line behind the title holds the number of atoms, and perhaps EXT");
    }
    const auto atoms = static_cast<std::size_t>(*count);
    // CHARMM writes the wide form above 99,999 atoms whether or not the line says so
    const bool is_wide = (header.size() > 1 && header[1] == "EXT") || atoms > 99999;
    const CardColumns& at = is_wide ? extended : normal;
    const std::size_t first = line + 1;
    for (std::size_t a = 0; a < atoms; ++a) {
        const std::size_t k = first + a;
        if (k >= file.size() || trimmed(file[k]).empty()) {
            file.refuse(
                k,
                fmt::format("the file ends after {} atoms (line {} says {})", a, line + 1, atoms),
                "the file is cut short, or the number of atoms is wrong");
        }
        Vec3 x;
        for (std::size_t c = 0; c < 3; ++c) {
            x[static_cast<int>(c)] =
                units::angstrom * file.real(k, at.x + c * at.x_width, at.x_width, "coordinate");
        }
        frame.positions.push_back(x);
        const auto name = [&](std::size_t from) {
            return std::string(trimmed(columns(file[k], from, at.name_width)));
        };
        frame.atom_names.push_back(name(at.atom_name));
        frame.residue_names.push_back(name(at.residue_name));
        frame.residue_numbers.push_back(name(at.residue_number));
    }
    return frame;
}

} // namespace tessera
