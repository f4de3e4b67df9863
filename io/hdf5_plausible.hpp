#pragma once

#include <hdf5.h>
#include <string>

namespace tessera::h5
{

/// Damaged extents make HDF5 allocate and loop without end. These refuse what a file of its size
/// cannot hold, before anything is read. `path` and `name` serve messages. Throw InputError for
/// damage, FileError where HDF5 fails.

/// Extents of `dataset`: bytes against the size of the file (times the most that filters pack),
/// and chunks against those stored. A dataset without rows passes.
void check_plausible_dataset(const std::string& path, const std::string& name, hid_t dataset);

/// An array of `space` and `type` that stands in the file of `object` unpacked: an attribute.
void check_plausible_array(const std::string& path, const std::string& name, hid_t object,
                           hid_t type, hid_t space);

} // namespace tessera::h5
