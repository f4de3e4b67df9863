#pragma once

#include <cstdint>
#include <hdf5.h>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// A thin layer over HDF5's C interface: handles that close themselves, failures that become
/// FileError and name the file. HDF5 is built without locks for threads: use files from one thread
/// at a time, whichever files they are.
namespace tessera::h5
{

/// Owns one HDF5 identifier. Move only.
class Handle {
public:
    using Closer = herr_t (*)(hid_t);

    Handle() = default;
    Handle(hid_t id, Closer close) : id_(id), close_(close) {}
    Handle(Handle&& other) noexcept
        : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_)
    {
    }
    Handle& operator=(Handle&& other) noexcept
    {
        std::swap(id_, other.id_);
        std::swap(close_, other.close_);
        return *this;
    }
    ~Handle() { reset(); }

    void reset()
    {
        if (id_ >= 0) {
            close_(id_); // a failure to close has been told by the flush before it
            id_ = H5I_INVALID_HID;
        }
    }
    [[nodiscard]] hid_t get() const { return id_; }
    [[nodiscard]] bool is_open() const { return id_ >= 0; }

private:
    hid_t id_ = H5I_INVALID_HID;
    Closer close_ = nullptr;
};

using Extents = std::vector<hsize_t>;

/// The HDF5 type of a number in memory.
template <class Number>
hid_t native_type();
template <>
inline hid_t native_type<double>()
{
    return H5T_NATIVE_DOUBLE;
}
template <>
inline hid_t native_type<float>()
{
    return H5T_NATIVE_FLOAT;
}
template <>
inline hid_t native_type<std::int32_t>()
{
    return H5T_NATIVE_INT32;
}
template <>
inline hid_t native_type<std::int64_t>()
{
    return H5T_NATIVE_INT64;
}
template <>
inline hid_t native_type<std::uint8_t>()
{
    return H5T_NATIVE_UINT8;
}

/// A dataset. Appending works along the first extent.
class Dataset {
public:
    Dataset() = default;
    Dataset(std::string file, std::string name, Handle id);

    [[nodiscard]] bool is_open() const { return id_.is_open(); }
    [[nodiscard]] hid_t id() const { return id_.get(); }
    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] Extents extents() const;
    [[nodiscard]] hsize_t rows() const;
    [[nodiscard]] bool is_integer() const;
    [[nodiscard]] bool is_number() const;
    [[nodiscard]] std::size_t bytes_per_number() const;
    /// The level at which its bytes are deflated; 0: as they are.
    [[nodiscard]] int deflate_level() const;

    /// Cuts or extends to this many rows.
    void set_rows(hsize_t rows);

    template <class Number>
    void append_row(const Number* values)
    {
        append_row(native_type<Number>(), values);
    }
    template <class Number>
    [[nodiscard]] std::vector<Number> read() const
    {
        std::vector<Number> out(count());
        read(native_type<Number>(), out.data());
        return out;
    }
    template <class Number>
    [[nodiscard]] std::vector<Number> read_row(hsize_t row) const
    {
        const hsize_t all = rows();
        std::vector<Number> out(all == 0 ? 0 : count() / all);
        read_row(native_type<Number>(), row, out.data());
        return out;
    }

private:
    void append_row(hid_t type, const void* values);
    void read(hid_t type, void* values) const;
    void read_row(hid_t type, hsize_t row, void* values) const;
    [[nodiscard]] std::size_t count() const;

    std::string file_;
    std::string name_;
    Handle id_;
};

/// `cut`: for making growing datasets shorter, and nothing else.
/// `rehearse`: for any change, of which nothing reaches the file (hdf5_rehearsal.hpp).
enum class Access : std::uint8_t { read, write, cut, rehearse };

class OrderedWrites;

/// An open file. Paths of groups and datasets are absolute, "/particles/trajectory".
class File {
public:
    File() = default;
    /// A new file in place of any old one. It takes no lock, so that readers may look at it while
    /// it grows. What it holds changes at flush() only: a process that is killed, or a full disk,
    /// leaves the file as of the last flush (see hdf5_ordered_writes.hpp).
    /// Messages name it `called`, where it is going to be renamed.
    static File create(const std::string& path, const std::string& called = {});
    static File open(const std::string& path, Access access);
    /// A file in memory; `path` is its name in messages. image() is what would stand on the disk,
    /// until the file is changed or closed.
    static File create_in_memory(const std::string& path);
    static File open_image(const std::string& path, const std::string& image);
    [[nodiscard]] std::string_view image();

    [[nodiscard]] bool is_open() const { return id_.is_open(); }
    [[nodiscard]] const std::string& path() const { return path_; }

    /// Hands everything to the operating system; does not wait for the disk.
    void flush();
    void close();

    [[nodiscard]] bool has(const std::string& name) const;
    [[nodiscard]] bool has_dataset(const std::string& name) const;
    void create_group(const std::string& name);
    /// Names of the members of a group, in alphabetical order.
    [[nodiscard]] std::vector<std::string> members(const std::string& group) const;
    void hard_link(const std::string& existing, const std::string& name);

    template <class Number>
    Dataset write(const std::string& name, std::span<const Number> values, const Extents& extents)
    {
        return write(name, native_type<Number>(), values.data(), extents);
    }
    template <class Number>
    Dataset write(const std::string& name, const std::vector<Number>& values)
    {
        return write(name, std::span<const Number>(values), Extents{values.size()});
    }
    /// One string of any length.
    void write_text(const std::string& name, const std::string& text);
    /// Strings of one fixed length, as H5MD wants them.
    void write_texts(const std::string& name, const std::vector<std::string>& texts);

    /// An empty dataset that grows by rows of these extents; `stored` is the type in the file.
    Dataset create_growing(const std::string& name, hid_t stored, const Extents& row,
                           hsize_t rows_per_chunk);
    /// The same with one row a chunk, its bytes shuffled and deflated at `level` (0: as they are).
    /// A chunk is written once, where nothing points to yet: a packed one that took a further row
    /// would change its length and move, and what a kill leaves would not be ordered.
    Dataset create_packed(const std::string& name, hid_t stored, const Extents& row, int level);

    /// Refuses a dataset whose extents the file cannot hold (hdf5_plausible.hpp).
    [[nodiscard]] Dataset dataset(const std::string& name) const;
    [[nodiscard]] std::string read_text(const std::string& name) const;
    [[nodiscard]] std::vector<std::string> read_texts(const std::string& name) const;

    /// Attributes of a group or dataset.
    void set_text(const std::string& object, const std::string& name, const std::string& text);
    void set_fixed_text(const std::string& object, const std::string& name,
                        const std::string& text);
    void set_fixed_texts(const std::string& object, const std::string& name,
                         const std::vector<std::string>& texts);
    template <class Number>
    void set_numbers(const std::string& object, const std::string& name,
                     const std::vector<Number>& values)
    {
        set_numbers(object, name, native_type<Number>(), values.data(), values.size());
    }
    /// One number without extent.
    template <class Number>
    void set_number(const std::string& object, const std::string& name, Number value)
    {
        set_numbers(object, name, native_type<Number>(), &value, 0);
    }
    void set_reference(const std::string& object, const std::string& name,
                       const std::string& target);

    [[nodiscard]] bool has_attribute(const std::string& object, const std::string& name) const;
    /// Strings of an attribute; empty when there is none or it holds no text.
    [[nodiscard]] std::vector<std::string> texts(const std::string& object,
                                                 const std::string& name) const;
    /// The first string of an attribute, or nothing ("").
    [[nodiscard]] std::string text(const std::string& object, const std::string& name) const;
    /// Numbers of an attribute as doubles; empty when there is none or it holds no numbers.
    [[nodiscard]] std::vector<double> numbers(const std::string& object,
                                              const std::string& name) const;

private:
    Dataset write(const std::string& name, hid_t type, const void* values, const Extents& extents);
    Dataset create_chunked(const std::string& name, hid_t stored, const Extents& row,
                           hsize_t rows_per_chunk, int level);
    void set_numbers(const std::string& object, const std::string& name, hid_t type,
                     const void* values, std::size_t count);
    void write_attribute(const std::string& object, const std::string& name, hid_t type,
                         hid_t space, const void* value);
    [[nodiscard]] Handle object(const std::string& name) const;
    File(const std::string& path, hid_t id, const std::string& what);

    std::string path_;
    std::shared_ptr<OrderedWrites> writes_; ///< of a file on the disk that is written
    Handle id_;
};

/// Throws FileError, or UnfitFile where reading failed by what stands in the file: `what` failed,
/// with the cause HDF5 or the system gives.
[[noreturn]] void fail(const std::string& path, const std::string& what);

} // namespace tessera::h5
