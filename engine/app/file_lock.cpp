#include "engine/app/file_lock.hpp"

#include "engine/base/error.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace tessera
{

namespace
{

std::string this_process()
{
    std::array<char, 256> host = {};
    gethostname(host.data(), host.size() - 1);
    return fmt::format("process {} on host {}\n", getpid(), host.data());
}

std::string first_line(int file)
{
    std::array<char, 400> text = {};
    const ssize_t length = pread(file, text.data(), text.size() - 1, 0);
    const std::string line(text.data(), static_cast<std::size_t>(length > 0 ? length : 0));
    return line.substr(0, line.find('\n'));
}

bool has_name(int file, const std::string& name)
{
    struct stat here = {}, there = {};
    return fstat(file, &here) == 0 && stat(name.c_str(), &there) == 0 &&
           here.st_ino == there.st_ino && here.st_dev == there.st_dev;
}

} // namespace

FileLock::FileLock(const std::filesystem::path& file)
    : name_(std::filesystem::weakly_canonical(file).string() + ".lock")
{
    // the holder before may remove the name between our opening and locking: then once more
    do {
        if (descriptor_ >= 0) {
            close(descriptor_);
        }
        descriptor_ = open(name_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (descriptor_ < 0) {
            throw FileError(fmt::format("{}: cannot be written ({}). Check the folder and its "
                                        "permissions.",
                                        name_, std::strerror(errno)));
        }
        struct flock lock = {};
        lock.l_type = F_WRLCK;
        lock.l_whence = SEEK_SET;
        if (fcntl(descriptor_, F_SETLK, &lock) != 0) {
            const bool held = errno == EACCES || errno == EAGAIN;
            const std::string holder = first_line(descriptor_);
            close(descriptor_);
            descriptor_ = -1;
            if (held) {
                throw EnvironmentError(fmt::format(
                    "{}: in use by {} (both would write it). Wait until that run ends, or give "
                    "this one files of its own under [output].",
                    file.string(), holder.empty() ? "another process" : holder));
            }
            return;
        }
    } while (!has_name(descriptor_, name_));
    const std::string text = this_process();
    if (ftruncate(descriptor_, 0) == 0) {
        // for the other's message alone: without it that says "another process"
        static_cast<void>(pwrite(descriptor_, text.data(), text.size(), 0) > 0);
    }
}

FileLock::~FileLock()
{
    if (descriptor_ >= 0) {
        unlink(name_.c_str());
        close(descriptor_);
    }
}

FileLock::FileLock(FileLock&& other) noexcept
    : name_(std::move(other.name_)), descriptor_(std::exchange(other.descriptor_, -1))
{
}

} // namespace tessera
