#pragma once

#include "engine/base/diagnostic.hpp"
#include "engine/model/topology.hpp"
#include "engine/plans/settings.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera
{

enum class CoulombConstant : std::uint8_t { of_format, gromacs, amber, charmm, codata };

/// Deck table [system].
struct SystemDeck {
    std::filesystem::path topology;
    std::filesystem::path coordinates;
    std::vector<std::filesystem::path> include;
    std::vector<std::string> define; ///< "NAME" or "NAME=VALUE"
    CoulombConstant coulomb_constant = CoulombConstant::of_format;
    bool periodic = true;
    std::optional<std::filesystem::path> restraint_reference;
};

/// How the mesh of [pme] is asked for; what is used is resolved with the cell.
struct PmeDeck {
    std::optional<double> spacing; ///< nm; absent where the grid is given
    double tolerance = 1e-5;
    std::optional<double> beta; ///< 1/nm, instead of tolerance
    double lj_tolerance = 1e-3;
    bool tune = false; ///< choose the fastest of meshes that err no more, before step 0
};

/// What [run] says of the topology rather than of the motion.
struct RunDeck {
    ConstraintChoice constraints = ConstraintChoice::none;
    bool rigid_water = true;
    std::optional<double> hydrogen_mass; ///< u; absent: from the topology
};

/// Deck table [output]. Strides in steps.
struct OutputDeck {
    std::optional<std::filesystem::path> trajectory;
    std::int64_t every = 5000;
    bool double_positions = false;
    double position_grid = 0; ///< nm: the power of two to whose multiples they are rounded; 0: not
    int deflate_level = 0;    ///< of the trajectory's vectors; 0: as they are
    std::int64_t velocities_every = 0; ///< 0: none; `every`: in the frames; else a group apart
    std::int64_t forces_every = 0;
    std::int64_t energies_every = 500;
    std::optional<std::filesystem::path> log;
    std::optional<std::filesystem::path> checkpoint;
    double checkpoint_every = 900;    ///< s
    std::optional<double> time_limit; ///< s
    bool time_limit_of_slurm = false; ///< ask the scheduler
    std::int64_t hash_every = 0;      ///< 0: never
};

enum class Device : std::uint8_t { automatic, cpu };

/// Deck table [compute]; its precision is in Deck::nonbonded.
struct ComputeDeck {
    Device device = Device::automatic;
    int threads = 0;
    std::int64_t check_every = 5000;
};

/// A deck, read: plain values in internal units.
struct Deck {
    std::filesystem::path file;
    SystemDeck system;
    NonbondedSettings nonbonded;   ///< ewald_beta and pme_grid resolved later, with the cell
    double drift_tolerance = 5e-3; ///< kJ/mol/ps an atom
    bool exact_list = false;       ///< rebuild before any pair can be missed
    PmeDeck pme;
    RunDeck run;
    DynamicsSettings dynamics;
    OutputDeck output;
    ComputeDeck compute;

    /// Every key with the value used, defaults included, as TOML: for the log and output files.
    std::vector<std::pair<std::string, std::string>> values;
    /// Where each key's value stands; a key that the deck does not give has the deck as its place.
    std::map<std::string, SourcePlace> places;
    /// Why a key, given or default, changes nothing in this run; others are absent.
    std::map<std::string, std::string> idle;

    [[nodiscard]] SourcePlace place_of(const std::string& path) const;
    /// The same without column and picture, for remarks in which the value itself is not at fault.
    [[nodiscard]] SourcePlace line_of(const std::string& path) const;
    /// Whether the deck (or --set) gives the key.
    [[nodiscard]] bool gives(const std::string& path) const { return places.count(path) > 0; }
};

/// Reads a deck and overrides keys with `sets` ("run.steps=100"). Every fault goes into
/// `diagnostics`; where there is one, the deck returned holds what could be read and serves only
/// to look for further faults. Throws FileError where the file cannot be read.
Deck read_deck(const std::filesystem::path& file, const std::vector<std::string>& sets,
               Diagnostics& diagnostics);

/// The same from text; relative paths are relative to the folder of `file`.
Deck parse_deck(const std::string& text, const std::filesystem::path& file,
                const std::vector<std::string>& sets, Diagnostics& diagnostics);

} // namespace tessera
