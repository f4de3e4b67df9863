#include "engine/app/start_state.hpp"

#include "engine/app/start_faults.hpp"
#include "io/same_deck_value.hpp"

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

/// Keys a continued run may change: how long, what is written, where it is computed.
bool is_free(const std::string& key)
{
    static const std::array<std::string, 11> names = {
        "run.steps",          "run.duration",        "system.topology",
        "system.coordinates", "system.include",      "system.restraint_reference",
        "compute.threads",    "compute.device",      "compute.check_every",
        "run.velocities",     "compute.shuffle_seed"};
    return key.rfind("output.", 0) == 0 ||
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
    std::string differences;
    const auto add = [&](const std::string& key, const std::string& old_value,
                         const std::string& new_value) {
        differences += fmt::format("\n  {}: {} in the checkpoint, {} in the deck", key,
                                   old_value.empty() ? "not given" : old_value,
                                   new_value.empty() ? "not given" : new_value);
    };
    std::set<std::string> keys;
    for (const auto* settings : {&now, &before}) {
        for (const auto& [key, value] : *settings) {
            keys.insert(key);
        }
    }
    for (const std::string& key : keys) {
        const std::string old_value = text_of(before, key), new_value = text_of(now, key);
        if (!is_free(key) && !same_deck_value(key, old_value, new_value)) {
            add(key, old_value, new_value);
        }
    }
    if (!differences.empty()) {
        throw InputError(fmt::format(
            "{}: the deck asks for another run than the one to continue (only steps, output and "
            "where it is computed may change):{}\n hint: restore these values, start anew "
            "without --continue, or start another run from this state: system.coordinates = \"{}\"",
            file, differences, file));
    }
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
