#pragma once

#include "engine/base/unfit_file.hpp"
#include "engine/model/coordinates.hpp"
#include "engine/model/state.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tessera
{

/// Everything a run needs to go on bit by bit.
struct Checkpoint {
    State state;
    std::map<std::string, std::vector<double>> doubles; ///< baths, accumulators, ... by name
    std::map<std::string, std::vector<std::int64_t>> integers;
    std::string deck_text;
    std::string topology_hash; ///< see topology_hash.hpp
    std::string program_version;
};

/// The file was cut short, altered, or is no checkpoint at all.
struct DamagedCheckpoint : UnfitFile {
    using UnfitFile::UnfitFile;
};

/// Writes a checkpoint so that at every moment, a kill included, one complete checkpoint stands on
/// the disk:
///     whole file under <path>.tmp, checksum behind it, fsync     before anything is replaced
///     <path> is named <path>.prev too                            the last but one is dropped here
///     <path>.tmp takes the name <path>                           then the folder is synced
/// `at` is called before each of these stages ("begin", "half written", "complete", "previous
/// kept", "done"): for tests. Throws FileError with cause and remedy; then the old files stand.
/// Not thread-safe (HDF5).
void write_checkpoint(const std::string& path, const Checkpoint& checkpoint,
                      const std::function<void(std::string_view)>& at = {});

/// The same of a state that stands elsewhere, in place of beside.state: it is not copied.
void write_checkpoint(const std::string& path, const State& state, const Checkpoint& beside,
                      const std::function<void(std::string_view)>& at = {});

/// For messages: that <path> or <path>.prev is a checkpoint to go on from and of which step, or that
/// there is none.
std::string what_stands(const std::string& path);

struct ReadCheckpoint {
    Checkpoint checkpoint;
    std::string path;    ///< the file it was read from
    std::string warning; ///< why the previous one was taken; empty when it was not
};

/// Reads <path>, or <path>.prev where <path> is missing or damaged. Throws
///     DamagedCheckpoint   both are unusable (says why for each)
///     InputError          the file is of another system (its topology hash differs from
///                         `expected_topology_hash`, where that is given), or of a newer program
ReadCheckpoint read_checkpoint(const std::string& path,
                               const std::string& expected_topology_hash = {});

/// Does the file end like a checkpoint?
bool is_checkpoint(const std::string& path);

/// The state of one checkpoint file as coordinates: the continuous path (not wrapped), velocities,
/// cell, step and time; no names. Throws DamagedCheckpoint, InputError.
Coordinates read_checkpoint_coordinates(const std::string& path);

/// Is there a file that read_checkpoint would look at?
bool has_checkpoint(const std::string& path);

} // namespace tessera
