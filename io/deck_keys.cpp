#include "io/deck_keys.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera
{

namespace
{

using K = KeyKind;
using D = Dimension;

const std::vector<DeckKey>& table()
{
    static const std::vector<DeckKey> keys = {
        {"system.topology",
         K::path,
         D::none,
         "",
         "what the system is made of: .top, .prmtop or .parm7, plain or .gz; required",
         {}},
        {"system.coordinates",
         K::path,
         D::none,
         "",
         "where its atoms are: .gro .g96 .pdb .crd .inpcrd .rst7 (text or NetCDF) .h5md; "
         "velocities "
         "and box are taken where present; required",
         {}},
        {"system.include",
         K::text_list,
         D::none,
         "[]",
         "further folders in which #include of a .top looks",
         {}},
        {"system.define",
         K::text_list,
         D::none,
         "[]",
         "names defined for the preprocessor of a .top, with or without =VALUE",
         {}},
        {"system.coulomb_constant",
         K::choice,
         D::none,
         "",
         "whose value of the Coulomb constant; default: the one of the topology's format",
         {{"gromacs"}, {"amber"}, {"charmm"}, {"codata"}}},
        {"system.periodic",
         K::flag,
         D::none,
         "true",
         "false: a box in the file is ignored; without a cut-off every pair counts",
         {}},
        {"system.restraint_reference",
         K::path,
         D::none,
         "",
         "coordinates that position restraints hold to; default: the start coordinates, with a "
         "warning",
         {}},

        {"nonbonded.cutoff",
         K::quantity,
         D::length,
         "",
         "cut-off of both Lennard-Jones and Coulomb; required when periodic",
         {}},
        {"nonbonded.lj_cutoff",
         K::quantity,
         D::length,
         "",
         "cut-off of Lennard-Jones; instead of cutoff, with coulomb_cutoff",
         {}},
        {"nonbonded.coulomb_cutoff",
         K::quantity,
         D::length,
         "",
         "cut-off of Coulomb; instead of cutoff, with lj_cutoff",
         {}},
        {"nonbonded.lj_modifier",
         K::choice,
         D::none,
         "\"potential-shift\"",
         "how Lennard-Jones ends at the cut-off",
         {{"none"}, {"potential-shift"}, {"force-switch"}, {"potential-switch"}}},
        {"nonbonded.lj_switch",
         K::quantity,
         D::length,
         "\"0.8 nm\"",
         "where the switch of force-switch and potential-switch begins",
         {}},
        {"nonbonded.dispersion_correction",
         K::choice,
         D::none,
         "\"none\"",
         "the long-range correction of r^-6",
         {{"none"}, {"energy"}, {"energy-and-pressure"}}},
        {"nonbonded.electrostatics",
         K::choice,
         D::none,
         "\"pme\"",
         "how Coulomb is summed; \"cutoff\" where periodic = false and none is given",
         {{"pme"}, {"reaction-field"}, {"cutoff"}, {"ewald"}, {"none"}}},
        {"nonbonded.coulomb_modifier",
         K::choice,
         D::none,
         "\"none\"",
         "how Coulomb ends at the cut-off",
         {{"none"}, {"potential-shift"}}},
        {"nonbonded.reaction_field_permittivity",
         K::number_or_inf,
         D::none,
         "78.0",
         "relative permittivity beyond the cut-off; inf: a conductor",
         {}},
        {"nonbonded.drift_tolerance",
         K::quantity_or_word,
         D::energy_rate,
         "\"5e-3 kJ/mol/ps\"",
         "energy drift an atom that the pair list may cause; \"exact\": none. Today the list is "
         "rebuilt before any pair can be missed at any value",
         {{"exact"}}},

        {"pme.spacing",
         K::quantity,
         D::length,
         "\"0.12 nm\"",
         "largest spacing of the mesh; or give grid",
         {}},
        {"pme.grid",
         K::grid,
         D::none,
         "",
         "mesh points along the cell vectors, instead of spacing",
         {}},
        {"pme.order", K::count, D::none, "4", "order of the B-splines, 3 to 12", {}},
        {"pme.tolerance",
         K::number,
         D::none,
         "1e-5",
         "erfc(beta * cutoff), which sets beta; or give beta",
         {}},
        {"pme.beta",
         K::quantity,
         D::inverse_length,
         "",
         "Ewald splitting parameter, instead of tolerance",
         {}},
        {"pme.tune",
         K::flag,
         D::none,
         "false",
         "true: try meshes with splines of orders 4 to 8 before step 0 and take the fastest that "
         "errs no more than the one asked for",
         {}},
        {"pme.lj", K::flag, D::none, "false", "true: LJ-PME, r^-6 summed on the mesh too", {}},
        {"pme.lj_tolerance",
         K::number,
         D::none,
         "1e-3",
         "relative size of the r^-6 term at the cut-off, which sets its splitting parameter",
         {}},
        {"pme.lj_combination",
         K::choice,
         D::none,
         "\"geometric\"",
         "combination rule of the LJ mesh",
         {{"geometric"}, {"lorentz-berthelot", false}}},

        {"run.integrator",
         K::choice,
         D::none,
         "\"leap-frog\"",
         "how the state moves; langevin is BAOAB",
         {{"leap-frog"},
          {"velocity-verlet"},
          {"langevin"},
          {"steepest-descent"},
          {"l-bfgs", false}}},
        {"run.timestep", K::quantity, D::time, "\"2 fs\"", "time step", {}},
        {"run.steps",
         K::count,
         D::none,
         "5000",
         "steps in all, counted from step 0, also with --continue; or give duration",
         {}},
        {"run.duration", K::quantity, D::time, "", "time in all, instead of steps", {}},
        {"run.seed", K::count, D::none, "42", "seed of every random number", {}},
        {"run.constraints",
         K::choice,
         D::none,
         "\"none\"",
         "bonds held at their length; h-bonds: those whose atom's name begins with H (GROMACS) or "
         "that stand in BONDS_INC_HYDROGEN (Amber)",
         {{"none"}, {"h-bonds"}, {"all-bonds"}}},
        {"run.rigid_water",
         K::flag,
         D::none,
         "true",
         "SETTLE whatever constraints says; false: the bonds and angles of the file",
         {}},
        {"run.hydrogen_mass",
         K::quantity_or_word,
         D::mass,
         "\"from-topology\"",
         "mass of hydrogens, taken from the bonded heavy atom; rigid water keeps its masses",
         {{"from-topology"}}},
        {"run.velocities",
         K::choice,
         D::none,
         "\"from-file\"",
         "velocities at step 0",
         {{"from-file"}, {"maxwell-boltzmann"}}},
        {"run.temperature",
         K::quantity,
         D::temperature,
         "",
         "temperature of velocities = \"maxwell-boltzmann\"; required there",
         {}},
        {"run.remove_com_motion",
         K::count,
         D::none,
         "100",
         "steps between removals of the motion of the centre of mass; 0 never; langevin: every "
         "step, or 0",
         {}},
        {"run.minimizer_step",
         K::quantity,
         D::length,
         "\"0.01 nm\"",
         "first step of steepest-descent",
         {}},
        {"run.minimizer_tolerance",
         K::quantity,
         D::force,
         "\"10 kJ/mol/nm\"",
         "largest force at which steepest-descent stops",
         {}},

        {"thermostat.kind",
         K::choice,
         D::none,
         "\"none\"",
         "langevin makes the integrator langevin where run.integrator is not given",
         {{"none"}, {"v-rescale"}, {"nose-hoover", false}, {"langevin"}, {"berendsen", false}}},
        {"thermostat.temperature",
         K::quantity,
         D::temperature,
         "",
         "reference temperature; required with a thermostat",
         {}},
        {"thermostat.time_constant",
         K::quantity,
         D::time,
         "\"1 ps\"",
         "relaxation time; langevin: 1/gamma",
         {}},
        {"thermostat.seed", K::count, D::none, "", "seed of its noise; default: run.seed", {}},

        {"barostat.kind",
         K::choice,
         D::none,
         "\"none\"",
         "what holds the pressure",
         {{"none"},
          {"c-rescale"},
          {"parrinello-rahman", false},
          {"monte-carlo", false},
          {"berendsen", false}}},
        {"barostat.pressure",
         K::quantity,
         D::pressure,
         "",
         "reference pressure; required with a barostat",
         {}},
        {"barostat.time_constant", K::quantity, D::time, "\"2 ps\"", "relaxation time", {}},
        {"barostat.compressibility",
         K::quantity,
         D::compressibility,
         "\"4.5e-5 /bar\"",
         "compressibility of the system",
         {}},
        {"barostat.coupling",
         K::choice,
         D::none,
         "\"isotropic\"",
         "which parts of the cell move",
         {{"isotropic"}, {"semi-isotropic", false}, {"anisotropic", false}}},

        {"output.trajectory",
         K::path_or_none,
         D::none,
         "\"traj.h5md\"",
         "trajectory file (H5MD); \"none\": no file",
         {}},
        {"output.every",
         K::quantity,
         D::time,
         "\"10 ps\"",
         "time between frames, a whole number of steps",
         {}},
        {"output.position_precision",
         K::choice,
         D::none,
         "\"float32\"",
         "of positions in the trajectory",
         {{"float32"}, {"float64"}}},
        {"output.position_rounding",
         K::quantity_or_word,
         D::length,
         "\"none\"",
         "positions of the trajectory lose digits, so that they can be compressed: they are "
         "rounded "
         "to multiples of the largest power of two (in nm) that is not above this length, "
         "1e-6 to 0.01 nm",
         {{"none"}}},
        {"output.compression",
         K::choice,
         D::none,
         "\"none\"",
         "of positions, images, velocities and forces in the trajectory, frame by frame; nothing "
         "is "
         "lost",
         {{"none"}, {"deflate-1"}, {"deflate-4"}}},
        {"output.velocities",
         K::flag_or_quantity,
         D::time,
         "false",
         "velocities in the trajectory: at its stride (true, or that very time), or at a stride of "
         "their own, in the particle group trajectory_velocity",
         {}},
        {"output.forces",
         K::flag_or_quantity,
         D::time,
         "false",
         "forces in the trajectory: at its stride (true, or that very time), or at a stride of "
         "their own, in the particle group trajectory_force",
         {}},
        {"output.energies_every",
         K::quantity,
         D::time,
         "\"1 ps\"",
         "time between rows of energies, a whole number of steps",
         {}},
        {"output.log", K::path_or_none, D::none, "\"run.log\"", "log file; \"none\": no file", {}},
        {"output.checkpoint",
         K::path_or_none,
         D::none,
         "\"state.h5\"",
         "checkpoint file, which --continue needs; \"none\": no file",
         {}},
        {"output.checkpoint_every",
         K::quantity,
         D::wall_time,
         "\"15 min\"",
         "wall-clock time between checkpoints",
         {}},
        {"output.time_limit",
         K::quantity_or_word,
         D::wall_time,
         "\"none\"",
         "wall-clock time after which the run stops with a checkpoint; \"slurm\": asks the "
         "scheduler",
         {{"none"}, {"slurm"}}},
        {"output.hash_every",
         K::count,
         D::none,
         "0",
         "debugging: steps between hashes of the state and of every phase of the step in the log; "
         "0 "
         "never",
         {}},

        {"compute.device",
         K::choice,
         D::none,
         "\"auto\"",
         "where forces are computed; \"cuda\" never falls back",
         {{"auto"}, {"cpu"}, {"cuda", false}}},
        {"compute.precision",
         K::choice,
         D::none,
         "\"mixed\"",
         "arithmetic of the forces",
         {{"mixed"}, {"fp64"}, {"tf32", false}, {"tf32-1x", false}}},
        {"compute.threads", K::count, D::none, "0", "threads; 0: all cores given to the rank", {}},
        {"compute.reproducible",
         K::flag,
         D::none,
         "true",
         "the same bits for any number of threads, ranks and devices of one kind",
         {}},
        {"compute.portable",
         K::flag,
         D::none,
         "false",
         "true: the same bits on processors of every kind",
         {}},
        {"compute.check_every",
         K::count,
         D::none,
         "5000",
         "steps between checks against the FP64 kernels; 0 never",
         {}},
        {"compute.shuffle_seed",
         K::count,
         D::none,
         "0",
         "debugging: not 0 permutes all that must not reach the bits of a run (numbers of atoms, "
         "pair lists, terms, images, threads' shares)",
         {}},
    };
    return keys;
}

std::string kind_column(const DeckKey& key)
{
    switch (key.kind) {
    case K::path:
        return "file";
    case K::path_or_none:
        return "file or \"none\"";
    case K::text_list:
        return "list of strings";
    case K::flag:
        return "true or false";
    case K::flag_or_quantity:
        return fmt::format("true, false or {}", name_of(key.dimension));
    case K::count:
        return "whole number";
    case K::number:
        return "number";
    case K::number_or_inf:
        return "number or inf";
    case K::grid:
        return "three whole numbers";
    case K::quantity:
        return fmt::format("{} ({})", name_of(key.dimension), units_in_words(key.dimension));
    case K::quantity_or_word:
        return fmt::format("{} ({}), or {}", name_of(key.dimension), units_in_words(key.dimension),
                           choices_in_words(key, false));
    case K::choice: {
        std::string out;
        for (const KeyChoice& choice : key.choices) {
            out += fmt::format("{}\"{}\"{}", out.empty() ? "" : ", ", choice.word,
                               choice.built ? "" : " (not built yet)");
        }
        return out;
    }
    }
    return {};
}

} // namespace

const std::vector<DeckKey>& deck_keys()
{
    return table();
}

const DeckKey* find_deck_key(std::string_view path)
{
    const auto& keys = deck_keys();
    const auto found = std::find_if(keys.begin(), keys.end(),
                                    [&](const DeckKey& key) { return key.path == path; });
    return found == keys.end() ? nullptr : &*found;
}

const std::vector<std::string>& deck_tables()
{
    static const std::vector<std::string> tables = [] {
        std::vector<std::string> out;
        for (const DeckKey& key : deck_keys()) {
            const std::string name(key.path.substr(0, key.path.find('.')));
            if (out.empty() || out.back() != name) {
                out.push_back(name);
            }
        }
        return out;
    }();
    return tables;
}

std::string choices_in_words(const DeckKey& key, bool built_only)
{
    std::vector<std::string_view> words;
    for (const KeyChoice& choice : key.choices) {
        if (choice.built || !built_only) {
            words.push_back(choice.word);
        }
    }
    std::string out;
    for (std::size_t k = 0; k < words.size(); ++k) {
        out += k == 0 ? "" : (k + 1 == words.size() ? " or " : ", ");
        out += fmt::format("\"{}\"", words[k]);
    }
    return out;
}

std::string deck_reference()
{
    std::string out =
        "# Keys of the deck\n\n"
        "Made by `tessera check --list-keys`; edit io/deck_keys.cpp, not this page.\n\n"
        "A dimensioned value is a string with its unit; the units in brackets would do. Paths are\n"
        "relative to the deck. `tessera COMMAND DECK --set TABLE.KEY=VALUE` overrides one key.\n";
    for (const std::string& name : deck_tables()) {
        out += fmt::format("\n## [{}]\n\n| key | value | default | meaning |\n|---|---|---|---|\n",
                           name);
        for (const DeckKey& key : deck_keys()) {
            if (key.path.substr(0, key.path.find('.')) != name) {
                continue;
            }
            out += fmt::format("| {} | {} | {} | {} |\n", key.path.substr(name.size() + 1),
                               kind_column(key), key.default_value, key.doc);
        }
    }
    return out;
}

} // namespace tessera
