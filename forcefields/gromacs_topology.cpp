#include "forcefields/gromacs_topology.hpp"

#include "engine/base/error.hpp"
#include "forcefields/gromacs_directives.hpp"
#include "forcefields/gromacs_expansion.hpp"
#include "forcefields/gromacs_force_field.hpp"
#include "forcefields/gromacs_molecule.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <deque>
#include <fmt/format.h>
#include <limits>
#include <numeric>

namespace tessera
{

namespace
{

class TopologyReader {
public:
    TopologyReader(const GromacsText& text, const GromacsTopologyOptions& options,
                   Diagnostics& diagnostics)
        : text_(text), report_(text, diagnostics), diagnostics_(diagnostics),
          coulomb_constant_(options.coulomb_constant), go_on_(options.go_on), force_field_(report_)
    {
    }

    Topology read()
    {
        for (const GromacsLine& line : text_.lines) {
            if (line.text.front() == '[') {
                start_directive(line);
            } else if (directive_ == nullptr) {
                if (stage_ == GromacsStage::start && line.text.front() != '*') {
                    report_.warning({line.origin, {}}, {},
                                    "text before the first directive is ignored");
                }
            } else {
                read_row(line);
            }
        }
        finish_molecule();
        if (!force_field_.has_defaults()) {
            report_.error(whole_file(), {}, "there is no [ defaults ] directive",
                          "#include a force field (its forcefield.itp begins with it)");
        }
        if (!seen_system_) {
            report_.warning({whole_file(), {}}, {},
                            "there is no [ system ] directive, so no title");
        }
        if (!seen_molecules_) {
            report_.error(whole_file(), {}, "there is no [ molecules ] directive",
                          "add it, with lines of a molecule's name and count");
        }
        return assemble();
    }

private:
    struct Count {
        const GromacsMolecule* molecule;
        long long count;
    };

    /// The file as a whole.
    static constexpr LineOrigin whole_file() { return {0, 0}; }

    void start_directive(const GromacsLine& line)
    {
        directive_ = nullptr;
        const std::size_t close = line.text.find(']');
        const std::vector<std::string_view> words = split_words(std::string_view(line.text).substr(
            1, close == std::string::npos ? std::string::npos : close - 1));
        if (close == std::string::npos || words.size() != 1) {
            report_.error(line.origin, {},
                          close == std::string::npos ? "this directive has no closing ]"
                                                     : "a directive is one name in [ ]",
                          "write it as [ atoms ]");
            skip();
            return;
        }
        directive_ = find_directive(words[0]);
        if (directive_ == nullptr) {
            std::vector<std::string> known;
            for (const GromacsDirective& one : gromacs_directives()) {
                known.emplace_back(one.name);
            }
            const std::string near = nearest_name(words[0], known);
            report_.error(line.origin, words[0], fmt::format("unknown directive [ {} ]", words[0]),
                          near.empty()
                              ? "correct the name, or take the directive out with its lines"
                              : fmt::format("did you mean [ {} ]?", near));
            skip();
            return;
        }
        check_order(line, words[0]);
    }

    /// Lines up to the next directive are passed over.
    void skip()
    {
        static constexpr GromacsDirective unknown{"", GromacsAction::unknown, GromacsStage::start};
        directive_ = &unknown;
    }

    void check_order(const GromacsLine& line, std::string_view name)
    {
        const GromacsStage wanted = directive_->stage;
        std::string what;
        if (stage_ == GromacsStage::intermolecular &&
            directive_->action == GromacsAction::section) {
            return;
        }
        if (wanted < stage_) {
            switch (stage_) {
            case GromacsStage::molecule:
                what = "stands after the first [ moleculetype ] (types come before molecules)";
                break;
            case GromacsStage::system:
                what = "stands after [ system ]";
                break;
            case GromacsStage::molecules:
                what = "stands after [ molecules ]";
                break;
            default:
                what = "stands after [ intermolecular_interactions ]";
                break;
            }
        } else if (directive_->action == GromacsAction::section &&
                   stage_ < GromacsStage::molecule) {
            what = "stands before the first [ moleculetype ]";
        } else if (directive_->action == GromacsAction::defaults && !force_field_.types().empty()) {
            what = "stands after [ atomtypes ] (it must come first)";
        } else if (directive_->stage == GromacsStage::types &&
                   directive_->action != GromacsAction::defaults && !force_field_.has_defaults() &&
                   !told_defaults_) {
            told_defaults_ = true;
            what = "stands before [ defaults ]";
        } else if (directive_->action == GromacsAction::intermolecular && !seen_molecules_) {
            what = "stands before [ molecules ]";
        }
        if (!what.empty()) {
            report_.error(line.origin, name, fmt::format("[ {} ] {}", name, what),
                          "the order is: defaults, types, molecules, system, molecule counts");
            skip();
            return;
        }
        if (directive_->action == GromacsAction::molecule_type || wanted > GromacsStage::molecule) {
            finish_molecule();
        }
        stage_ = wanted;
        if (directive_->action == GromacsAction::obsolete) {
            report_.warning({line.origin, {}}, name,
                            fmt::format("[ {} ] is obsolete (implicit solvent) and ignored", name));
        }
        seen_system_ = seen_system_ || directive_->action == GromacsAction::system;
        seen_molecules_ = seen_molecules_ || directive_->action == GromacsAction::molecules;
    }

    void read_row(const GromacsLine& line)
    {
        const GromacsRow row{line.origin, split_words(line.text), line.leap_order};
        switch (directive_->action) {
        case GromacsAction::defaults:
            force_field_.read_defaults(row);
            break;
        case GromacsAction::atom_types:
            force_field_.read_atom_type(row);
            break;
        case GromacsAction::bond_types:
            force_field_.read_bonded_type(BondedFamily::bond, row);
            break;
        case GromacsAction::angle_types:
            force_field_.read_bonded_type(BondedFamily::angle, row);
            break;
        case GromacsAction::dihedral_types:
            force_field_.read_bonded_type(BondedFamily::dihedral, row);
            break;
        case GromacsAction::constraint_types:
            force_field_.read_bonded_type(BondedFamily::constraint, row);
            break;
        case GromacsAction::pair_types:
            force_field_.read_pair_type(row);
            break;
        case GromacsAction::nonbonded:
            force_field_.read_nonbonded(row);
            break;
        case GromacsAction::cmap_types:
            force_field_.read_cmap_type(row);
            break;
        case GromacsAction::molecule_type:
            start_molecule(row);
            break;
        case GromacsAction::section:
            if (stage_ == GromacsStage::intermolecular) {
                intermolecular_.emplace_back(directive_->section, row);
            } else if (reader_) {
                reader_->read(directive_->section, row);
            } else {
                report_.error(row, {}, "[ moleculetype ] has no line with a name and nrexcl",
                              "add one below it, such as: SOL 2");
                skip();
            }
            break;
        case GromacsAction::system:
            if (title_.empty()) {
                title_ = line.text;
            }
            break;
        case GromacsAction::molecules:
            read_count(row);
            break;
        case GromacsAction::intermolecular:
            report_.error(row, {}, "[ intermolecular_interactions ] holds directives, not lines",
                          "put [ bonds ] or the like before this line");
            break;
        case GromacsAction::obsolete:
        case GromacsAction::unknown:
            break;
        }
    }

    void start_molecule(const GromacsRow& row)
    {
        if (reader_) {
            report_.error(row, {}, "a [ moleculetype ] has one line: name and nrexcl",
                          "give each molecule a [ moleculetype ] of its own");
            return;
        }
        GromacsMolecule& molecule = molecules_.emplace_back();
        molecule.name = row[0];
        molecule.origin = row.origin;
        if (const auto excluded = report_.integer(row, 1, "nrexcl")) {
            molecule.exclusion_bonds = *excluded;
            if (*excluded < 0) {
                report_.error(row, row[1], "nrexcl must not be negative",
                              "3 is usual: atoms up to three bonds apart are excluded");
            }
        }
        for (const GromacsMolecule& other : molecules_) {
            if (&other != &molecule && other.name == molecule.name) {
                report_.error(row, row[0],
                              fmt::format("molecule type {} is defined again (first at {})",
                                          molecule.name, report_.where(other.origin)),
                              "rename one of the two");
                break;
            }
        }
        reader_.emplace(molecule, force_field_, report_, coulomb_constant_, leap_order_);
    }

    void finish_molecule()
    {
        if (reader_) {
            reader_->finish();
            reader_.reset();
        }
    }

    void read_count(const GromacsRow& row)
    {
        if (row.size() != 2) {
            report_.error(
                row, {},
                fmt::format("[ molecules ] needs a name and a count, not {} fields", row.size()),
                "write a line as: SOL 500");
            return;
        }
        long long count = 0;
        const auto [stop, fault] =
            std::from_chars(row[1].data(), row[1].data() + row[1].size(), count);
        if (fault != std::errc() || stop != row[1].data() + row[1].size() || count < 0) {
            report_.error(row, row[1],
                          fmt::format("a count of molecules must be a whole number that is not "
                                      "negative, not \"{}\"",
                                      row[1]),
                          "write a line as: SOL 500");
            return;
        }
        if (count > std::numeric_limits<std::int32_t>::max()) {
            report_.error(row, row[1],
                          fmt::format("{} molecules are too many (at most {})", count,
                                      std::numeric_limits<std::int32_t>::max()),
                          "look at the counts in [ molecules ]");
            return;
        }
        const GromacsMolecule* found = nullptr;
        int alike = 0;
        for (const GromacsMolecule& molecule : molecules_) {
            if (molecule.name == row[0]) {
                found = &molecule;
                alike = 1;
                break;
            }
            if (normalized_case(molecule.name) == normalized_case(row[0])) {
                found = &molecule;
                ++alike;
            }
        }
        if (alike != 1) {
            std::vector<std::string> names;
            for (const GromacsMolecule& molecule : molecules_) {
                names.push_back(molecule.name);
            }
            const std::string near = nearest_name(row[0], names);
            report_.error(row, row[0],
                          fmt::format("molecule type \"{}\" is {}", row[0],
                                      alike == 0 ? "not defined" : "ambiguous but for its case"),
                          near.empty()
                              ? "define it in a [ moleculetype ], or #include the file that does"
                              : fmt::format("did you mean \"{}\"?", near));
            return;
        }
        counts_.push_back({found, count});
    }

    static std::string normalized_case(std::string_view text)
    {
        std::string out(text);
        std::transform(out.begin(), out.end(), out.begin(), [](char c) {
            return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        });
        return out;
    }

    Topology assemble()
    {
        GromacsExpansion expansion;
        long long atoms = 0;
        for (const auto& [molecule, count] : counts_) {
            atoms += count * molecule->parts.atoms();
            if (count == 0) {
                continue;
            }
            for (const Residue& residue : molecule->parts.residues) {
                if (const auto number = to_integer(residue.number);
                    number && molecule->parts.residues.size() > 1) {
                    expansion.first_free_residue =
                        std::max(expansion.first_free_residue, *number + 1);
                }
            }
        }
        for (const GromacsMolecule& molecule : molecules_) {
            const bool is_used = std::any_of(counts_.begin(), counts_.end(), [&](const Count& c) {
                return c.molecule == &molecule && c.count > 0;
            });
            for (const Diagnostic& refusal : molecule.refusals) {
                if (is_used) {
                    report_.raise(refusal);
                }
            }
        }
        if (atoms > std::numeric_limits<std::int32_t>::max()) {
            report_.error(whole_file(), {},
                          fmt::format("{} atoms are too many (at most {})", atoms,
                                      std::numeric_limits<std::int32_t>::max()),
                          "look at the counts in [ molecules ]");
        }
        if (atoms == 0 && !diagnostics_.has_errors()) {
            report_.error(whole_file(), {}, "the system has no atoms",
                          "count molecules in [ molecules ]");
        }
        if (diagnostics_.has_errors() || (go_on_ && !go_on_(atoms))) {
            return {};
        }
        for (const auto& [molecule, count] : counts_) {
            expansion.append(*molecule, count);
        }
        Topology whole = std::move(expansion.whole);
        if (!intermolecular_.empty()) {
            whole = with_intermolecular(std::move(whole));
        }
        make_pair_table(whole, force_field_);
        whole.title = title_;
        whole.coulomb_constant = coulomb_constant_;
        return whole;
    }

    Topology with_intermolecular(Topology whole)
    {
        GromacsMolecule system;
        system.name = "system";
        system.parts = std::move(whole);
        for (const std::int32_t type : system.parts.type) {
            system.bonded.push_back(force_field_.types()[static_cast<std::size_t>(type)].bonded);
        }
        GromacsMoleculeReader reader(system, force_field_, report_, coulomb_constant_, leap_order_,
                                     true);
        for (const auto& [section, row] : intermolecular_) {
            switch (section) {
            case GromacsSection::bonds:
            case GromacsSection::angles:
            case GromacsSection::dihedrals:
            case GromacsSection::pairs:
            case GromacsSection::pairs_nb:
            case GromacsSection::distance_restraints:
            case GromacsSection::dihedral_restraints:
            case GromacsSection::angle_restraints:
            case GromacsSection::angle_restraints_z:
                reader.read(section, row);
                break;
            default:
                report_.error(row, {},
                              "this directive cannot stand in [ intermolecular_interactions ] "
                              "(only bonds, angles, dihedrals, pairs and pairs_nb can)");
                break;
            }
        }
        for (const Diagnostic& refusal : system.refusals) {
            report_.raise(refusal);
        }
        return std::move(system.parts);
    }

    const GromacsText& text_;
    GromacsReport report_;
    Diagnostics& diagnostics_;
    double coulomb_constant_;
    const std::function<bool(long long)>& go_on_;
    GromacsForceField force_field_;
    GromacsLeapOrder leap_order_;
    std::deque<GromacsMolecule> molecules_; ///< addresses stay
    std::optional<GromacsMoleculeReader> reader_;
    std::vector<Count> counts_;
    std::vector<std::pair<GromacsSection, GromacsRow>> intermolecular_;
    std::string title_;
    const GromacsDirective* directive_ = nullptr;
    GromacsStage stage_ = GromacsStage::start;
    bool seen_system_ = false, seen_molecules_ = false, told_defaults_ = false;
};

/// Warnings as lines of text; those of one kind are many in a perturbed topology, so not all.
std::vector<std::string> warning_lines(const Diagnostics& diagnostics)
{
    constexpr std::size_t most = 20;
    std::vector<std::string> lines;
    for (const Diagnostic& warning : diagnostics.warnings()) {
        if (lines.size() == most) {
            lines.push_back(fmt::format("{} more warnings about the topology are not shown",
                                        diagnostics.warnings().size() - most));
            break;
        }
        Diagnostic brief = warning;
        brief.place.source_line.clear();
        brief.place.column = 0;
        lines.push_back(brief.text());
    }
    return lines;
}

} // namespace

Topology read_gromacs_topology(const std::filesystem::path& path,
                               const GromacsTopologyOptions& options)
{
    Diagnostics diagnostics;
    const GromacsText text =
        preprocess_gromacs(path, options.include, options.defines, diagnostics);
    diagnostics.throw_if_any(); // with a missing include all that follows would be noise

    TopologyReader reader(text, options, diagnostics);
    Topology topology = reader.read();
    diagnostics.throw_if_any();

    topology.warnings = warning_lines(diagnostics);
    for (const std::string& define : options.defines) {
        const std::string name = define.substr(0, define.find('='));
        if (name != "FLEXIBLE" && !text.asked_for.contains(name)) { // that one is no user's alone
            const std::string near =
                nearest_name(name, {text.asked_for.begin(), text.asked_for.end()});
            topology.warnings.push_back(fmt::format(
                "{}: system.define names {}, which no #ifdef and no line uses{}", path.string(),
                name, near.empty() ? "" : fmt::format(". Did you mean {}?", near)));
        }
    }
    const double charge = std::accumulate(topology.charge.begin(), topology.charge.end(), 0.0);
    // a whole net charge is told of where the system is set up; below 1e-3 e: rounding of charges
    if (std::fabs(charge - std::round(charge)) > 1e-3) {
        topology.warnings.push_back(
            fmt::format("{}: the charges sum to {:.6g} e, not a whole number; they are taken as "
                        "they are.",
                        path.string(), charge));
    }
    return topology;
}

} // namespace tessera
