#include "io/hdf5_handles.hpp"

namespace tessera::h5
{

Dataset::Dataset(std::string file, std::string name, Handle id)
    : file_(std::move(file)), name_(std::move(name)), id_(std::move(id))
{
}

Extents Dataset::extents() const
{
    const Handle space = checked(file_, H5Dget_space(id_.get()), H5Sclose, "read " + name_);
    Extents out(static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space.get()))));
    H5Sget_simple_extent_dims(space.get(), out.data(), nullptr);
    return out;
}

hsize_t Dataset::rows() const
{
    const Extents all = extents();
    return all.empty() ? 1 : all.front();
}

std::size_t Dataset::count() const
{
    std::size_t product = 1;
    for (const hsize_t extent : extents()) {
        product *= extent;
    }
    return product;
}

bool Dataset::is_integer() const
{
    const Handle type = checked(file_, H5Dget_type(id_.get()), H5Tclose, "read " + name_);
    return H5Tget_class(type.get()) == H5T_INTEGER;
}

std::size_t Dataset::bytes_per_number() const
{
    const Handle type = checked(file_, H5Dget_type(id_.get()), H5Tclose, "read " + name_);
    return H5Tget_size(type.get());
}

int Dataset::deflate_level() const
{
    const Handle made = checked(file_, H5Dget_create_plist(id_.get()), H5Pclose, "read " + name_);
    unsigned flags = 0, level = 0;
    std::size_t count = 1;
    const herr_t found = H5Pget_filter_by_id2(made.get(), H5Z_FILTER_DEFLATE, &flags, &count,
                                              &level, 0, nullptr, nullptr);
    return found < 0 ? 0 : static_cast<int>(level);
}

bool Dataset::is_number() const
{
    const Handle type = checked(file_, H5Dget_type(id_.get()), H5Tclose, "read " + name_);
    return H5Tget_class(type.get()) == H5T_INTEGER || H5Tget_class(type.get()) == H5T_FLOAT;
}

void Dataset::set_rows(hsize_t rows)
{
    Extents all = extents();
    all.front() = rows;
    if (H5Dset_extent(id_.get(), all.data()) < 0) {
        fail(file_, "resize " + name_);
    }
}

void Dataset::append_row(hid_t type, const void* values)
{
    Extents all = extents();
    Extents offset(all.size(), 0);
    offset.front() = all.front();
    ++all.front();
    if (H5Dset_extent(id_.get(), all.data()) < 0) {
        fail(file_, "extend " + name_);
    }
    all.front() = 1;
    const Handle space = checked(file_, H5Dget_space(id_.get()), H5Sclose, "extend " + name_);
    const Handle memory = space_of(file_, all);
    if (H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, offset.data(), nullptr, all.data(),
                            nullptr) < 0 ||
        H5Dwrite(id_.get(), type, memory.get(), space.get(), H5P_DEFAULT, values) < 0) {
        fail(file_, "write " + name_);
    }
}

void Dataset::read(hid_t type, void* values) const
{
    if (H5Dread(id_.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) {
        fail(file_, "read " + name_);
    }
}

void Dataset::read_row(hid_t type, hsize_t row, void* values) const
{
    Extents all = extents();
    Extents offset(all.size(), 0);
    offset.front() = row;
    all.front() = 1;
    const Handle space = checked(file_, H5Dget_space(id_.get()), H5Sclose, "read " + name_);
    const Handle memory = space_of(file_, all);
    if (H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, offset.data(), nullptr, all.data(),
                            nullptr) < 0 ||
        H5Dread(id_.get(), type, memory.get(), space.get(), H5P_DEFAULT, values) < 0) {
        fail(file_, "read " + name_);
    }
}

} // namespace tessera::h5
