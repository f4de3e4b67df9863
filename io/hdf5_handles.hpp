#pragma once

#include "io/hdf5.hpp"

namespace tessera::h5
{

/// The identifier as a handle; one below zero is the failure of `what`.
inline Handle checked(const std::string& path, hid_t id, Handle::Closer close,
                      const std::string& what)
{
    if (id < 0) {
        fail(path, what);
    }
    return {id, close};
}

inline Handle space_of(const std::string& path, const Extents& extents)
{
    const hid_t id = extents.empty() ? H5Screate(H5S_SCALAR)
                                     : H5Screate_simple(static_cast<int>(extents.size()),
                                                        extents.data(), nullptr);
    return checked(path, id, H5Sclose, "set up");
}

} // namespace tessera::h5
