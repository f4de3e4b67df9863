#include "io/hdf5_plausible.hpp"

#include "engine/base/error.hpp"
#include "io/hdf5.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tessera::h5
{

namespace
{

constexpr double slack_bytes = 1U << 20U; ///< arrays this small pass, written or not
constexpr double tightest_packing = 1100; ///< deflate packs at most about 1032:1
constexpr double unwritten_chunks = 1000; ///< HDF5 keeps up to 521 in memory

/// What every refusal says.
struct Subject {
    const std::string& path;
    const std::string& name;
    double file_bytes = 0;

    [[noreturn]] void refuse(const std::string& claim) const
    {
        throw InputError(fmt::format("{}: {} claims {} in a file of {:.0f} bytes (the file is "
                                     "damaged). Take an intact copy of it, or write it anew.",
                                     path, name, claim, file_bytes));
    }
    void check_bytes(double bytes, double packing) const
    {
        if (!(bytes <= packing * file_bytes + slack_bytes)) {
            refuse(fmt::format("{:.3g} bytes", bytes));
        }
    }
};

Handle handle(const Subject& of, hid_t id, Handle::Closer close)
{
    if (id < 0) {
        fail(of.path, "read " + of.name);
    }
    return {id, close};
}

double bytes_of_file(const std::string& path, const std::string& name, hid_t object)
{
    const Handle file = handle({path, name}, H5Iget_file_id(object), H5Fclose);
    hsize_t size = 0;
    if (H5Fget_filesize(file.get(), &size) < 0) {
        fail(path, "read the file's size");
    }
    return static_cast<double>(size);
}

Extents extents_of(hid_t space)
{
    Extents out(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space))));
    H5Sget_simple_extent_dims(space, out.data(), nullptr);
    return out;
}

/// In floating point: damaged extents overflow integers.
double bytes_of(const Extents& extents, hid_t type)
{
    double bytes = static_cast<double>(H5Tget_size(type));
    for (const hsize_t extent : extents) {
        bytes *= static_cast<double>(std::max<hsize_t>(1, extent));
    }
    return bytes;
}

/// HDF5 spends time and memory on each chunk of the extents, stored or not.
void check_chunks(const Subject& of, hid_t dataset, hid_t space, hid_t made, const Extents& extents)
{
    Extents chunk(extents.size(), 1);
    hsize_t stored = 0;
    if (H5Pget_chunk(made, static_cast<int>(chunk.size()), chunk.data()) < 0 ||
        H5Dget_num_chunks(dataset, space, &stored) < 0) {
        fail(of.path, "read " + of.name);
    }
    double claimed = 1;
    for (std::size_t k = 0; k < extents.size(); ++k) {
        claimed *= std::ceil(static_cast<double>(extents[k]) /
                             static_cast<double>(std::max<hsize_t>(1, chunk[k])));
    }
    if (claimed > static_cast<double>(stored) + unwritten_chunks) {
        of.refuse(fmt::format("{:.3g} chunks, of which {} are stored,", claimed, stored));
    }
}

} // namespace

void check_plausible_dataset(const std::string& path, const std::string& name, hid_t dataset)
{
    const Subject of{path, name, bytes_of_file(path, name, dataset)};
    const Handle space = handle(of, H5Dget_space(dataset), H5Sclose);
    const Handle type = handle(of, H5Dget_type(dataset), H5Tclose);
    const Handle made = handle(of, H5Dget_create_plist(dataset), H5Pclose);
    const Extents extents = extents_of(space.get());
    if (!extents.empty() && extents.front() == 0) {
        return;
    }
    of.check_bytes(bytes_of(extents, type.get()),
                   H5Pget_nfilters(made.get()) > 0 ? tightest_packing : 1);
    if (H5Pget_layout(made.get()) == H5D_CHUNKED) {
        check_chunks(of, dataset, space.get(), made.get(), extents);
    }
}

void check_plausible_array(const std::string& path, const std::string& name, hid_t object,
                           hid_t type, hid_t space)
{
    const Subject of{path, name, bytes_of_file(path, name, object)};
    of.check_bytes(bytes_of(extents_of(space), type), 1);
}

} // namespace tessera::h5
