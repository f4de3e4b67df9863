#include "io/hdf5.hpp"

#include "engine/base/unfit_file.hpp"
#include "io/hdf5_handles.hpp"
#include "io/hdf5_ordered_writes.hpp"
#include "io/hdf5_plausible.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>

namespace tessera::h5
{

namespace
{

/// Before anything else. HDF5 prints its failures to standard error unless told not to; and its
/// work at exit crashes where a file could not be closed (disk full), so it is left out: handles
/// close themselves.
void start_library()
{
    static const bool is_started =
        H5dont_atexit() >= 0 && H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) >= 0;
    static_cast<void>(is_started);
}

struct Cause {
    std::string words;
    bool is_of_the_system = false; ///< a call to it failed; else HDF5 itself gave up
};

herr_t take_cause(unsigned depth, const H5E_error2_t* entry, void* out)
{
    auto& cause = *static_cast<Cause*>(out);
    const std::string text = entry->desc != nullptr ? entry->desc : "";
    // the innermost entry; the system's own words where the call to it failed
    const std::string key = "error message = '";
    const std::size_t at = text.find(key);
    if (at != std::string::npos) {
        const std::size_t begin = at + key.size();
        cause = {text.substr(begin, text.find('\'', begin) - begin), true};
        return 1;
    }
    if (depth == 0) {
        cause.words = text;
    }
    return 0;
}

/// Metadata stay in memory until a flush, and reach the disk in an order that a kill cannot spoil.
Handle growing_file_access(const std::string& path, OrderedWrites& writes)
{
    Handle access = checked(path, H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "set up");
    H5AC_cache_config_t cache;
    cache.version = H5AC__CURR_CACHE_CONFIG_VERSION;
    H5Pget_mdc_config(access.get(), &cache);
    cache.evictions_enabled = false;
    cache.incr_mode = H5C_incr__off;
    cache.flash_incr_mode = H5C_flash_incr__off;
    cache.decr_mode = H5C_decr__off;
    // a node of an index stands in one page
    constexpr hsize_t smaller_than_a_node = 2049; // and larger than HDF5's blocks of small things
    if (H5Pset_mdc_config(access.get(), &cache) < 0 ||
        H5Pset_alignment(access.get(), smaller_than_a_node, OrderedWrites::page) < 0) {
        fail(path, "set up");
    }
    writes.use_in(access.get());
    return access;
}

/// Without any file on the disk.
Handle memory_access(const std::string& path)
{
    Handle access = checked(path, H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "set up");
    constexpr std::size_t growth = 1U << 20U;
    if (H5Pset_fapl_core(access.get(), growth, false) < 0) {
        fail(path, "set up");
    }
    return access;
}

Handle text_type(const std::string& path, std::size_t length)
{
    Handle type = checked(path, H5Tcopy(H5T_C_S1), H5Tclose, "set up");
    H5Tset_size(type.get(), length);
    H5Tset_cset(type.get(), H5T_CSET_UTF8);
    if (length != H5T_VARIABLE) {
        H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
    }
    return type;
}

/// All strings, one behind the other, each padded to the longest.
struct FixedTexts {
    explicit FixedTexts(const std::vector<std::string>& texts)
    {
        for (const std::string& text : texts) {
            length = std::max(length, text.size());
        }
        bytes.assign(length * texts.size(), '\0');
        for (std::size_t i = 0; i < texts.size(); ++i) {
            std::copy(texts[i].begin(), texts[i].end(),
                      bytes.begin() + static_cast<std::ptrdiff_t>(i * length));
        }
    }
    std::size_t length = 1;
    std::string bytes;
};

using ReadCall = herr_t (*)(hid_t, hid_t, void*);

/// Strings of a dataset or attribute of either kind.
std::vector<std::string> texts_of(const std::string& path, hid_t object, const Handle& stored,
                                  const Handle& space, ReadCall read)
{
    std::vector<std::string> out;
    if (H5Tget_class(stored.get()) != H5T_STRING) {
        return out;
    }
    const auto count = static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.get()));
    if (H5Tis_variable_str(stored.get()) > 0) {
        std::vector<char*> pointers(count, nullptr);
        Handle type = text_type(path, H5T_VARIABLE);
        H5Tset_cset(type.get(), H5Tget_cset(stored.get()));
        if (read(object, type.get(), pointers.data()) < 0) {
            fail(path, "read a text");
        }
        for (const char* pointer : pointers) {
            out.emplace_back(pointer != nullptr ? pointer : "");
        }
        H5Dvlen_reclaim(type.get(), space.get(), H5P_DEFAULT, pointers.data());
        return out;
    }
    const std::size_t length = H5Tget_size(stored.get());
    const bool is_blank_padded = H5Tget_strpad(stored.get()) == H5T_STR_SPACEPAD;
    std::string bytes(length * count, '\0');
    if (read(object, stored.get(), bytes.data()) < 0) {
        fail(path, "read a text");
    }
    for (std::size_t i = 0; i < count; ++i) {
        std::string text = bytes.substr(i * length, length);
        text.resize(std::min(text.find('\0'), text.size()));
        while (is_blank_padded && !text.empty() && text.back() == ' ') {
            text.pop_back();
        }
        out.push_back(std::move(text));
    }
    return out;
}

} // namespace

void fail(const std::string& path, const std::string& what)
{
    Cause found;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_cause, &found);
    const std::string& cause = found.words;
    const auto begins = [&](const char* verb) { return what.rfind(verb, 0) == 0; };
    const bool is_of_the_content =
        !found.is_of_the_system && (begins("open ") || begins("read ") || begins("list "));
    std::string remedy = is_of_the_content ? "The file is damaged: take an intact copy of it."
                                           : "Check the name, its permissions and the free space.";
    if (cause.find("space left") != std::string::npos || cause.find("quota") != std::string::npos ||
        cause.find("too large") != std::string::npos) {
        remedy = "Free space, or name another folder; what was written before is intact.";
    } else if (cause == std::strerror(EIO)) {
        remedy = "Check the disk; what was written before is intact.";
    } else if (cause.find("signature") != std::string::npos ||
               cause.find("truncated") != std::string::npos) {
        remedy = "The file is no HDF5 file, or was cut short.";
    }
    const std::string told = fmt::format("{}: cannot {} ({}). {}", path, what,
                                         cause.empty() ? "HDF5 gives no cause" : cause, remedy);
    if (is_of_the_content) {
        throw UnfitFile(told);
    }
    throw FileError(told);
}

File::File(const std::string& path, hid_t id, const std::string& what)
    : path_(path), id_(checked(path, id, H5Fclose, what))
{
}

File File::create(const std::string& path, const std::string& called)
{
    start_library();
    const std::string& name = called.empty() ? path : called;
    auto writes = std::make_shared<OrderedWrites>(OrderedWrites::Change::grows);
    const Handle access = growing_file_access(name, *writes);
    File file(name, H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()),
              "create the file");
    file.writes_ = std::move(writes);
    return file;
}

File File::open(const std::string& path, Access access)
{
    start_library();
    if (access == Access::read) {
        return {path, H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), "open the file"};
    }
    using Change = OrderedWrites::Change;
    auto writes =
        std::make_shared<OrderedWrites>(access == Access::cut        ? Change::is_cut
                                        : access == Access::rehearse ? Change::is_rehearsed
                                                                     : Change::grows);
    const Handle properties = growing_file_access(path, *writes);
    File file(path, H5Fopen(path.c_str(), H5F_ACC_RDWR, properties.get()), "open the file");
    file.writes_ = std::move(writes);
    return file;
}

File File::create_in_memory(const std::string& path)
{
    start_library();
    const Handle access = memory_access(path);
    return {path, H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()),
            "create the file in memory"};
}

File File::open_image(const std::string& path, const std::string& image)
{
    start_library();
    const Handle access = memory_access(path);
    // HDF5 copies the image
    H5Pset_file_image(access.get(), const_cast<char*>(image.data()), image.size());
    // a name that no file has: HDF5 refuses an image of a file that exists
    return {path, H5Fopen((path + "/in memory").c_str(), H5F_ACC_RDONLY, access.get()),
            "read the file"};
}

std::string_view File::image()
{
    flush();
    const ssize_t size = H5Fget_file_image(id_.get(), nullptr, 0);
    void* memory = nullptr; // the handle of a file in memory is where its address stands
    if (size <= 0 || H5Fget_vfd_handle(id_.get(), H5P_DEFAULT, &memory) < 0 || memory == nullptr) {
        fail(path_, "take the file's image");
    }
    // the mark of an open file, which H5Fget_file_image() leaves out of the copy that it makes
    // (HDF5 File Format Specification, II.A: superblocks of version 0 have it in bytes 20 to 23)
    char* const image = *static_cast<char**>(memory);
    std::fill_n(image + 20, image[8] == 0 ? 4 : 0, '\0');
    return {image, static_cast<std::size_t>(size)};
}

void File::flush()
{
    if (H5Fflush(id_.get(), H5F_SCOPE_GLOBAL) < 0 || (writes_ && !writes_->commit())) {
        fail(path_, "write the file");
    }
}

void File::close()
{
    if (id_.is_open()) {
        flush();
        id_.reset();
    }
}

bool File::has(const std::string& name) const
{
    for (std::size_t at = name.find('/', 1);; at = name.find('/', at + 1)) {
        if (H5Lexists(id_.get(), name.substr(0, at).c_str(), H5P_DEFAULT) <= 0) {
            return false;
        }
        if (at == std::string::npos) {
            return true;
        }
    }
}

bool File::has_dataset(const std::string& name) const
{
    return has(name) && H5Iget_type(object(name).get()) == H5I_DATASET;
}

void File::create_group(const std::string& name)
{
    const Handle links = checked(path_, H5Pcreate(H5P_LINK_CREATE), H5Pclose, "set up");
    H5Pset_create_intermediate_group(links.get(), 1);
    checked(path_, H5Gcreate2(id_.get(), name.c_str(), links.get(), H5P_DEFAULT, H5P_DEFAULT),
            H5Gclose, "create " + name);
}

std::vector<std::string> File::members(const std::string& group) const
{
    const Handle id = object(group);
    std::vector<std::string> out;
    if (H5Iget_type(id.get()) != H5I_GROUP) {
        return out;
    }
    const auto collect = [](hid_t, const char* name, const H5L_info_t*, void* names) -> herr_t {
        static_cast<std::vector<std::string>*>(names)->emplace_back(name);
        return 0;
    };
    if (H5Literate(id.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, collect, &out) < 0) {
        fail(path_, "list " + group);
    }
    return out;
}

void File::hard_link(const std::string& existing, const std::string& name)
{
    if (H5Lcreate_hard(id_.get(), existing.c_str(), id_.get(), name.c_str(), H5P_DEFAULT,
                       H5P_DEFAULT) < 0) {
        fail(path_, "link " + name);
    }
}

Dataset File::write(const std::string& name, hid_t type, const void* values, const Extents& extents)
{
    const Handle space = space_of(path_, extents);
    Handle id = checked(path_,
                        H5Dcreate2(id_.get(), name.c_str(), type, space.get(), H5P_DEFAULT,
                                   H5P_DEFAULT, H5P_DEFAULT),
                        H5Dclose, "create " + name);
    const bool is_empty = std::find(extents.begin(), extents.end(), 0U) != extents.end();
    if (!is_empty && H5Dwrite(id.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) {
        fail(path_, "write " + name);
    }
    return {path_, name, std::move(id)};
}

void File::write_text(const std::string& name, const std::string& text)
{
    const FixedTexts fixed({text});
    const Handle type = text_type(path_, fixed.length);
    write(name, type.get(), fixed.bytes.data(), {});
}

void File::write_texts(const std::string& name, const std::vector<std::string>& texts)
{
    const FixedTexts fixed(texts);
    const Handle type = text_type(path_, fixed.length);
    write(name, type.get(), fixed.bytes.data(), {texts.size()});
}

Dataset File::create_growing(const std::string& name, hid_t stored, const Extents& row,
                             hsize_t rows_per_chunk)
{
    return create_chunked(name, stored, row, rows_per_chunk, 0);
}

Dataset File::create_packed(const std::string& name, hid_t stored, const Extents& row, int level)
{
    return create_chunked(name, stored, row, 1, level);
}

Dataset File::create_chunked(const std::string& name, hid_t stored, const Extents& row,
                             hsize_t rows_per_chunk, int level)
{
    Extents start{0}, most{H5S_UNLIMITED}, chunk{rows_per_chunk};
    start.insert(start.end(), row.begin(), row.end());
    most.insert(most.end(), row.begin(), row.end());
    for (const hsize_t extent : row) {
        chunk.push_back(std::max<hsize_t>(1, extent));
    }
    const Handle space =
        checked(path_, H5Screate_simple(static_cast<int>(start.size()), start.data(), most.data()),
                H5Sclose, "create " + name);
    const Handle layout = checked(path_, H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "set up");
    H5Pset_chunk(layout.get(), static_cast<int>(chunk.size()), chunk.data());
    if (level > 0 && (H5Pset_shuffle(layout.get()) < 0 ||
                      H5Pset_deflate(layout.get(), static_cast<unsigned>(level)) < 0)) {
        fail(path_, "compress " + name);
    }
    Handle id = checked(path_,
                        H5Dcreate2(id_.get(), name.c_str(), stored, space.get(), H5P_DEFAULT,
                                   layout.get(), H5P_DEFAULT),
                        H5Dclose, "create " + name);
    return {path_, name, std::move(id)};
}

Dataset File::dataset(const std::string& name) const
{
    Handle id =
        checked(path_, H5Dopen2(id_.get(), name.c_str(), H5P_DEFAULT), H5Dclose, "open " + name);
    check_plausible_dataset(path_, name, id.get());
    return {path_, name, std::move(id)};
}

std::string File::read_text(const std::string& name) const
{
    const std::vector<std::string> texts = read_texts(name);
    return texts.empty() ? std::string() : texts.front();
}

std::vector<std::string> File::read_texts(const std::string& name) const
{
    const Dataset set = dataset(name);
    const Handle type = checked(path_, H5Dget_type(set.id()), H5Tclose, "read " + name);
    const Handle space = checked(path_, H5Dget_space(set.id()), H5Sclose, "read " + name);
    return texts_of(path_, set.id(), type, space, [](hid_t id, hid_t memory, void* out) {
        return H5Dread(id, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, out);
    });
}

Handle File::object(const std::string& name) const
{
    return checked(path_, H5Oopen(id_.get(), name.c_str(), H5P_DEFAULT), H5Oclose, "open " + name);
}

void File::write_attribute(const std::string& object_name, const std::string& name, hid_t type,
                           hid_t space, const void* value)
{
    const Handle target = object(object_name);
    const Handle id = checked(
        path_, H5Acreate2(target.get(), name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
        H5Aclose, "describe " + object_name);
    if (H5Awrite(id.get(), type, value) < 0) {
        fail(path_, "describe " + object_name);
    }
}

void File::set_text(const std::string& object_name, const std::string& name,
                    const std::string& text)
{
    const Handle type = text_type(path_, H5T_VARIABLE);
    const Handle space = space_of(path_, {});
    const char* const pointer = text.c_str();
    write_attribute(object_name, name, type.get(), space.get(), &pointer);
}

void File::set_fixed_text(const std::string& object_name, const std::string& name,
                          const std::string& text)
{
    const FixedTexts fixed({text});
    const Handle type = text_type(path_, fixed.length);
    const Handle space = space_of(path_, {});
    write_attribute(object_name, name, type.get(), space.get(), fixed.bytes.data());
}

void File::set_fixed_texts(const std::string& object_name, const std::string& name,
                           const std::vector<std::string>& texts)
{
    const FixedTexts fixed(texts);
    const Handle type = text_type(path_, fixed.length);
    const Handle space = space_of(path_, {texts.size()});
    write_attribute(object_name, name, type.get(), space.get(), fixed.bytes.data());
}

void File::set_numbers(const std::string& object_name, const std::string& name, hid_t type,
                       const void* values, std::size_t count)
{
    const Handle space = space_of(path_, count == 0 ? Extents{} : Extents{count});
    write_attribute(object_name, name, type, space.get(), values);
}

void File::set_reference(const std::string& object_name, const std::string& name,
                         const std::string& target)
{
    hobj_ref_t reference = 0;
    if (H5Rcreate(&reference, id_.get(), target.c_str(), H5R_OBJECT, H5I_INVALID_HID) < 0) {
        fail(path_, "refer to " + target);
    }
    const Handle space = space_of(path_, {});
    write_attribute(object_name, name, H5T_STD_REF_OBJ, space.get(), &reference);
}

bool File::has_attribute(const std::string& object_name, const std::string& name) const
{
    return has(object_name) && H5Aexists(object(object_name).get(), name.c_str()) > 0;
}

std::vector<std::string> File::texts(const std::string& object_name, const std::string& name) const
{
    if (!has_attribute(object_name, name)) {
        return {};
    }
    const Handle target = object(object_name);
    const Handle id =
        checked(path_, H5Aopen(target.get(), name.c_str(), H5P_DEFAULT), H5Aclose, "read " + name);
    const Handle type = checked(path_, H5Aget_type(id.get()), H5Tclose, "read " + name);
    const Handle space = checked(path_, H5Aget_space(id.get()), H5Sclose, "read " + name);
    check_plausible_array(path_, object_name + "@" + name, id.get(), type.get(), space.get());
    return texts_of(path_, id.get(), type, space, H5Aread);
}

std::string File::text(const std::string& object_name, const std::string& name) const
{
    const std::vector<std::string> all = texts(object_name, name);
    return all.empty() ? std::string() : all.front();
}

std::vector<double> File::numbers(const std::string& object_name, const std::string& name) const
{
    if (!has_attribute(object_name, name)) {
        return {};
    }
    const Handle target = object(object_name);
    const Handle id =
        checked(path_, H5Aopen(target.get(), name.c_str(), H5P_DEFAULT), H5Aclose, "read " + name);
    const Handle type = checked(path_, H5Aget_type(id.get()), H5Tclose, "read " + name);
    const Handle space = checked(path_, H5Aget_space(id.get()), H5Sclose, "read " + name);
    check_plausible_array(path_, object_name + "@" + name, id.get(), type.get(), space.get());
    const H5T_class_t kind = H5Tget_class(type.get());
    if (kind != H5T_INTEGER && kind != H5T_FLOAT) {
        return {};
    }
    std::vector<double> out(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.get())));
    if (H5Aread(id.get(), H5T_NATIVE_DOUBLE, out.data()) < 0) {
        fail(path_, "read " + name);
    }
    return out;
}

} // namespace tessera::h5
