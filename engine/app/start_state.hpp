#pragma once

#include "engine/app/assemble.hpp"
#include "engine/model/state.hpp"
#include "io/checkpoint.hpp"

namespace tessera
{

/// The state a fresh run begins with: coordinates of the file, its velocities where they are asked
/// for and present (else zero, with a warning). Leap-frog takes velocities of a file as half a step
/// behind, as programs that use it write them. What of it no run could follow is a fault.
State start_state(const Deck& deck, const Assembly& assembly, Diagnostics& diagnostics);

/// The settings that a continued run must share with its beginning, as lines `key = value`: those
/// that reach the trajectory's bits. Steps, output, threads and file names may change.
std::string binding_settings(const Deck& deck);

/// The system of a run into a checkpoint (its topology_hash.hpp and those of its parts), and the
/// comparison with it: throws InputError that says what differs.
void keep_system(const std::string& hash, const Topology& topology, Checkpoint& checkpoint);
void check_same_system(const Deck& deck, const std::string& hash, const Topology& topology,
                       const Checkpoint& checkpoint, const std::string& file);

/// Throws InputError where the deck's settings differ from those that stand in the checkpoint; the
/// message names each key with both values. Keys that change nothing in this run, and those that
/// act through the topology, may differ.
void check_same_settings(const Deck& deck, const Checkpoint& checkpoint, const std::string& file);

/// Where the trajectory that belongs to a checkpoint ends.
struct TrajectoryEnd {
    std::string file;             ///< its name without folders; empty: there was none
    std::int64_t last_frame = -1; ///< its step; -1: no frame, or not known
};
void keep_trajectory_end(const TrajectoryEnd& end, Checkpoint& checkpoint);
TrajectoryEnd trajectory_end(const Checkpoint& checkpoint);

/// Mesh and splitting parameters into a checkpoint, and from it: chosen once, before step 0.
void keep_mesh(const NonbondedSettings& nonbonded, Checkpoint& checkpoint);
void take_mesh(const Checkpoint& checkpoint, NonbondedSettings& nonbonded);

} // namespace tessera
