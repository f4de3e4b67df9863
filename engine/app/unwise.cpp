#include "engine/app/unwise.hpp"

#include "engine/app/close_pairs.hpp"
#include "engine/cpu/atom_label.hpp"
#include "engine/math/constants.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numeric>
#include <utility>

namespace tessera
{

namespace
{

/// Pairs of atoms whose distance does not change, sorted: a bond between them does not swing.
using HeldPairs = std::vector<std::pair<std::int32_t, std::int32_t>>;

HeldPairs held_pairs(const Topology& topology)
{
    HeldPairs held;
    for (const DistanceConstraint& c : topology.constraints) {
        held.push_back(std::minmax({c.i, c.j}));
    }
    for (const RigidWater& w : topology.rigid_waters) {
        held.push_back(std::minmax({w.o, w.h1}));
        held.push_back(std::minmax({w.o, w.h2}));
        held.push_back(std::minmax({w.h1, w.h2}));
    }
    std::sort(held.begin(), held.end());
    return held;
}

bool is_held(const HeldPairs& held, std::int32_t i, std::int32_t j)
{
    return std::binary_search(held.begin(), held.end(), std::pair(std::minmax({i, j})));
}

template <class Term>
std::size_t free_hydrogen_bonds(const Topology& topology, const HeldPairs& held)
{
    std::size_t found = 0;
    for (const auto& entry : topology.table<Term>().entries) {
        const auto i = static_cast<std::size_t>(entry.atom[0]);
        const auto j = static_cast<std::size_t>(entry.atom[1]);
        const bool massive = topology.mass[i] > 0 && topology.mass[j] > 0;
        const bool hydrogen = topology.is_hydrogen[i] != 0 || topology.is_hydrogen[j] != 0;
        found += massive && hydrogen && !is_held(held, entry.atom[0], entry.atom[1]) ? 1 : 0;
    }
    return found;
}

void warn(Diagnostics& diagnostics, const SourcePlace& place, std::string what, std::string hint)
{
    diagnostics.warning({place, std::move(what), "", std::move(hint)});
}

void hydrogen_bonds(const Deck& deck, const Topology& topology, Diagnostics& diagnostics)
{
    if (!(deck.dynamics.timestep > 0.001 * (1 + 1e-9))) {
        return;
    }
    const HeldPairs held = held_pairs(topology);
    const std::size_t bonds = free_hydrogen_bonds<HarmonicBond>(topology, held) +
                              free_hydrogen_bonds<G96Bond>(topology, held) +
                              free_hydrogen_bonds<MorseBond>(topology, held) +
                              free_hydrogen_bonds<CubicBond>(topology, held);
    if (bonds > 0) {
        warn(diagnostics, deck.place_of("run.timestep"),
             fmt::format("{} bonds to hydrogen are free, and the step is {:.4g} fs (they swing in "
                         "about 10 fs)",
                         bonds, deck.dynamics.timestep * 1e3),
             "set constraints = \"h-bonds\", or timestep = \"1 fs\" at most");
    }
}

/// A free bond of a topology with its period, 2 pi sqrt(mu / k).
struct Vibration {
    std::int32_t i = 0, j = 0;
    double period = std::numeric_limits<double>::infinity(); ///< ps
};

Vibration fastest_vibration(const Topology& topology)
{
    Vibration fastest;
    const auto& bonds = topology.table<HarmonicBond>();
    const HeldPairs held = bonds.empty() ? HeldPairs() : held_pairs(topology);
    for (const auto& entry : bonds.entries) {
        const double mass_i = topology.mass[static_cast<std::size_t>(entry.atom[0])];
        const double mass_j = topology.mass[static_cast<std::size_t>(entry.atom[1])];
        const double k = bonds.parameters[static_cast<std::size_t>(entry.parameter)].k;
        if (mass_i > 0 && mass_j > 0 && k > 0 && !is_held(held, entry.atom[0], entry.atom[1])) {
            const double reduced = mass_i * mass_j / (mass_i + mass_j);
            const double period = 2 * constants::pi * std::sqrt(reduced / k);
            if (period < fastest.period) {
                fastest = {entry.atom[0], entry.atom[1], period};
            }
        }
    }
    return fastest;
}

/// Verlet's scheme is unstable from a step of period / pi on.
void fast_motion(const Deck& deck, const Topology& topology, Diagnostics& diagnostics)
{
    const double step = deck.dynamics.timestep;
    const Vibration fastest = fastest_vibration(topology);
    const SourcePlace place = deck.place_of("run.timestep");
    constexpr double shortest_period = 0.002; // ps: a quarter of the H2 molecule's
    if (fastest.period < shortest_period) {
        warn(
            diagnostics, place,
            fmt::format("the bond {} - {} would swing in {:.3g} fs, faster than any bond does: "
                        "steps from {:.3g} fs on diverge",
                        atom_label(topology, fastest.i), atom_label(topology, fastest.j),
                        fastest.period * 1e3, fastest.period / constants::pi * 1e3),
            "look at its force constant in the topology (GROMACS: kJ/mol/nm^2), and at the masses");
    } else if (step > fastest.period / constants::pi) {
        warn(diagnostics, place,
             fmt::format("the step of {:.4g} fs is beyond what the fastest motion allows: the bond "
                         "{} - {} swings in {:.3g} fs, and steps from {:.3g} fs on diverge",
                         step * 1e3, atom_label(topology, fastest.i),
                         atom_label(topology, fastest.j), fastest.period * 1e3,
                         fastest.period / constants::pi * 1e3),
             fmt::format("choose at most a tenth of the period: timestep = \"{:.2g} fs\"",
                         fastest.period * 1e2));
    } else if (step > 0.020 * (1 + 1e-9)) {
        const bool water = !topology.rigid_waters.empty();
        warn(diagnostics, place,
             fmt::format("the step of {:.4g} fs is beyond the fastest motion of {}", step * 1e3,
                         water ? "rigid water, which turns to and fro in about 30 fs"
                               : "atoms, which pass each other in about 100 fs"),
             "choose a tenth of that at most");
    }
}

void net_charge(const Deck& deck, const Assembly& assembly, Diagnostics& diagnostics)
{
    const auto& charge = assembly.topology->charge;
    const double sum = std::accumulate(charge.begin(), charge.end(), 0.0);
    if (std::fabs(sum) > 1e-3 && assembly.box.is_periodic() &&
        deck.nonbonded.electrostatics != Electrostatics::none) {
        warn(diagnostics, deck.line_of("system.topology"),
             fmt::format("the system has a net charge of {:+.6g} e ({})", sum,
                         deck.nonbonded.has_coulomb_lattice()
                             ? "a uniform background neutralises it, which acts on the pressure"
                             : "nothing neutralises it"),
             "add counter-ions, unless this is meant");
    }
}

void overlaps(const Deck& deck, const Assembly& assembly, Diagnostics& diagnostics)
{
    constexpr double overlap = 0.05; // nm
    const auto pairs =
        close_pairs(*assembly.topology, assembly.box, assembly.coordinates.positions, overlap, 5);
    if (pairs.empty()) {
        return;
    }
    std::string list;
    for (const ClosePair& pair : pairs) {
        list += fmt::format("{}{} and {}: {:.4f} nm", list.empty() ? "" : "; ",
                            atom_label(*assembly.topology, pair.i),
                            atom_label(*assembly.topology, pair.j), pair.distance);
    }
    warn(diagnostics, deck.place_of("system.coordinates"),
         fmt::format("atoms are closer than {} nm ({})", overlap, list),
         "minimise first (integrator = \"steepest-descent\"), or correct the coordinates");
}

void truncated_coulomb(const Deck& deck, const Assembly& assembly, Diagnostics& diagnostics)
{
    const NonbondedSettings& nonbonded = assembly.nonbonded;
    const auto& charge = assembly.topology->charge;
    const bool charged = std::any_of(charge.begin(), charge.end(), [](double q) { return q != 0; });
    if (charged && nonbonded.electrostatics == Electrostatics::cutoff &&
        !nonbonded.coulomb_potential_shift && std::isfinite(nonbonded.coulomb_cutoff)) {
        warn(diagnostics, deck.place_of("nonbonded.electrostatics"),
             fmt::format("Coulomb energies end abruptly at {:.4g} nm (truncated like this they are "
                         "not conserved: charged systems heat up)",
                         nonbonded.coulomb_cutoff),
             "choose electrostatics = \"pme\" or \"reaction-field\", or "
             "coulomb_modifier = \"potential-shift\"");
    }
}

/// Direct Ewald sums are a reference to compare with, and take atoms times waves in each step.
void slow_reference(const Deck& deck, const Assembly& assembly, Diagnostics& diagnostics)
{
    if (assembly.nonbonded.electrostatics != Electrostatics::ewald) {
        return;
    }
    // half the waves k with exp(-k^2/(4 beta^2)) above 1e-17
    const double largest = 2 * assembly.nonbonded.ewald_beta * std::sqrt(17 * std::log(10.0));
    const double waves =
        assembly.box.volume() * std::pow(largest, 3) / (12 * constants::pi * constants::pi);
    const auto atoms = static_cast<double>(assembly.topology->atoms());
    constexpr double patience = 1e6; // atoms times waves: some hundredths of a second
    if (atoms * waves > patience) {
        warn(diagnostics, deck.place_of("nonbonded.electrostatics"),
             fmt::format("electrostatics = \"ewald\" is the slow reference of the mesh: it sums "
                         "{:.0f} waves for each of {:.0f} atoms in every step",
                         waves, atoms),
             "choose electrostatics = \"pme\", unless this is a comparison");
    }
}

/// The largest sigma of a type that an atom has, nm.
double largest_sigma(const Topology& topology)
{
    double largest = 0;
    const PairTable& pairs = topology.pairs;
    std::vector<std::uint8_t> seen(static_cast<std::size_t>(pairs.types), 0);
    for (const std::int32_t type : topology.type) {
        if (std::exchange(seen[static_cast<std::size_t>(type)], 1) == 0) {
            const double c6 = pairs.c6[pairs.at(type, type)];
            const double c12 = pairs.c12[pairs.at(type, type)];
            largest = c6 > 0 && c12 > 0 ? std::max(largest, std::pow(c12 / c6, 1.0 / 6)) : largest;
        }
    }
    return largest;
}

void short_cutoff(const Deck& deck, const Assembly& assembly, Diagnostics& diagnostics)
{
    const double cutoff = assembly.nonbonded.lj_cutoff;
    const double sigma = largest_sigma(*assembly.topology);
    if (cutoff < sigma) {
        const char* const key =
            deck.gives("nonbonded.lj_cutoff") ? "nonbonded.lj_cutoff" : "nonbonded.cutoff";
        warn(diagnostics, deck.place_of(key),
             fmt::format("the cut-off of {:.4g} nm is shorter than the largest atoms are wide "
                         "(sigma {:.4g} nm): they hardly feel each other",
                         cutoff, sigma),
             "check its unit; about three times sigma is usual");
    }
}

/// No atom has such a charge, and hardly a colloid.
void unlikely_charges(const Deck& deck, const Topology& topology, Diagnostics& diagnostics)
{
    constexpr double largest = 20; // e
    const auto is_large = [](double q) { return std::fabs(q) > largest; };
    const auto first = std::find_if(topology.charge.begin(), topology.charge.end(), is_large);
    if (first == topology.charge.end()) {
        return;
    }
    const auto count = std::count_if(first, topology.charge.end(), is_large);
    const auto atom = static_cast<std::int32_t>(first - topology.charge.begin());
    warn(diagnostics, deck.line_of("system.topology"),
         fmt::format("atom {} has a charge of {:.4g} e{}", atom_label(topology, atom), *first,
                     count > 1 ? fmt::format(", and {} more are beyond {} e", count - 1, largest)
                               : ""),
         "check the charges of [ atoms ], or the prmtop's CHARGE");
}

/// Metals have 100 kJ/mol at most.
void unlikely_attraction(const Deck& deck, const Topology& topology, Diagnostics& diagnostics)
{
    constexpr double deepest = 1000; // kJ/mol
    const PairTable& pairs = topology.pairs;
    for (std::size_t a = 0; a < topology.type.size(); ++a) {
        const std::size_t own = pairs.at(topology.type[a], topology.type[a]);
        const double c6 = pairs.c6[own], c12 = pairs.c12[own];
        const double depth = c6 > 0 && c12 > 0 ? 0.25 * c6 * (c6 / c12) : 0;
        if (depth > deepest) {
            warn(diagnostics, deck.line_of("system.topology"),
                 fmt::format("atom {} has a Lennard-Jones epsilon of {:.4g} kJ/mol, a thousand "
                             "times that of atoms",
                             atom_label(topology, static_cast<std::int32_t>(a)), depth),
                 "check the numbers of its type and their unit");
            return; // others may be of the same type
        }
    }
}

/// Under pressure a cell of a wrong unit ends in a collapse, or a start that nothing holds.
void unlikely_density(const Deck& deck, const Assembly& assembly, Diagnostics& diagnostics)
{
    constexpr std::int64_t liquid = 100;       // atoms: fewer are a test, or a gas
    constexpr double grams = 1.66053906660e-3; // g/cm3 of 1 u/nm3
    const Topology& topology = *assembly.topology;
    if (deck.dynamics.barostat == BarostatKind::none || !assembly.box.is_periodic() ||
        topology.atoms() < liquid) {
        return;
    }
    const double mass = std::accumulate(topology.mass.begin(), topology.mass.end(), 0.0);
    const double density = grams * mass / assembly.box.volume();
    if (density < 0.1 || density > 5) {
        warn(diagnostics, deck.place_of("system.coordinates"),
             fmt::format(
                 "the density is {:.3g} g/cm3, far from that of most liquids: the barostat may "
                 "change the cell a lot",
                 density),
             "unless it is meant, check the cell and its unit (.gro: nm), and the number of "
             "molecules");
    }
}

/// Time steps are chosen for hydrogen: what is far lighter flies off, far heavier does not move.
void unlikely_masses(const Deck& deck, const Topology& topology, Diagnostics& diagnostics)
{
    constexpr double lightest = 0.1, heaviest = 1e5; // u
    std::int64_t count = 0, first = -1;
    for (std::size_t a = 0; a < topology.mass.size(); ++a) {
        const double mass = topology.mass[a];
        if (mass > 0 && !(mass >= lightest && mass <= heaviest)) {
            first = count++ == 0 ? static_cast<std::int64_t>(a) : first;
        }
    }
    if (count > 0) {
        warn(diagnostics, deck.line_of("system.topology"),
             fmt::format("atom {} has a mass of {:.4g} u{} ({})",
                         atom_label(topology, static_cast<std::int32_t>(first)),
                         topology.mass[static_cast<std::size_t>(first)],
                         count > 1 ? fmt::format(", and {} more are below {} or above {:g} u",
                                                 count - 1, lightest, heaviest)
                                   : "",
                         topology.mass[static_cast<std::size_t>(first)] < lightest
                             ? "at room temperature it moves too far in a step"
                             : "it hardly moves"),
             "check the masses of [ atomtypes ] and [ atoms ], or the prmtop's MASS");
    }
}

void narrow_box(const Deck& deck, const Assembly& assembly, Diagnostics& diagnostics)
{
    const double cutoff = assembly.nonbonded.cutoff();
    if (!assembly.box.is_periodic() || !std::isfinite(cutoff)) {
        return;
    }
    const double limit = 0.5 * assembly.box.shortest_height();
    const double margin = limit / cutoff - 1;
    if (margin < 0.05 && deck.dynamics.barostat == BarostatKind::none) {
        warn(diagnostics, deck.place_of("nonbonded.cutoff"),
             fmt::format("the cut-off all but fills the box (half its shortest height is {:.5g} "
                         "nm, the cut-off {:.5g} nm: a margin of {:.1f} %)",
                         limit, cutoff, 100 * margin),
             "choose a larger box or a smaller cut-off; under pressure the box would soon be too "
             "small");
    } else if (margin < 0.05) {
        warn(diagnostics, deck.place_of("barostat.kind"),
             fmt::format("the box may shrink towards the cut-off (half its shortest height is "
                         "{:.5g} nm, the cut-off {:.5g} nm: a margin of {:.1f} %)",
                         limit, cutoff, 100 * margin),
             "choose a larger box or a smaller cut-off");
    }
}

} // namespace

void warn_of_unwise(const Deck& deck, const Assembly& assembly, bool dynamics,
                    Diagnostics& diagnostics)
{
    net_charge(deck, assembly, diagnostics);
    unlikely_charges(deck, *assembly.topology, diagnostics);
    unlikely_attraction(deck, *assembly.topology, diagnostics);
    overlaps(deck, assembly, diagnostics);
    if (dynamics) {
        if (!deck.dynamics.minimises()) {
            hydrogen_bonds(deck, *assembly.topology, diagnostics);
            truncated_coulomb(deck, assembly, diagnostics);
            fast_motion(deck, *assembly.topology, diagnostics);
            unlikely_masses(deck, *assembly.topology, diagnostics);
            unlikely_density(deck, assembly, diagnostics);
        }
        narrow_box(deck, assembly, diagnostics);
        slow_reference(deck, assembly, diagnostics);
        short_cutoff(deck, assembly, diagnostics);
    }
}

} // namespace tessera
