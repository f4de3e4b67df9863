#include "io/structure_pdb.hpp"

#include "engine/math/units.hpp"
#include "engine/physics/element_symbols.hpp"
#include "io/columns.hpp"
#include "io/write_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <string_view>

namespace tessera
{

namespace
{

constexpr double angstroms_per_nm = 10; // divided, not multiplied by 0.1: the nearer number

struct PdbAtom {
    std::string name, residue_name, residue_number;
    std::string residue_key; ///< chain, number and insertion code
    char alternate = ' ';
    double occupancy = 1;
    Vec3 position; ///< nm
};

PdbAtom atom_on(const LineFile& file, std::size_t line)
{
    const std::string_view text = file[line];
    PdbAtom atom;
    atom.name = std::string(trimmed(columns(text, 12, 4)));
    atom.alternate = text.size() > 16 ? text[16] : ' ';
    atom.residue_name = std::string(trimmed(columns(text, 17, 4))); // the fourth: common use
    atom.residue_number = std::string(trimmed(columns(text, 22, 5)));
    atom.residue_key = std::string(columns(text, 21, 6));
    for (int k = 0; k < 3; ++k) {
        constexpr std::array<std::string_view, 3> names = {"coordinate x", "coordinate y",
                                                           "coordinate z"};
        const auto at = static_cast<std::size_t>(k);
        atom.position[k] = file.real(line, 30 + 8 * at, 8, names[at]) / angstroms_per_nm;
    }
    atom.occupancy = number_in<double>(columns(text, 54, 6)).value_or(1);
    return atom;
}

std::optional<Box> cell_on(const LineFile& file, std::size_t line)
{
    std::array<double, 6> n{};
    constexpr std::array<std::size_t, 7> edge = {6, 15, 24, 33, 40, 47, 54};
    for (std::size_t k = 0; k < 6; ++k) {
        n[k] = file.real(line, edge[k], edge[k + 1] - edge[k], k < 3 ? "a length" : "an angle");
    }
    const bool is_unit = n == std::array<double, 6>{1, 1, 1, 90, 90, 90};
    if (is_unit || (n[0] == 0 && n[1] == 0 && n[2] == 0)) {
        return std::nullopt;
    }
    try {
        return Box::from_lengths_and_angles(
            {n[0] / angstroms_per_nm, n[1] / angstroms_per_nm, n[2] / angstroms_per_nm},
            {n[3], n[4], n[5]});
    } catch (const InputError& fault) {
        file.refuse(line, fault.what(), "correct CRYST1, or remove it where there is no cell");
    }
}

/// Keeps one alternate of each residue's atoms; returns how many atoms were left out.
std::size_t keep_one_alternate(std::vector<PdbAtom>& atoms)
{
    // of a residue: the letter of the atom with the highest occupancy, the first among equals
    struct Choice {
        char letter = ' ';
        double occupancy = -1;
        std::string residue_name;
    };
    std::map<std::string, Choice> choices;
    for (const PdbAtom& atom : atoms) {
        if (atom.alternate != ' ') {
            Choice& choice = choices[atom.residue_key];
            if (atom.occupancy > choice.occupancy) {
                choice = {atom.alternate, atom.occupancy, atom.residue_name};
            }
        }
    }
    if (choices.empty()) {
        return 0;
    }
    // of an atom: the chosen letter, else its own best, within the chosen residue name
    std::map<std::string, const PdbAtom*> best;
    const auto key = [](const PdbAtom& atom) { return atom.residue_key + atom.name; };
    for (const PdbAtom& atom : atoms) {
        if (atom.alternate == ' ') {
            continue;
        }
        const Choice& choice = choices[atom.residue_key];
        if (atom.residue_name != choice.residue_name) {
            continue;
        }
        const PdbAtom*& held = best[key(atom)];
        const auto rank = [&](const PdbAtom& a) {
            return a.alternate == choice.letter ? 2.0 + a.occupancy : a.occupancy;
        };
        if (held == nullptr || rank(atom) > rank(*held)) {
            held = &atom;
        }
    }
    std::vector<PdbAtom> kept;
    for (const PdbAtom& atom : atoms) {
        const auto found = best.find(key(atom));
        if (atom.alternate == ' ' || (found != best.end() && found->second == &atom)) {
            kept.push_back(atom);
        }
    }
    const std::size_t left_out = atoms.size() - kept.size();
    atoms = std::move(kept);
    return left_out;
}

std::string cryst1(const Box& box)
{
    const Mat3& h = box.vectors();
    const auto angle = [](const Vec3& a, const Vec3& b) {
        return std::acos(dot(a, b) / (norm(a) * norm(b))) / units::degree;
    };
    std::string out = "CRYST1";
    for (int k = 0; k < 3; ++k) {
        out += fitting(norm(h[k]) * angstroms_per_nm, 9, 3, "length (Å)",
                       static_cast<std::size_t>(k), "cell vector");
    }
    out += fmt::format("{:7.2f}{:7.2f}{:7.2f} P 1           1\n", angle(h[1], h[2]),
                       angle(h[0], h[2]), angle(h[0], h[1]));
    return out;
}

} // namespace

Coordinates read_pdb(const std::string& path, int expected_atoms)
{
    const LineFile file(path);
    Coordinates out;
    std::vector<PdbAtom> atoms;
    bool is_over = false;
    for (std::size_t line = 0; line < file.size(); ++line) {
        const std::string_view record = trimmed(columns(file[line], 0, 6));
        const bool is_atom = record.starts_with("ATOM") || record.starts_with("HETATM");
        if (is_over && (is_atom || record == "MODEL")) {
            out.warnings.push_back(fmt::format(
                "{}:{}: further models follow; the first one is taken", path, line + 1));
            break;
        }
        if (is_atom) {
            atoms.push_back(atom_on(file, line));
        } else if (record == "CRYST1") {
            out.box = cell_on(file, line);
        } else if (record == "TITLE" && out.title.empty()) {
            out.title = std::string(trimmed(columns(file[line], 10, 70)));
        } else if (record == "ENDMDL") {
            is_over = true;
        } else if (record == "END" && !atoms.empty()) {
            // END may also stand between the parts of one structure
            is_over = expected_atoms == 0 || static_cast<int>(atoms.size()) >= expected_atoms;
        }
    }
    if (atoms.empty()) {
        file.refuse(file.size(), "the file holds no atoms (no ATOM or HETATM record)",
                    "name a file with coordinates");
    }
    const std::size_t left_out = keep_one_alternate(atoms);
    if (left_out > 0) {
        out.warnings.push_back(fmt::format("{}: {} atoms at alternate locations were left out (the "
                                           "location of highest occupancy is taken)",
                                           path, left_out));
    }
    for (PdbAtom& atom : atoms) {
        out.positions.push_back(atom.position);
        out.atom_names.push_back(std::move(atom.name));
        out.residue_names.push_back(std::move(atom.residue_name));
        out.residue_numbers.push_back(std::move(atom.residue_number));
    }
    return out;
}

std::string pdb_text(const Coordinates& frame, const std::vector<std::int32_t>& atomic_numbers)
{
    std::string out = fmt::format("TITLE     {}\n", title_line(frame.title).substr(0, 70));
    if (frame.box && frame.box->is_periodic()) {
        out += cryst1(*frame.box);
    }
    const AtomLabels labels(frame);
    for (std::size_t i = 0; i < frame.positions.size(); ++i) {
        const auto number =
            i < atomic_numbers.size() ? static_cast<std::size_t>(atomic_numbers[i]) : 0;
        const std::string_view element =
            number < element_symbols.size() ? element_symbols[number] : std::string_view();
        const std::string& name = fitting(labels.atom_name(i), 4, "atom name", i);
        // an element of one letter stands in column 14, unless the name fills all four
        const bool is_indented = name.size() < 4 && element.size() < 2;
        out += fmt::format("ATOM  {:5} {:<4} {:<4} {:4}    ", (i + 1) % 100000,
                           (is_indented ? " " : "") + name,
                           fitting(labels.residue_name(i), 4, "residue name", i),
                           labels.residue_number(i) % 10000);
        for (int k = 0; k < 3; ++k) {
            out += fitting(frame.positions[i][k] * angstroms_per_nm, 8, 3, "position (Å)", i);
        }
        out += fmt::format("{:6.2f}{:6.2f}          {:>2}\n", 1.0, 0.0, element);
    }
    return out + "END\n";
}

void write_pdb(const std::string& path, const Coordinates& frame,
               const std::vector<std::int32_t>& atomic_numbers)
{
    write_text(path, pdb_text(frame, atomic_numbers));
}

} // namespace tessera
