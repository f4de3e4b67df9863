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
    if (n.types * n.types > file.characters()) {
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
    topology.atom_name = file.words("ATOM_NAME", n, "POINTERS NATOM");
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

void add_pair_table(const PairCoefficients& pairs, Topology& topology)
{
    PairTable& table = topology.pairs;
    table.types = pairs.types;
    const std::size_t cells =
        static_cast<std::size_t>(pairs.types) * static_cast<std::size_t>(pairs.types);
    table.c6.assign(cells, 0);
    table.c12.assign(cells, 0);
    table.c4.assign(pairs.c.empty() ? 0 : cells, 0);
    for (std::size_t k = 0; k < cells; ++k) {
        if (pairs.index[k] > 0) {
            const auto row = static_cast<std::size_t>(pairs.index[k] - 1);
            table.c12[k] = pairs.a[row];
            table.c6[k] = pairs.b[row];
            if (!pairs.c.empty()) {
                table.c4[k] = pairs.c[row];
            }
        }
    }
    table.sigma.assign(static_cast<std::size_t>(pairs.types), 0);
    table.epsilon.assign(static_cast<std::size_t>(pairs.types), 0);
    for (std::int32_t t = 0; t < pairs.types; ++t) {
        const double c6 = table.c6[table.at(t, t)], c12 = table.c12[table.at(t, t)];
        if (c6 > 0 && c12 > 0) {
            table.sigma[static_cast<std::size_t>(t)] = std::pow(c12 / c6, 1.0 / 6.0);
            table.epsilon[static_cast<std::size_t>(t)] = c6 * c6 / (4 * c12);
        }
    }
}

void add_exclusions(const Source& source, Topology& topology)
{
    AmberSections& file = source.file;
    const std::size_t n = source.atoms();
    const auto counts = file.integers("NUMBER_EXCLUDED_ATOMS", n, "POINTERS NATOM");
    const auto list = file.integers(
        "EXCLUDED_ATOMS_LIST", static_cast<std::size_t>(source.pointers.excluded), "POINTERS NNB");
    std::vector<std::vector<std::int32_t>> partners(n);
    std::int64_t next = 0;
    for (std::size_t a = 0; a < n; ++a) {
        if (counts[a] < 0 || counts[a] > static_cast<std::int64_t>(list.size()) - next) {
            file.error("NUMBER_EXCLUDED_ATOMS", static_cast<std::int64_t>(a),
                       fmt::format("{} excluded atoms, but EXCLUDED_ATOMS_LIST holds {} more",
                                   counts[a], static_cast<std::int64_t>(list.size()) - next),
                       "the two sections disagree: write the file anew");
            break;
        }
        for (std::int64_t k = 0; k < counts[a]; ++k, ++next) {
            const std::int64_t b = list[static_cast<std::size_t>(next)];
            if (b == 0) {
                continue; // the placeholder of an atom that excludes nothing
            }
            if (b < 0 || b > source.pointers.atoms || b == static_cast<std::int64_t>(a) + 1) {
                file.error("EXCLUDED_ATOMS_LIST", next,
                           fmt::format("atom {} cannot exclude atom {} (there are {} atoms)", a + 1,
                                       b, source.pointers.atoms),
                           "the file is damaged: write it anew");
                continue;
            }
            partners[a].push_back(static_cast<std::int32_t>(b - 1));
            partners[static_cast<std::size_t>(b - 1)].push_back(static_cast<std::int32_t>(a));
        }
    }
    if (next != static_cast<std::int64_t>(list.size()) && next > 0) {
        file.error("EXCLUDED_ATOMS_LIST", -1,
                   fmt::format("the section holds {} values, but NUMBER_EXCLUDED_ATOMS sums to {}",
                               list.size(), next),
                   "the two sections disagree: write the file anew");
    }
    for (auto& row : partners) {
        std::sort(row.begin(), row.end());
        row.erase(std::unique(row.begin(), row.end()), row.end());
        topology.exclusions.add_row(row);
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

PairCoefficients read_pair_coefficients(const Source& source)
{
    AmberSections& file = source.file;
    const std::int64_t types = source.pointers.types;
    const auto rows = static_cast<std::size_t>(types * (types + 1) / 2);
    const std::string why = "NTYPES (NTYPES + 1) / 2";
    PairCoefficients pairs;
    pairs.types = static_cast<std::int32_t>(types);
    pairs.index = file.integers("NONBONDED_PARM_INDEX", static_cast<std::size_t>(types * types),
                                "NTYPES squared");
    pairs.a = file.reals("LENNARD_JONES_ACOEF", rows, why);
    pairs.b = file.reals("LENNARD_JONES_BCOEF", rows, why);
    pairs.a14 = pairs.a;
    pairs.b14 = pairs.b;
    if (source.chamber && file.has("LENNARD_JONES_14_ACOEF")) {
        pairs.a14 = file.reals("LENNARD_JONES_14_ACOEF", rows, why);
        pairs.b14 = file.reals("LENNARD_JONES_14_BCOEF", rows, why);
    }
    if (file.has("LENNARD_JONES_CCOEF")) {
        pairs.c = file.reals("LENNARD_JONES_CCOEF", rows, why);
    }
    const auto hydrogen_bonds = static_cast<std::size_t>(source.pointers.hydrogen_bond_types);
    const auto hbond_a = file.reals("HBOND_ACOEF", hydrogen_bonds, "POINTERS NPHB");
    const auto hbond_b = file.reals("HBOND_BCOEF", hydrogen_bonds, "POINTERS NPHB");

    bool refused = false;
    for (std::size_t k = 0; k < pairs.index.size(); ++k) {
        const std::int64_t row = pairs.index[k];
        const auto place = static_cast<std::int64_t>(k);
        if (row > static_cast<std::int64_t>(rows) ||
            -row > static_cast<std::int64_t>(hydrogen_bonds)) {
            file.error("NONBONDED_PARM_INDEX", place,
                       fmt::format("{} names no pair of parameters (there are {}, and {} of 10-12 "
                                   "hydrogen bonds)",
                                   row, rows, hydrogen_bonds),
                       "the file is damaged: write it anew");
            pairs.index[k] = 0;
        } else if (row < 0) {
            const auto h = static_cast<std::size_t>(-row - 1);
            if ((hbond_a[h] != 0 || hbond_b[h] != 0) && !refused) {
                refused = true;
                file.error(
                    "HBOND_ACOEF", static_cast<std::int64_t>(h),
                    "10-12 hydrogen bonds are not supported (their coefficients are not zero)",
                    "use a force field of 1994 or later, which has none");
            }
            pairs.index[k] = 0;
        }
    }
    for (std::int64_t i = 0; i < types; ++i) {
        for (std::int64_t j = 0; j < i; ++j) {
            if (pairs.index[static_cast<std::size_t>(i * types + j)] !=
                pairs.index[static_cast<std::size_t>(j * types + i)]) {
                file.error("NONBONDED_PARM_INDEX", i * types + j,
                           fmt::format("types {} and {} have other parameters than types {} and {}",
                                       i + 1, j + 1, j + 1, i + 1),
                           "the table must be symmetric: write the file anew");
            }
        }
    }

    const double nm2 = units::angstrom * units::angstrom;
    const double nm6 = nm2 * nm2 * nm2;
    const auto scale = [](std::vector<double>& values, double factor) {
        for (double& v : values) {
            v *= factor;
        }
    };
    scale(pairs.a, units::kilocalorie * nm6 * nm6);
    scale(pairs.b, units::kilocalorie * nm6);
    scale(pairs.a14, units::kilocalorie * nm6 * nm6);
    scale(pairs.b14, units::kilocalorie * nm6);
    scale(pairs.c, units::kilocalorie * nm2 * nm2);
    return pairs;
}

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
    const auto found = std::count(source.is_extra_point.begin(), source.is_extra_point.end(), 1);
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
            cell.box = Box::from_lengths_and_angles(
                units::angstrom * Vec3{values[1], values[2], values[3]}, angles);
        }
    }
    faults.throw_if_any();
    return cell;
}

} // namespace tessera
