#pragma once

#include "engine/geometry/box.hpp"
#include "engine/model/topology.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tessera
{

enum class FloatWidth : std::uint8_t { float32, float64 };

/// A scalar written beside the frames: a name without '/', and its unit ("kJ mol-1", "K"; empty for
/// none).
struct ScalarColumn {
    std::string name;
    std::string unit;
};

/// Where the run comes from; written into the file as it is.
struct Provenance {
    std::string deck_text;
    std::string program_version;
    std::string author = "unknown";
    std::map<std::string, std::uint64_t> seeds;
};

struct TrajectorySettings {
    std::string path;
    FloatWidth position_precision = FloatWidth::float32;
    /// nm, a power of two: positions are rounded to its multiples, so that they are wrong by half
    /// of it at most, and their last bits are zeros; 0: not rounded. The file declares it
    /// (`rounded_to` of position/value).
    double position_grid = 0;
    int deflate_level = 0;   ///< 1 to 9: vectors and images are shuffled and deflated; 0: not
    bool periodic = true;    ///< false: open space, no box in the file
    bool velocities = false; ///< in every frame
    bool forces = false;
    bool velocities_apart = false; ///< at a stride of their own, by append_velocities()
    bool forces_apart = false;
    double velocity_time_offset = 0; ///< ps: the velocities' time less the frame's (leap-frog:
                                     ///< minus half a step)
    std::vector<ScalarColumn> observables; ///< at the stride of the frames
    std::vector<ScalarColumn> energies;    ///< at a stride of their own
    std::int64_t first_step = 0; ///< where a new file begins: of a continued run, its checkpoint
    Provenance provenance;
};

/// One frame. Positions are the continuous path (never wrapped), in nm, topology order; velocities
/// nm/ps and forces kJ/mol/nm are looked at where the settings ask for them.
struct TrajectoryFrame {
    std::int64_t step = 0;
    double time = 0; ///< ps
    Box box;
    std::span<const Vec3> positions;
    std::span<const Vec3> velocities;
    std::span<const Vec3> forces;
    std::span<const double> observables; ///< one for each column of the settings
};

/// Writes an H5MD 1.1 file in the dialect that MDAnalysis reads (docs/run-files.md):
///     /particles/trajectory   position, image, velocity, force, box/edges [frames][3][3] with
///                             shared step and time; species, mass, charge
///     /particles/trajectory_velocity, trajectory_force
///                             the same vectors at a stride of their own, where asked for
///     /observables/<name>     scalars at the stride of the frames
///     /energies/<name>        scalars at their own stride, /energies/step and time
///     /connectivity/bonds, /parameters/topology (names, residues), /parameters/provenance
/// Molecules are whole with their centre in the cell; position + image . edges is the continuous
/// path. Every frame is handed to the operating system before append() returns, positions and
/// steps last: a process killed at any time leaves a file that opens, and what is there of
/// position/value is whole in every dataset (others may have one row more).
///
/// Any fault of the file system is a FileError that names path, cause and remedy; the frames before
/// it stay. Not thread-safe (HDF5): use all HDF5 files of a process from one thread at a time.
class H5mdTrajectory {
public:
    /// A new file in place of any old one (which is gone once the new one can be opened).
    static H5mdTrajectory create(const TrajectorySettings& settings, const Topology& topology);

    /// The file of an earlier part of the same run, cut behind `last_step` (the checkpoint's):
    /// frames, observables and energies. `last_frame` is the step of the frame that the checkpoint
    /// follows (-1: not known): a file that ends before it, and was not begun at `last_step`, is
    /// none of this run. Throws InputError when it is that, of another system, or lacks what the
    /// settings ask for (UnfitFile: it is damaged), FileError when it cannot be opened; then the
    /// file is as it was.
    static H5mdTrajectory append_to(const TrajectorySettings& settings, const Topology& topology,
                                    std::int64_t last_step, std::int64_t last_frame = -1);

    /// The same look for frames that are missing, without opening the file to write: for a run that
    /// has nothing left to append. Throws InputError, FileError.
    static void require_frames(const std::string& path, const Topology& topology,
                               std::int64_t last_step, std::int64_t last_frame);

    H5mdTrajectory(H5mdTrajectory&&) noexcept;
    H5mdTrajectory& operator=(H5mdTrajectory&&) noexcept;
    ~H5mdTrajectory();

    /// Appends a frame. A step that is not beyond the last one is passed over: it stands there.
    void append(const TrajectoryFrame& frame);
    /// Vectors at a stride of their own; passed over likewise.
    void append_velocities(std::int64_t step, double time, const Box& box,
                           std::span<const Vec3> values);
    void append_forces(std::int64_t step, double time, const Box& box,
                       std::span<const Vec3> values);
    /// Appends one row of energies, in the order of the settings; passed over likewise.
    void append_energies(std::int64_t step, double time, std::span<const double> values);

    /// Frames and rows of energies in the file.
    [[nodiscard]] std::int64_t frames() const;
    [[nodiscard]] std::int64_t energy_rows() const;
    /// Step of the last frame; -1 where there is none.
    [[nodiscard]] std::int64_t last_step() const;

    /// Hands energies written since the last frame to the operating system.
    void flush();
    /// Flushes and closes; a failure is told here, not by the destructor.
    void close();

private:
    struct Parts;
    explicit H5mdTrajectory(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> parts_;
};

} // namespace tessera
