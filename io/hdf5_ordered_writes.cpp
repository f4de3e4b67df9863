#include "io/hdf5_ordered_writes.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <map>
#include <sys/stat.h>
#include <unistd.h>

namespace tessera::h5
{

/// What HDF5 holds of an open file: its own part first.
struct OrderedFile {
    H5FD_t pub{};
    std::shared_ptr<OrderedWrites> writes;

    static OrderedFile& of(H5FD_t* file) { return *reinterpret_cast<OrderedFile*>(file); }
    static const OrderedFile& of(const H5FD_t* file)
    {
        return *reinterpret_cast<const OrderedFile*>(file);
    }

    static H5FD_t* open(const char* name, unsigned flags, hid_t access, haddr_t)
    {
        const auto* const info = static_cast<OrderedWrites* const*>(H5Pget_driver_info(access));
        if (info == nullptr) {
            return nullptr;
        }
        auto file = std::make_unique<OrderedFile>();
        file->writes = (*info)->shared_from_this();
        if (!file->writes->open(name, flags)) {
            return nullptr;
        }
        return &file.release()->pub;
    }
    static herr_t close(H5FD_t* file)
    {
        const std::unique_ptr<OrderedFile> owner(&of(file));
        owner->writes->commit(); // a failure has been told, or cannot be told any more
        owner->writes->close();
        return 0;
    }
    static int compare(const H5FD_t* a, const H5FD_t* b)
    {
        struct stat one {
        }, two{};
        ::fstat(of(a).writes->file_, &one);
        ::fstat(of(b).writes->file_, &two);
        const bool is_less =
            one.st_dev != two.st_dev ? one.st_dev < two.st_dev : one.st_ino < two.st_ino;
        return is_less ? -1 : (one.st_dev == two.st_dev && one.st_ino == two.st_ino ? 0 : 1);
    }
    static herr_t query(const H5FD_t*, unsigned long* flags)
    {
        *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA |
                 H5FD_FEAT_POSIX_COMPAT_HANDLE;
        return 0;
    }
    static haddr_t end_of_addresses(const H5FD_t* file, H5FD_mem_t)
    {
        return of(file).writes->end_of_addresses_;
    }
    static herr_t set_end_of_addresses(H5FD_t* file, H5FD_mem_t, haddr_t address)
    {
        of(file).writes->end_of_addresses_ = address;
        return 0;
    }
    static haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t)
    {
        return of(file).writes->end_of_file_;
    }
    static herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size, void* to)
    {
        return of(file).writes->read(address, size, static_cast<unsigned char*>(to)) ? 0 : -1;
    }
    static herr_t write(H5FD_t* file, H5FD_mem_t type, hid_t, haddr_t address, std::size_t size,
                        const void* from)
    {
        return of(file).writes->write(type, address, size, static_cast<const unsigned char*>(from))
                   ? 0
                   : -1;
    }
    static herr_t truncate(H5FD_t* file, hid_t, hbool_t)
    {
        OrderedWrites& writes = *of(file).writes;
        writes.end_of_file_ = writes.end_of_addresses_;
        return 0;
    }

    static hid_t driver()
    {
        static const H5FD_class_t description = [] {
            H5FD_class_t c{};
            c.name = "tessera_ordered";
            c.maxaddr = (haddr_t{1} << (8 * sizeof(off_t) - 1)) - 1;
            c.fc_degree = H5F_CLOSE_WEAK;
            c.fapl_size = sizeof(OrderedWrites*);
            c.open = open;
            c.close = close;
            c.cmp = compare;
            c.query = query;
            c.get_eoa = end_of_addresses;
            c.set_eoa = set_end_of_addresses;
            c.get_eof = end_of_file;
            c.read = read;
            c.write = write;
            c.truncate = truncate;
            const H5FD_mem_t map[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
            std::copy(std::begin(map), std::end(map), std::begin(c.fl_map));
            return c;
        }();
        static const hid_t id = H5FDregister(&description);
        return id;
    }
};

void OrderedWrites::use_in(hid_t access)
{
    OrderedWrites* const self = this;
    H5Pset_driver(access, OrderedFile::driver(), static_cast<const void*>(&self));
}

bool OrderedWrites::open(const char* name, unsigned flags)
{
    const bool is_writing = (flags & H5F_ACC_RDWR) != 0 && change_ != Change::is_rehearsed;
    const int how = (is_writing ? O_RDWR : O_RDONLY) |
                    ((flags & H5F_ACC_TRUNC) != 0 ? O_TRUNC : 0) |
                    ((flags & H5F_ACC_CREAT) != 0 ? O_CREAT : 0) |
                    ((flags & H5F_ACC_EXCL) != 0 ? O_EXCL : 0) | O_CLOEXEC;
    errno = 0;
    file_ = ::open(name, how, 0666);
    struct stat about {};
    if (file_ < 0 || ::fstat(file_, &about) != 0) {
        H5Epush2(H5E_DEFAULT, __FILE__, "open", __LINE__, H5E_ERR_CLS, H5E_FILE, H5E_CANTOPENFILE,
                 "open failed, error message = '%s'", std::strerror(errno));
        return false;
    }
    end_of_addresses_ = 0;
    end_of_file_ = committed_end_ = static_cast<haddr_t>(about.st_size);
    held_.clear();
    failure_.clear();
    return true;
}

void OrderedWrites::close()
{
    ::close(file_);
    file_ = -1;
}

bool OrderedWrites::fail(const char* what)
{
    if (failure_.empty()) {
        failure_ = errno != 0 ? std::strerror(errno) : what;
    }
    H5Epush2(H5E_DEFAULT, __FILE__, what, __LINE__, H5E_ERR_CLS, H5E_IO, H5E_WRITEERROR,
             "%s failed, error message = '%s'", what, failure_.c_str());
    return false;
}

bool OrderedWrites::read_file(haddr_t address, std::size_t size, unsigned char* to)
{
    std::size_t done = 0;
    while (done < size) {
        errno = 0;
        const ssize_t count =
            ::pread(file_, to + done, size - done, static_cast<off_t>(address + done));
        if (count < 0 && errno != EINTR) {
            return fail("read");
        }
        if (count == 0) { // beyond the end: zeros, as HDF5 expects
            std::memset(to + done, 0, size - done);
            break;
        }
        done += static_cast<std::size_t>(std::max<ssize_t>(0, count));
    }
    return true;
}

bool OrderedWrites::read(haddr_t address, std::size_t size, unsigned char* to)
{
    if (!read_file(address, size, to)) {
        return false;
    }
    for (const Held& held : held_) {
        const haddr_t begin = std::max(address, held.address);
        const haddr_t end = std::min(address + size, held.end());
        if (begin < end) {
            std::memcpy(to + (begin - address), held.bytes.data() + (begin - held.address),
                        end - begin);
        }
    }
    return true;
}

bool OrderedWrites::write(H5FD_mem_t type, haddr_t address, std::size_t size,
                          const unsigned char* from)
{
    end_of_file_ = std::max(end_of_file_, address + size);
    if (type == H5FD_MEM_DRAW && change_ == Change::grows) {
        // the first failure is told, further ones are swallowed
        return !failure_.empty() || put(address, size, from);
    }
    held_.push_back({type, address, {from, from + size}});
    return true;
}

bool OrderedWrites::put(haddr_t address, std::size_t size, const unsigned char* from)
{
    std::size_t done = 0;
    while (done < size) {
        errno = 0;
        const ssize_t count =
            ::pwrite(file_, from + done, size - done, static_cast<off_t>(address + done));
        if (count == 0 || (count < 0 && errno != EINTR)) {
            return fail("write");
        }
        done += static_cast<std::size_t>(std::max<ssize_t>(0, count));
    }
    return true;
}

int OrderedWrites::Held::level_of_index() const
{
    constexpr std::size_t place = 5; // behind "TREE" and the kind of tree
    return bytes.size() > place ? bytes[place] : 0;
}

bool OrderedWrites::resize()
{
    errno = 0;
    if (end_of_file_ != committed_end_ &&
        ::ftruncate(file_, static_cast<off_t>(end_of_file_)) != 0) {
        return fail("resize");
    }
    committed_end_ = end_of_file_;
    return true;
}

bool OrderedWrites::put(const Held& one)
{
    return put(one.address, one.bytes.size(), one.bytes.data());
}

bool OrderedWrites::put_pages(const std::vector<const Held*>& some)
{
    std::map<haddr_t, std::vector<const Held*>, std::greater<>> pages;
    for (const Held* one : some) {
        pages[one->address / page].push_back(one);
    }
    const auto put_together = [&](const std::vector<const Held*>& together) {
        haddr_t begin = together.front()->address, end = together.front()->end();
        for (const Held* one : together) {
            begin = std::min(begin, one->address);
            end = std::max(end, one->end());
        }
        std::vector<unsigned char> bytes(end - begin);
        if (!read_file(begin, bytes.size(), bytes.data())) {
            return false;
        }
        for (const Held* one : together) {
            std::copy(one->bytes.begin(), one->bytes.end(),
                      bytes.begin() + static_cast<std::ptrdiff_t>(one->address - begin));
        }
        return put(begin, bytes.size(), bytes.data());
    };
    return std::all_of(pages.begin(), pages.end(),
                       [&](const auto& entry) { return put_together(entry.second); });
}

bool OrderedWrites::put_grown(const std::vector<Held>& held)
{
    const haddr_t old_end = committed_end_;
    std::vector<const Held*> fresh, first, indices, rest;
    for (const Held& one : held) {
        const bool is_old = one.address < old_end;
        auto& group = !is_old ? fresh : one.address == 0 ? first : one.is_index() ? indices : rest;
        group.push_back(&one);
    }
    std::stable_sort(indices.begin(), indices.end(), [](const Held* a, const Held* b) {
        return a->level_of_index() > b->level_of_index();
    });
    return put_all(fresh) && resize() && put_all(first) && put_all(indices) && put_pages(rest);
}

bool OrderedWrites::put_cut(const std::vector<Held>& held)
{
    std::vector<const Held*> first, indices, data, rest;
    for (const Held& one : held) {
        auto& group = one.type == H5FD_MEM_DRAW ? data
                      : one.address == 0        ? first
                      : one.is_index()          ? indices
                                                : rest;
        group.push_back(&one);
    }
    std::stable_sort(indices.begin(), indices.end(), [](const Held* a, const Held* b) {
        return a->level_of_index() > b->level_of_index();
    });
    return put_pages(rest) && put_all(indices) && put_all(data) && put_all(first) && resize();
}

bool OrderedWrites::put_all(const std::vector<const Held*>& some)
{
    return std::all_of(some.begin(), some.end(), [&](const Held* one) { return put(*one); });
}

bool OrderedWrites::commit()
{
    if (change_ == Change::is_rehearsed) {
        return true;
    }
    std::vector<Held> held;
    held.swap(held_);
    if (!failure_.empty()) {
        return fail("write");
    }
    return change_ == Change::grows ? put_grown(held) : put_cut(held);
}

} // namespace tessera::h5
