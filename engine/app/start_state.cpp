#include "engine/app/start_state.hpp"

#include "engine/app/start_faults.hpp"
#include "io/same_deck_value.hpp"
#include "io/topology_hash.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace tessera
{

namespace
{

constexpr const char* mesh_key = "settings.pme_grid";
constexpr const char* trajectory_key = "output.trajectory";
constexpr const char* last_frame_key = "output.last_frame";
constexpr const char* beta_key = "settings.ewald_beta";

constexpr const char* part_prefix = "topology."; ///< no table of a deck

/// Keys that act through the topology alone, which is compared as it is.
bool is_of_topology(const std::string& key)
{
    static const std::array<std::string, 5> names = {"system.define", "system.coulomb_constant",
                                                     "run.constraints", "run.rigid_water",
                                                     "run.hydrogen_mass"};
    return std::find(names.begin(), names.end(), key) != names.end();
}

/// Keys a continued run may change: how long, what is written, where it is computed, and what acts
/// at step 0 alone.
bool is_free(const std::string& key)
{
    static const std::array<std::string, 13> names = {"run.steps",
                                                      "run.duration",
                                                      "system.topology",
                                                      "system.coordinates",
                                                      "system.include",
                                                      "system.restraint_reference",
                                                      "compute.threads",
                                                      "compute.device",
                                                      "compute.check_every",
                                                      "run.velocities",
                                                      "compute.shuffle_seed",
                                                      "run.temperature",
                                                      "pme.tune"};
    return key.rfind("output.", 0) == 0 || key.rfind(part_prefix, 0) == 0 ||
           std::find(names.begin(), names.end(), key) != names.end();
}

std::map<std::string, std::string> settings_of(const std::string& text)
{
    std::map<std::string, std::string> out;
    std::size_t begin = 0;
    while (begin < text.size()) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string line = text.substr(begin, end - begin);
        if (const auto equals = line.find(" = "); equals != std::string::npos) {
            out[line.substr(0, equals)] = line.substr(equals + 3);
        }
        begin = end + 1;
    }
    return out;
}

std::string settings_of_topology(const Deck& deck)
{
    std::string out;
    for (const auto& [key, value] : deck.values) {
        if (is_of_topology(key)) {
            out += fmt::format("{} = {}\n", key, value);
        }
    }
    return out;
}

std::string difference(const std::string& key, const std::string& old_value,
                       const std::string& new_value)
{
    return fmt::format("\n  {}: {} in the checkpoint, {} in the deck", key,
                       old_value.empty() ? "not given" : old_value,
                       new_value.empty() ? "not given" : new_value);
}

} // namespace

State start_state(const Deck& deck, const Assembly& assembly, Diagnostics& diagnostics)
{
    const Coordinates& coordinates = assembly.coordinates;
    State state;
    state.box = assembly.box;
    state.position.reserve(coordinates.positions.size());
    for (const Vec3& x : coordinates.positions) {
        state.position.push_back(to_grid(x));
    }
    const bool from_file = !deck.dynamics.generate_velocities && !deck.dynamics.minimises();
    state.velocity.assign(coordinates.positions.size(), Vec3{});
    if (from_file && !coordinates.velocities.empty()) {
        state.velocity = coordinates.velocities;
        state.velocities_half_step_behind = deck.dynamics.integrator == Integrator::leap_frog;
    } else if (from_file) {
        diagnostics.warning(
            {deck.place_of("system.coordinates"),
             fmt::format("{} has no velocities{}: the run begins at rest",
                         deck.system.coordinates.string(),
                         coordinates.why_no_velocities.empty()
                             ? ""
                             : " (" + coordinates.why_no_velocities + ")"),
             "", "set velocities = \"maxwell-boltzmann\" and temperature = \"300 K\" under [run]"});
    }
    look_at_start(deck, assembly, diagnostics);
    return state;
}

std::string binding_settings(const Deck& deck)
{
    std::string out;
    for (const auto& [key, value] : deck.values) {
        if (!is_free(key)) {
            out += fmt::format("{} = {}\n", key, value);
        }
    }
    return out;
}

void check_same_settings(const Deck& deck, const Checkpoint& checkpoint, const std::string& file)
{
    const auto before = settings_of(checkpoint.deck_text);
    const auto now = settings_of(binding_settings(deck));
    const auto text_of = [](const std::map<std::string, std::string>& settings,
                            const std::string& key) {
        auto found = settings.find(key);
        if (found == settings.end() && key == "thermostat.seed") {
            found = settings.find("run.seed"); // its default
        }
        return found == settings.end() ? std::string() : found->second;
    };
    // its only use beyond step 0 is as the default of the other
    const bool same_noise = deck.dynamics.thermostat == ThermostatKind::none ||
                            same_deck_value("thermostat.seed", text_of(before, "thermostat.seed"),
                                            text_of(now, "thermostat.seed"));
    const auto acts = [&](const std::string& key) {
        return !is_free(key) && !is_of_topology(key) && deck.idle.count(key) == 0 &&
               !(key == "run.seed" && same_noise);
    };
    std::string differences;
    std::set<std::string> keys;
    for (const auto* settings : {&now, &before}) {
        for (const auto& [key, value] : *settings) {
            keys.insert(key);
        }
    }
    for (const std::string& key : keys) {
        const std::string old_value = text_of(before, key), new_value = text_of(now, key);
        if (acts(key) && !same_deck_value(key, old_value, new_value)) {
            differences += difference(key, old_value, new_value);
        }
    }
    if (!differences.empty()) {
        throw InputError(fmt::format(
            "{}: the deck asks for another run than the one to continue (only steps, output and "
            "where it is computed may change):{}\n hint: restore these values, start anew "
            "without --continue, or start another run from this state: system.coordinates = \"{}\" "
            "and run.velocities = \"from-file\", with another output.checkpoint",
            file, differences, file));
    }
}

void keep_system(const std::string& hash, const Topology& topology, Checkpoint& checkpoint)
{
    checkpoint.topology_hash = hash;
    for (const auto& [part, of_part] : topology_part_hashes(topology)) {
        checkpoint.deck_text += fmt::format("{}{} = {}\n", part_prefix, part, of_part);
    }
}

void check_same_system(const Deck& deck, const std::string& hash, const Topology& topology,
                       const Checkpoint& checkpoint, const std::string& file)
{
    if (checkpoint.topology_hash == hash) {
        return;
    }
    const auto before = settings_of(checkpoint.deck_text);
    std::string what, keys;
    if (const auto atoms = static_cast<std::int64_t>(checkpoint.state.position.size());
        atoms != topology.atoms()) {
        what = fmt::format("it has {} atoms, the deck's has {}", atoms, topology.atoms());
    } else {
        for (const auto& [part, of_part] : topology_part_hashes(topology)) {
            const auto old = before.find(part_prefix + part);
            if (old != before.end() && old->second != of_part) {
                what += (what.empty() ? "" : ", ") + part;
            }
        }
        what = fmt::format("both have {} atoms, but other {}", atoms,
                           what.empty() ? "parameters or names" : what);
    }
    for (const auto& [key, value] : settings_of(settings_of_topology(deck))) {
        const auto old = before.find(key);
        const std::string old_value = old == before.end() ? "" : old->second;
        if (!same_deck_value(key, old_value, value)) {
            keys += difference(key, old_value, value);
        }
    }
    throw InputError(fmt::format(
        "{}: the checkpoint is of another system (topology {} in the file, {} in the deck: {}){}\n "
        "hint: name the checkpoint of this system, restore the topology, or start without "
        "--continue",
        file, checkpoint.topology_hash, hash, what, keys.empty() ? "" : ":" + keys));
}

void keep_trajectory_end(const TrajectoryEnd& end, Checkpoint& checkpoint)
{
    checkpoint.deck_text += fmt::format("{} = {}\n", trajectory_key, end.file);
    checkpoint.integers[last_frame_key] = {end.last_frame};
}

TrajectoryEnd trajectory_end(const Checkpoint& checkpoint)
{
    TrajectoryEnd out;
    const auto settings = settings_of(checkpoint.deck_text);
    if (const auto file = settings.find(trajectory_key); file != settings.end()) {
        out.file = file->second;
    }
    const auto step = checkpoint.integers.find(last_frame_key);
    if (step != checkpoint.integers.end() && step->second.size() == 1) {
        out.last_frame = step->second.front();
    }
    return out;
}

void keep_mesh(const NonbondedSettings& nonbonded, Checkpoint& checkpoint)
{
    const auto& grid = nonbonded.pme_grid;
    checkpoint.integers[mesh_key] = {grid[0], grid[1], grid[2], nonbonded.pme_order};
    checkpoint.doubles[beta_key] = {nonbonded.ewald_beta, nonbonded.lj_ewald_beta};
}

void take_mesh(const Checkpoint& checkpoint, NonbondedSettings& nonbonded)
{
    const auto grid = checkpoint.integers.find(mesh_key);
    const auto beta = checkpoint.doubles.find(beta_key);
    if (grid == checkpoint.integers.end() || grid->second.size() < 3 ||
        beta == checkpoint.doubles.end() || beta->second.size() != 2) {
        throw InputError("the checkpoint has no mesh settings (it was not written by tessera run). "
                         "Start anew without --continue.");
    }
    for (std::size_t k = 0; k < 3; ++k) {
        nonbonded.pme_grid[k] = static_cast<int>(grid->second[k]);
    }
    if (grid->second.size() > 3) { // none in files of earlier versions
        nonbonded.pme_order = static_cast<int>(grid->second[3]);
    }
    nonbonded.ewald_beta = beta->second[0];
    nonbonded.lj_ewald_beta = beta->second[1];
}

} // namespace tessera
