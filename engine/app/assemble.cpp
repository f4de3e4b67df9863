#include "engine/app/assemble.hpp"

#include "engine/app/resolve_mesh.hpp"
#include "engine/base/text_file.hpp"
#include "engine/cpu/position_grid.hpp"
#include "engine/math/constants.hpp"
#include "engine/model/restraint_reference.hpp"
#include "engine/plans/constraint_plan.hpp"
#include "forcefields/gromacs_preprocessor.hpp"
#include "forcefields/gromacs_topology.hpp"
#include "io/coordinates.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tessera
{

namespace fs = std::filesystem;

namespace
{

bool is_amber(const fs::path& topology)
{
    const bool is_gzip = extension_in_lower_case(topology) == ".gz";
    const std::string extension = extension_in_lower_case(is_gzip ? topology.stem() : topology);
    return extension == ".prmtop" || extension == ".parm7";
}

/// kJ/mol nm/e^2; 0: the format's own.
double coulomb_constant(CoulombConstant choice)
{
    switch (choice) {
    case CoulombConstant::gromacs:
        return constants::coulomb_gromacs;
    case CoulombConstant::amber:
        return constants::coulomb_amber;
    case CoulombConstant::charmm:
        return constants::coulomb_charmm;
    case CoulombConstant::codata:
        return constants::coulomb_codata;
    case CoulombConstant::of_format:
        break;
    }
    return 0;
}

GromacsTopologyOptions gromacs_options(const Deck& deck)
{
    GromacsTopologyOptions options;
    options.include = deck.system.include;
    options.defines = deck.system.define;
    if (!deck.run.rigid_water) {
        options.defines.emplace_back("FLEXIBLE");
    }
    return options;
}

Topology read_gromacs(const Deck& deck, const std::function<bool(long long)>& go_on)
{
    GromacsTopologyOptions options = gromacs_options(deck);
    options.go_on = go_on;
    if (const double chosen = coulomb_constant(deck.system.coulomb_constant); chosen > 0) {
        options.coulomb_constant = chosen;
    }
    Topology topology = read_gromacs_topology(deck.system.topology, options);
    if (topology.atoms() == 0) {
        return topology;
    }
    if (!deck.run.rigid_water && !topology.rigid_waters.empty()) {
        fail({deck.place_of("run.rigid_water"),
              fmt::format("run.rigid_water = false, but {} has water as [ settles ] only (no bonds "
                          "and angles under #ifdef FLEXIBLE)",
                          deck.system.topology.string()),
              "", "remove rigid_water = false, or use a water with a FLEXIBLE branch"});
    }
    return topology;
}

/// A message of a reader, which has its own places.
void add(Diagnostics& diagnostics, const std::string& message)
{
    Diagnostic fault;
    fault.what = message;
    diagnostics.error(std::move(fault));
}

Diagnostic plain_warning(const std::string& message)
{
    Diagnostic warning;
    warning.what = message;
    return warning;
}

/// "start.gro:218" for the line with the cell, where that can be told without a second reading.
std::string place_of_cell(const fs::path& file, std::size_t atoms)
{
    return file.extension() == ".gro" ? fmt::format("{}:{}", file.string(), atoms + 3)
                                      : file.string();
}

/// Cosines between b and c, a and c, a and b.
Vec3 cosines(const Mat3& cell)
{
    const auto between = [&](int i, int j) {
        return dot(cell[i], cell[j]) / (norm(cell[i]) * norm(cell[j]));
    };
    return {between(1, 2), between(0, 2), between(0, 1)};
}

/// By more than a run under pressure changes a cell after the topology was written: a twentieth of
/// an edge, or 10^-4 of a cosine, which files round to. Cells of 60 and 120 degrees may be one
/// lattice, so signs do not count.
bool differ(const Box& a, const Box& b)
{
    const Vec3 of_a = cosines(a.vectors()), of_b = cosines(b.vectors());
    for (int k = 0; k < 3; ++k) {
        const double edge = norm(a.vectors()[k]);
        if (std::fabs(edge - norm(b.vectors()[k])) > 0.05 * edge ||
            std::fabs(std::fabs(of_a[k]) - std::fabs(of_b[k])) > 1e-4) {
            return true;
        }
    }
    return false;
}

/// "4 x 4 x 5 nm, 90 90 60 degrees"
std::string in_words(const Box& box)
{
    const Mat3& h = box.vectors();
    const Vec3 c = cosines(h);
    const auto degrees = [](double cosine) { return std::acos(cosine) * 180 / constants::pi; };
    return fmt::format("{:.6g} x {:.6g} x {:.6g} nm, {:.5g} {:.5g} {:.5g} degrees", norm(h[0]),
                       norm(h[1]), norm(h[2]), degrees(c.x), degrees(c.y), degrees(c.z));
}

class Assembler {
public:
    Assembler(const Deck& deck, NameCheck names, Diagnostics& diagnostics)
        : deck_(deck), names_(names), diagnostics_(diagnostics)
    {
    }

    Assembly assemble()
    {
        if (!deck_.system.topology.empty()) {
            read_the_topology();
        }
        if (!deck_.system.coordinates.empty() && !coordinates_tried_) {
            read_the_coordinates();
        }
        const bool both = have_topology_ && have_coordinates_;
        if (both && same_number(topology_.atoms())) {
            compare_names();
            restraint_reference();
            finish_topology();
        }
        if (have_coordinates_) {
            choose_cell();
        }
        out_.nonbonded = deck_.nonbonded;
        if (have_coordinates_ && !diagnostics_.has_errors()) {
            resolve_mesh(deck_, out_.box, out_.nonbonded, diagnostics_);
        }
        return std::move(out_);
    }

private:
    void read_the_topology()
    {
        try {
            topology_ = read_topology(deck_, [this](long long atoms) { return go_on(atoms); });
            have_topology_ = topology_.atoms() > 0;
        } catch (const InputError& fault) {
            add(diagnostics_, fault.what());
        }
    }

    bool go_on(long long atoms)
    {
        if (atoms < many_atoms) {
            return true;
        }
        read_the_coordinates();
        return have_coordinates_ && same_number(atoms);
    }

    void read_the_coordinates()
    {
        coordinates_tried_ = true;
        CoordinateHints hints;
        if (have_topology_) {
            hints.expected_atoms = topology_.atoms();
            cell_ = amber_cell(deck_.system.topology);
            hints.ifbox = cell_ ? cell_->ifbox : -1;
        }
        try {
            out_.coordinates = read_coordinates(deck_.system.coordinates.string(), hints);
            have_coordinates_ = true;
            for (const std::string& warning : out_.coordinates.warnings) {
                diagnostics_.warning(plain_warning(warning));
            }
        } catch (const InputError& fault) {
            add(diagnostics_, fault.what());
        }
    }

    bool same_number(long long atoms)
    {
        const auto found = static_cast<long long>(out_.coordinates.positions.size());
        if (atoms == found) {
            return true;
        }
        diagnostics_.error(
            {deck_.place_of("system.coordinates"),
             fmt::format("{} holds {} atoms, but {} makes {} (they must be the same atoms in the "
                         "same order)",
                         deck_.system.coordinates.string(), found, deck_.system.topology.string(),
                         atoms),
             fmt::format("{} atoms", found),
             fmt::format("use coordinates written for this topology; {}",
                         is_amber(deck_.system.topology)
                             ? "the count stands in the second line"
                             : "or correct the numbers under [ molecules ]")});
        return false;
    }

    /// Atoms belong together by their order alone; names that differ are a sign of a mix-up.
    void compare_names()
    {
        const Coordinates& coordinates = out_.coordinates;
        if (coordinates.atom_names.empty()) {
            return;
        }
        std::size_t differ = 0;
        std::string first_ten;
        for (std::size_t a = 0; a < coordinates.atom_names.size(); ++a) {
            const std::string& name = coordinates.atom_names[a];
            if (name == topology_.atom_name[a] || name.empty()) {
                continue;
            }
            if (++differ <= 10) {
                first_ten += fmt::format("{}{}: {} for {}", first_ten.empty() ? "" : "; ", a + 1,
                                         name, topology_.atom_name[a]);
            }
        }
        if (differ == 0) {
            return;
        }
        Diagnostic remark = {
            deck_.place_of("system.coordinates"),
            fmt::format("names of {} of {} atoms differ between {} and {} (atom: coordinates' name "
                        "for topology's; {}{})",
                        differ, topology_.atoms(), deck_.system.coordinates.string(),
                        deck_.system.topology.string(), first_ten, differ > 10 ? "; ..." : ""),
            "", "atoms are matched by their order: make sure that it is the same in both files"};
        if (names_ == NameCheck::fails) {
            diagnostics_.error(std::move(remark));
        } else {
            diagnostics_.warning(std::move(remark));
        }
    }

    void restraint_reference()
    {
        if (topology_.table<PositionRestraint>().empty()) {
            if (deck_.system.restraint_reference) {
                diagnostics_.warning(
                    {deck_.place_of("system.restraint_reference"),
                     fmt::format("system.restraint_reference has no effect ({} has no position "
                                 "restraints)",
                                 deck_.system.topology.string()),
                     "", "define what the topology asks for, such as define = [\"POSRES\"]"});
            }
            return;
        }
        if (!deck_.system.restraint_reference) {
            diagnostics_.warning({deck_.place_of("system.coordinates"),
                                  "position restraints hold to the start coordinates "
                                  "(system.restraint_reference is not given)",
                                  "", "add restraint_reference = \"...\" under [system]"});
            set_restraint_reference(topology_, out_.coordinates.positions);
            return;
        }
        const fs::path& file = *deck_.system.restraint_reference;
        try {
            CoordinateHints hints;
            hints.expected_atoms = topology_.atoms();
            hints.ifbox = cell_ ? cell_->ifbox : -1;
            const Coordinates reference = read_coordinates(file.string(), hints);
            if (reference.positions.size() != static_cast<std::size_t>(topology_.atoms())) {
                diagnostics_.error({deck_.place_of("system.restraint_reference"),
                                    fmt::format("{} holds {} atoms, but {} makes {}", file.string(),
                                                reference.positions.size(),
                                                deck_.system.topology.string(), topology_.atoms()),
                                    "", "use coordinates of the whole system"});
                return;
            }
            set_restraint_reference(topology_, reference.positions);
        } catch (const InputError& fault) {
            add(diagnostics_, fault.what());
        }
    }

    void finish_topology()
    {
        for (const std::string& warning : topology_.warnings) {
            diagnostics_.warning(plain_warning(warning));
        }
        try {
            out_.topology = finish(std::move(topology_));
        } catch (const InputError& fault) {
            add(diagnostics_, fault.what());
        }
    }

    void choose_cell()
    {
        if (!deck_.system.periodic) {
            return;
        }
        const fs::path& file = deck_.system.coordinates;
        const std::optional<Box> of_topology = cell_ ? cell_->box : std::nullopt;
        const std::optional<Box> box = out_.coordinates.box ? out_.coordinates.box : of_topology;
        if (!box || !box->is_periodic()) {
            diagnostics_.error(
                {deck_.place_of("system.coordinates"),
                 fmt::format("{} has no box (a periodic system needs one)", file.string()),
                 "no box", "give the file a box, or set periodic = false under [system]"});
            return;
        }
        out_.box = *box;
        within_the_grid();
        if (of_topology && of_topology->is_periodic() && differ(*box, *of_topology)) {
            diagnostics_.warning(
                {deck_.line_of("system.coordinates"),
                 fmt::format("the cells of {} and {} differ ({} and {}): that of the coordinates "
                             "is taken",
                             file.string(), deck_.system.topology.string(), in_words(*box),
                             in_words(*of_topology)),
                 "", "use files that belong together, unless this is meant"});
        }
        cutoff_fits("nonbonded.lj_cutoff", deck_.nonbonded.lj_cutoff);
        if (deck_.nonbonded.coulomb_cutoff != deck_.nonbonded.lj_cutoff) {
            cutoff_fits("nonbonded.coulomb_cutoff", deck_.nonbonded.coulomb_cutoff);
        }
    }

    /// Positions live on a grid of 64-bit integers (fixed_point.hpp); those of a file are looked at
    /// where it is read.
    void within_the_grid()
    {
        constexpr double farthest = PositionGrid::longest_edge;
        for (int k = 0; k < 3; ++k) {
            const Vec3& edge = out_.box.vectors()[k];
            if (!(std::fabs(edge.x) < farthest && std::fabs(edge.y) < farthest &&
                  std::fabs(edge.z) < farthest)) {
                diagnostics_.error(
                    {deck_.place_of("system.coordinates"),
                     fmt::format(
                         "{}: cell vector {} is {:.6g} {:.6g} {:.6g} nm (beyond {} nm: "
                         "positions lie on a grid that holds no longer ones, with their images)",
                         place_of_cell(deck_.system.coordinates, out_.coordinates.positions.size()),
                         k + 1, edge.x, edge.y, edge.z, farthest),
                     "", "choose a smaller cell, and check the unit of the file"});
                return;
            }
        }
    }

    void cutoff_fits(const std::string& path, double cutoff)
    {
        const double limit = 0.5 * out_.box.shortest_height();
        const std::string key = deck_.gives(path) ? path : "nonbonded.cutoff";
        if (!deck_.gives(key) || cutoff <= limit || !std::isfinite(cutoff)) {
            return; // a cut-off that is missing or at fault is told by the deck
        }
        const std::string cell =
            place_of_cell(deck_.system.coordinates, out_.coordinates.positions.size());
        diagnostics_.error(
            {deck_.place_of(key),
             fmt::format("cut-off {:.6g} nm does not fit the box (half its shortest height is "
                         "{:.6g} nm; {})",
                         cutoff, limit, cell),
             fmt::format("larger than {:.6g} nm", limit),
             limit < 0.1 // nm: no box of atoms is so small
                 ? fmt::format("look at the box ({}): lengths of a .gro are in nm", cell)
                 : fmt::format("choose at most \"{:.6g} nm\", or a larger box ({})",
                               std::floor(limit * 1e4) / 1e4, cell)});
    }

    const Deck& deck_;
    NameCheck names_;
    Diagnostics& diagnostics_;
    Assembly out_;
    Topology topology_;
    std::optional<AmberTopologyBox> cell_;
    bool have_topology_ = false;
    bool have_coordinates_ = false;
    bool coordinates_tried_ = false;
};

} // namespace

std::optional<AmberTopologyBox> amber_cell(const fs::path& topology)
{
    return is_amber(topology) ? std::optional(read_amber_topology_box(topology)) : std::nullopt;
}

Topology read_topology(const Deck& deck, const std::function<bool(long long atoms)>& go_on)
{
    Topology topology;
    if (is_amber(deck.system.topology)) {
        AmberTopologyOptions options;
        options.coulomb_constant = coulomb_constant(deck.system.coulomb_constant);
        topology = read_amber_topology(deck.system.topology, options);
        if (deck.run.rigid_water) {
            topology = with_rigid_waters(std::move(topology));
        }
    } else {
        topology = read_gromacs(deck, go_on);
        if (topology.atoms() == 0) {
            return topology;
        }
    }
    topology = with_constrained_bonds(std::move(topology), deck.run.constraints);
    if (deck.run.hydrogen_mass) {
        if (repartition_hydrogen_mass(topology, *deck.run.hydrogen_mass) == 0) {
            topology.warnings.push_back(
                "run.hydrogen_mass has no effect (there are no hydrogens but those of rigid water, "
                "which keep their mass)");
        }
    }
    return topology;
}

std::vector<fs::path> topology_files(const Deck& deck)
{
    if (is_amber(deck.system.topology)) {
        return {deck.system.topology};
    }
    std::error_code ignored;
    if (!fs::exists(deck.system.topology, ignored)) {
        return {};
    }
    const GromacsTopologyOptions options = gromacs_options(deck);
    Diagnostics told_elsewhere;
    const GromacsText text =
        preprocess_gromacs(deck.system.topology, options.include, options.defines, told_elsewhere);
    return {text.file_names.begin(), text.file_names.end()};
}

Assembly assemble(const Deck& deck, NameCheck names, Diagnostics& diagnostics)
{
    return Assembler(deck, names, diagnostics).assemble();
}

void refuse_impossible_constraints(const Assembly& assembly, Diagnostics& diagnostics)
{
    try {
        make_constraint_plan(*assembly.topology);
    } catch (const InputError& fault) {
        add(diagnostics, fault.what());
    }
}

} // namespace tessera
