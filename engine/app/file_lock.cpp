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

std::string in_use(const std::filesystem::path& file, const std::string& holder)
{
    return fmt::format("{}: in use by {} (both would write it). Wait until that run ends, or give "
                       "this one files of its own under [output].",
                       file.string(), holder);
}

/// The lock file of another user cannot be opened to write, whether that user's run lives or not.
std::string why_not_opened(const std::filesystem::path& file, const std::string& name, int why)
{
    struct stat there = {};
    if (why != EACCES || stat(name.c_str(), &there) != 0 || there.st_uid == geteuid()) {
        return fmt::format("{}: cannot be written (its lock {} cannot be made: {}). Check the "
                           "folder and its permissions, or name another file under [output].",
                           file.string(), name, std::strerror(why));
    }
    const std::string holder = FileLock::holder_of(file);
    if (!holder.empty()) {
        return in_use(file, holder);
    }
    return fmt::format("{0}: cannot be written (its lock {1} was left by a run of user {2}, which "
                       "holds it no more on this host: {3}). Remove {1} if no run there writes the "
                       "file, or give this run files of its own under [output].",
                       file.string(), name, there.st_uid, std::strerror(why));
}

} // namespace

std::string FileLock::holder_of(const std::filesystem::path& file)
{
    std::error_code fault;
    const std::string name = std::filesystem::weakly_canonical(file, fault).string() + ".lock";
    const int descriptor = fault ? -1 : open(name.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        return "";
    }
    struct flock lock = {};
    lock.l_type = F_WRLCK; // as if: what is in its way is asked for alone
    lock.l_whence = SEEK_SET;
    const bool is_held = fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    const std::string holder = is_held ? first_line(descriptor) : "";
    close(descriptor);
    return is_held && holder.empty() ? "another process" : holder;
}

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
            throw FileError(why_not_opened(file, name_, errno));
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
                throw EnvironmentError(in_use(file, holder.empty() ? "another process" : holder));
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
