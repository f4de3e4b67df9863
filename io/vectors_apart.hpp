#pragma once

#include "engine/geometry/box.hpp"
#include "io/hdf5.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tessera
{

/// What one vector of every atom is called in the file, and how it is stored.
struct VectorElement {
    std::string group;   ///< "/particles/trajectory_velocity": after the frames' group by name,
                         ///< since some readers take the first
    std::string element; ///< "velocity"
    std::string unit;
    hid_t stored = H5I_INVALID_HID;
    std::size_t atoms = 0;
    bool periodic = true;
    double time_offset = 0; ///< ps: the time of the vectors, less that of their row
    int deflate_level = 0;  ///< 0: not compressed
};

/// A vector of every atom (velocities, forces) at a stride of its own, as a particle group of its
/// own in an H5MD file: <group>/<element>/{step,time,value}, and the cell at the same steps. Every
/// row is handed to the operating system before append() returns, vectors and steps last.
class VectorsApart {
public:
    VectorsApart() = default;
    static VectorsApart create(h5::File& file, const VectorElement& what);
    /// Of a file that is there; rows are known after cut(), and stay known when opened again.
    void open(const h5::File& file, const VectorElement& what);

    [[nodiscard]] bool is_open() const { return value_.is_open(); }
    [[nodiscard]] hsize_t rows() const { return rows_; }

    /// A step that is not beyond the last one is passed over: it stands there.
    void append(h5::File& file, std::int64_t step, double time, const Box& box,
                std::span<const Vec3> values);
    /// Drops the rows after a step, and those that some dataset lacks.
    void cut(h5::File& file, std::int64_t after_step);
    /// Lets go of the file.
    void close();

private:
    h5::Dataset step_, time_, edges_, value_;
    std::size_t atoms_ = 0;
    hsize_t rows_ = 0;
    std::int64_t last_step_ = -1;
};

constexpr hsize_t scalars_per_chunk = 1024;
/// Rows of a growing dataset that make one chunk of the file.
hsize_t rows_per_chunk(hsize_t row_bytes);
/// A growing dataset of a vector an atom, packed or in chunks of so many rows.
h5::Dataset create_vectors(h5::File& file, const std::string& name, hid_t stored, std::size_t atoms,
                           int deflate_level);

/// Rows of `steps` up to `after_step`, no more than each of `sets` has; all are cut to that, the
/// first one and the steps on the disk before the rest: by these readers count. Returns their
/// number and the last step (-1: none).
std::pair<hsize_t, std::int64_t> cut_rows(h5::File& file, const h5::Dataset& steps,
                                          std::int64_t after_step,
                                          const std::vector<h5::Dataset*>& sets);

} // namespace tessera
