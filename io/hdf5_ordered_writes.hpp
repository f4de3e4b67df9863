#pragma once

#include <cstdint>
#include <hdf5.h>
#include <memory>
#include <string>
#include <vector>

namespace tessera::h5
{

/// How an HDF5 file reaches the disk so that a process may be killed, or the disk fill up, at any
/// moment: as a file driver of HDF5's own kind. What HDF5 writes of its structure (headers,
/// indices) is held back until commit(), which puts it in place in an order that lets a reader find
/// the old state or the new one. In a file that grows:
///     new regions               nothing points to them yet
///     length, first block       the file may end where it will
///     indices, from the root    a node is split: its parent knows the new half before the old one
///                               loses it
///     the rest, page by page    headers: they make entries of the indices visible; those of one
///                               page by one write
/// Data go through at once: they lie where nothing points to yet, or repeat what is there. In a
/// file whose datasets are cut they are held back too, for HDF5 blanks what it cuts off:
///     headers, page by page     they hide entries of the indices
///     indices, data
///     first block, length
/// What a cut has freed must not be used again before the file is opened anew: it would pass for
/// old structure.
/// In a rehearsal everything is held back, and commit() changes nothing: what is done to the file
/// is seen by who does it, and is gone with this object.
///
/// After a write has failed nothing more is written: the file keeps the last state committed, and
/// HDF5, which cannot close a file that it cannot write, closes it.
class OrderedWrites : public std::enable_shared_from_this<OrderedWrites> {
public:
    enum class Change { grows, is_cut, is_rehearsed };
    static constexpr hsize_t page = 4096; ///< a kill in the midst of a write leaves whole ones
    explicit OrderedWrites(Change change) : change_(change) {}

    /// Makes `access` (a file access property list) use this driver. The object serves one file.
    void use_in(hid_t access);

    /// Puts everything held back in place. False when this or an earlier write failed.
    bool commit();

    /// The system's words for the first failure; empty when there was none.
    [[nodiscard]] const std::string& failure() const { return failure_; }

private:
    friend struct OrderedFile;

    struct Held {
        H5FD_mem_t type;
        haddr_t address;
        std::vector<unsigned char> bytes;
        [[nodiscard]] haddr_t end() const { return address + bytes.size(); }
        [[nodiscard]] bool is_index() const { return type == H5FD_MEM_BTREE; }
        [[nodiscard]] int level_of_index() const; ///< 0: a leaf
    };

    bool open(const char* name, unsigned flags);
    void close();
    bool read(haddr_t address, std::size_t size, unsigned char* to);
    bool read_file(haddr_t address, std::size_t size, unsigned char* to);
    bool write(H5FD_mem_t type, haddr_t address, std::size_t size, const unsigned char* from);
    bool put(haddr_t address, std::size_t size, const unsigned char* from);
    bool put(const Held& one);
    bool put_all(const std::vector<const Held*>& some);
    bool put_pages(const std::vector<const Held*>& some);
    bool put_grown(const std::vector<Held>& held);
    bool put_cut(const std::vector<Held>& held);
    bool resize();
    bool fail(const char* what);

    Change change_;
    int file_ = -1;
    haddr_t end_of_addresses_ = 0; ///< what HDF5 has given out
    haddr_t end_of_file_ = 0;      ///< as HDF5 sees it, what is held back included
    haddr_t committed_end_ = 0;
    std::vector<Held> held_;
    std::string failure_;
};

} // namespace tessera::h5
