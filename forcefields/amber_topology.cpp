#include "forcefields/amber_topology.hpp"

#include "engine/math/constants.hpp"
#include "engine/math/units.hpp"
#include "forcefields/amber_parameters.hpp"
#include "forcefields/amber_sections.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace tessera
{

namespace amber
{

namespace
{

Pointers read_pointers(AmberSections& file, Diagnostics& faults)
{
    const auto p = file.integers("POINTERS");
    if (p.size() < 30) {
        file.error("POINTERS", -1,
                   fmt::format("the section holds {} values, but at least 30 are needed", p.size()),
                   "the file is damaged or cut short: write it anew");
        faults.throw_if_any();
    }
    for (std::size_t k = 0; k < p.size(); ++k) {
        if (p[k] < 0 || p[k] > file.characters()) {
            file.error("POINTERS", static_cast<std::int64_t>(k),
                       fmt::format("the count {} is out of range (the file holds {} "
                                   "characters)",
                                   p[k], file.characters()),
                       "correct the value");
        }
    }
    Pointers n;
    n.atoms = p[0], n.types = p[1];
    n.bonds_hydrogen = p[2], n.angles_hydrogen = p[4], n.dihedrals_hydrogen = p[6];
    // NBONA, NTHETA, NPHIA count what the lists hold; MBONA, MTHETA, MPHIA leave constraints out
    n.bonds_other = p[12], n.angles_other = p[13], n.dihedrals_other = p[14];
    n.excluded = p[10], n.residues = p[11];
    n.bond_types = p[15], n.angle_types = p[16], n.dihedral_types = p[17];
    n.hydrogen_bond_types = p[19];
    n.perturbed = p[20], n.box = p[27], n.cap = p[29];
    n.extra_points = p.size() > 30 ? p[30] : 0;
    if (n.atoms == 0) {
        file.error("POINTERS", 0, "there are no atoms", "check that the right file is named");
    }
    if (n.types == 0 || n.types * n.types > file.characters()) {
        file.error("POINTERS", 1, fmt::format("the number of types {} is out of range", n.types),
                   "correct the value");
    }
    faults.throw_if_any();
    return n;
}

/// Refuses by name what the engine has no terms for.
void refuse_unsupported(const Source& source)
{
    AmberSections& file = source.file;
    const auto refuse = [&file](std::string_view flag, std::int64_t index, std::string what,
                                std::string hint) {
        file.error(flag, index, std::move(what), std::move(hint));
    };
    const std::string plain = "make a parameter file without it";
    if (source.pointers.perturbed > 0) {
        refuse("POINTERS", 20, "perturbed atoms (IFPERT) are not supported", plain);
    }
    if (source.pointers.cap > 0) {
        refuse("POINTERS", 29, "a cap of water (IFCAP) is not supported", plain);
    }
    if (source.pointers.box > 3) {
        refuse(
            "POINTERS", 27,
            fmt::format("the cell kind {} (IFBOX) is not known (0 to 3 are)", source.pointers.box),
            "correct the value");
    }
    const auto ipol = file.integers("IPOL");
    if (!ipol.empty() && ipol[0] > 0) {
        refuse("IPOL", 0,
               fmt::format("a polarizable force field (IPOL = {}) is not supported", ipol[0]),
               plain);
    }
    if (ipol.empty() && file.has("POLARIZABILITY")) {
        const auto values = file.reals("POLARIZABILITY");
        if (std::any_of(values.begin(), values.end(), [](double v) { return v != 0; })) {
            refuse("POLARIZABILITY", -1, "a polarizable force field is not supported", plain);
        }
    }
    for (const auto& [flag, name] : {std::pair{"AMOEBA_FORCEFIELD", "the AMOEBA force field"},
                                     std::pair{"LES_NTYP", "locally enhanced sampling (LES)"},
                                     std::pair{"CHARMM_DRUDE_COUNT", "Drude particles"},
                                     std::pair{"DRUDE_INDEX", "Drude particles"}}) {
        if (file.has(flag)) {
            refuse(flag, -1, fmt::format("{} is not supported", name), plain);
        }
    }
    if (file.has("FORCE_FIELD_TYPE") && !source.chamber) {
        refuse("FORCE_FIELD_TYPE", -1,
               fmt::format("the force field '{}' is not known (CHARMM is)",
                           file.text("FORCE_FIELD_TYPE")),
               plain);
    }
}

void add_atoms(const Source& source, const std::vector<std::string>& amber_types,
               Topology& topology)
{
    AmberSections& file = source.file;
    const std::size_t n = source.atoms();
    for (const std::string& name : file.words("ATOM_NAME", n, "POINTERS NATOM")) {
        topology.atom_name.push_back(name);
    }
    topology.mass = file.reals("MASS", n, "POINTERS NATOM");
    topology.charge = file.reals("CHARGE", n, "POINTERS NATOM");
    // the factor that turns e into the file's charges: the root of the force field's own Coulomb
    // constant, kcal/mol A
    const double factor = source.chamber ? std::sqrt(332.0716) : 18.2223;
    for (double& q : topology.charge) {
        q /= factor;
    }
    const auto types = file.integers("ATOM_TYPE_INDEX", n, "POINTERS NATOM");
    topology.type.resize(n);
    for (std::size_t a = 0; a < n; ++a) {
        if (topology.mass[a] < 0) {
            file.error("MASS", static_cast<std::int64_t>(a),
                       fmt::format("a negative mass ({} u)", topology.mass[a]),
                       "correct the value");
        }
        if (types[a] < 1 || types[a] > source.pointers.types) {
            file.error(
                "ATOM_TYPE_INDEX", static_cast<std::int64_t>(a),
                fmt::format("{} names no type (there are {})", types[a], source.pointers.types),
                "the file is damaged: write it anew");
        }
        topology.type[a] = static_cast<std::int32_t>(std::clamp<std::int64_t>(
            types[a] - 1, 0, std::max<std::int64_t>(0, source.pointers.types - 1)));
    }
    topology.kind.assign(n, ParticleKind::atom);
    topology.is_hydrogen.assign(n, 0);
    topology.atomic_number.assign(n, 0);
    std::vector<std::int64_t> numbers;
    if (file.has("ATOMIC_NUMBER")) {
        numbers = file.integers("ATOMIC_NUMBER", n, "POINTERS NATOM");
    }
    for (std::size_t a = 0; a < n; ++a) {
        const std::int64_t given = numbers.empty() ? 0 : numbers[a];
        topology.atomic_number[a] = given > 0 && given < 200
                                        ? static_cast<std::int32_t>(given)
                                        : element_of(topology.mass[a], topology.atom_name[a]);
    }
    topology.pairs.type_names.assign(static_cast<std::size_t>(source.pointers.types), "");
    for (std::size_t a = 0; a < n; ++a) {
        std::string& name = topology.pairs.type_names[static_cast<std::size_t>(topology.type[a])];
        if (name.empty()) {
            name = amber_types.empty() ? std::to_string(topology.type[a] + 1) : amber_types[a];
        }
    }
}

void add_residues(const Source& source, Topology& topology)
{
    AmberSections& file = source.file;
    const auto n = static_cast<std::size_t>(source.pointers.residues);
    const auto labels = file.words("RESIDUE_LABEL", n, "POINTERS NRES");
    const auto first = file.integers("RESIDUE_POINTER", n, "POINTERS NRES");
    std::vector<std::int64_t> numbers;
    if (file.has("RESIDUE_NUMBER")) {
        numbers = file.integers("RESIDUE_NUMBER", n, "POINTERS NRES");
    }
    topology.residue.assign(source.atoms(), 0);
    for (std::size_t r = 0; r < n; ++r) {
        const std::int64_t begin = first[r] - 1;
        const std::int64_t end = r + 1 < n ? first[r + 1] - 1 : source.pointers.atoms;
        if (begin < 0 || begin >= end || end > source.pointers.atoms || (r == 0 && begin != 0)) {
            file.error("RESIDUE_POINTER", static_cast<std::int64_t>(r),
                       fmt::format("the residue would begin at atom {} and end before atom {} (the "
                                   "first begins at 1, each has an atom, and there are {} atoms)",
                                   begin + 1, end + 1, source.pointers.atoms),
                       "the file is damaged: write it anew");
            continue;
        }
        topology.residues.push_back(
            {labels[r],
             std::to_string(numbers.empty() ? static_cast<std::int64_t>(r) + 1 : numbers[r]),
             static_cast<std::int32_t>(begin)});
        std::fill(topology.residue.begin() + begin, topology.residue.begin() + end,
                  static_cast<std::int32_t>(topology.residues.size() - 1));
    }
    if (n == 0) {
        topology.residues.push_back({"MOL", "1", 0});
    }
}

void mark_hydrogens_by_element(const Source& source, Topology& topology)
{
    const bool marked = std::find(topology.is_hydrogen.begin(), topology.is_hydrogen.end(), 1) !=
                        topology.is_hydrogen.end();
    if (marked) {
        return;
    }
    std::size_t found = 0;
    for (std::size_t a = 0; a < topology.mass.size(); ++a) {
        if (topology.atomic_number[a] == 1 && source.is_extra_point[a] == 0) {
            topology.is_hydrogen[a] = 1;
            ++found;
        }
    }
    if (found > 0) {
        topology.warnings.push_back(fmt::format(
            "{}: BONDS_INC_HYDROGEN marks no hydrogen, but there are {} by element; those count as "
            "hydrogens where bonds to hydrogen are constrained.",
            source.file.file(), found));
    }
}

/// A whole net charge may be meant, and is told of where the system is set up; one that is not
/// whole comes from rounding, and is kept all the same.
void warn_of_broken_charge(const Source& source, Topology& topology)
{
    double sum = 0;
    for (const double q : topology.charge) {
        sum += q;
    }
    if (std::abs(sum - std::round(sum)) > 1e-3) {
        topology.warnings.push_back(
            fmt::format("{}: the charges sum to {:.6g} e, not a whole number; they are taken as "
                        "they are.",
                        source.file.file(), sum));
    }
}

Source open(AmberSections& file, Diagnostics& faults)
{
    Source source{file, read_pointers(file, faults), false, {}};
    source.chamber =
        file.has("CTITLE") || file.text("FORCE_FIELD_TYPE").find("CHARMM") != std::string::npos;
    return source;
}

} // namespace

} // namespace amber

Topology read_amber_topology(const std::filesystem::path& path, const AmberTopologyOptions& options)
{
    using namespace amber;
    Diagnostics faults;
    AmberSections file(path, faults);
    Source source = open(file, faults);
    refuse_unsupported(source);
    faults.throw_if_any();

    Topology topology;
    topology.title = file.text(source.chamber ? "CTITLE" : "TITLE");
    topology.combination_rule = 0;
    topology.coulomb_constant = options.coulomb_constant > 0 ? options.coulomb_constant
                                : source.chamber             ? constants::coulomb_charmm
                                                             : constants::coulomb_amber;
    std::vector<std::string> amber_types;
    if (file.has("AMBER_ATOM_TYPE")) {
        amber_types = file.words("AMBER_ATOM_TYPE", source.atoms(), "POINTERS NATOM");
    }
    add_atoms(source, amber_types, topology);
    add_residues(source, topology);
    faults.throw_if_any(); // from here on every atom has its values
    source.is_extra_point = find_extra_points(topology, amber_types);
    const auto found = std::count_if(source.is_extra_point.begin(), source.is_extra_point.end(),
                                     [](std::uint8_t is) { return is != 0; });
    if (found < source.pointers.extra_points) {
        file.error(
            "POINTERS", 30,
            fmt::format("there should be {} extra points (NUMEXTRA), but {} atoms are of type "
                        "EP or have no mass",
                        source.pointers.extra_points, found),
            "the file is damaged, or names its extra points in a way that is not known");
    }

    const PairCoefficients pairs = read_pair_coefficients(source);
    faults.throw_if_any();
    add_pair_table(pairs, topology);
    add_exclusions(source, topology);
    const std::vector<Bond> bonds = add_bonds(source, topology);
    mark_hydrogens_by_element(source, topology);
    add_angles(source, topology);
    add_dihedrals(source, pairs, topology);
    add_charmm_impropers(source, topology);
    add_correction_maps(source, topology);
    add_extra_points(source, bonds, topology);
    faults.throw_if_any();
    warn_of_broken_charge(source, topology);
    return topology;
}

AmberTopologyBox read_amber_topology_box(const std::filesystem::path& path)
{
    Diagnostics faults;
    AmberSections file(path, faults);
    const amber::Source source = amber::open(file, faults);
    AmberTopologyBox cell;
    cell.atoms = static_cast<std::int32_t>(source.pointers.atoms);
    cell.ifbox = static_cast<int>(source.pointers.box);
    if (cell.ifbox > 0 && file.has("BOX_DIMENSIONS")) {
        const auto values = file.reals("BOX_DIMENSIONS", 4, "beta, a, b, c");
        faults.throw_if_any();
        const double beta = values[0];
        // the file gives one angle for three: the truncated octahedron has it everywhere
        const bool is_octahedron = std::abs(beta - 109.4712190) < 0.01;
        const Vec3 angles = is_octahedron ? Vec3{beta, beta, beta} : Vec3{90, beta, 90};
        if (values[1] > 0 && values[2] > 0 && values[3] > 0) {
            try {
                cell.box = Box::from_lengths_and_angles(
                    units::angstrom * Vec3{values[1], values[2], values[3]}, angles);
            } catch (const InputError& fault) {
                file.error("BOX_DIMENSIONS", 0, fault.what(), "correct beta, a, b, c");
            }
        }
    }
    faults.throw_if_any();
    return cell;
}

} // namespace tessera
