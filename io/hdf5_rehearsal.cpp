#include "io/hdf5_rehearsal.hpp"

#include "engine/base/unfit_file.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <hdf5.h>
#include <new>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tessera::h5
{

namespace
{

// what no library that gives up exits with
constexpr int has_returned = 100;
constexpr int has_thrown = 101;

/// A damaged file can ask for any number of chunks or any length. What reads it may take as much
/// memory beyond what the process has as no file of its size needs, while this lives.
class MemoryBound {
public:
    explicit MemoryBound(const std::string& path)
    {
        std::error_code absent;
        const auto size = std::filesystem::file_size(path, absent);
        const std::uint64_t more = least + (absent ? 0 : 4 * size);
        std::ifstream statistics("/proc/self/statm");
        std::uint64_t pages = 0;
        if (::getrlimit(RLIMIT_AS, &before_) != 0 || !(statistics >> pages)) {
            return;
        }
        rlimit now = before_;
        now.rlim_cur = std::min<rlim_t>(
            before_.rlim_cur, pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) + more);
        is_set_ = ::setrlimit(RLIMIT_AS, &now) == 0;
    }
    ~MemoryBound()
    {
        if (is_set_) {
            ::setrlimit(RLIMIT_AS, &before_);
        }
    }
    MemoryBound(const MemoryBound&) = delete;
    MemoryBound& operator=(const MemoryBound&) = delete;

private:
    static constexpr std::uint64_t least = std::uint64_t{1} << 31;
    rlimit before_{};
    bool is_set_ = false;
};

/// The same for time: SIGXCPU ends a child that works for longer than any file of its size takes.
void bound_time(const std::string& path)
{
    std::error_code absent;
    const auto size = std::filesystem::file_size(path, absent);
    constexpr rlim_t least = 10, bytes_a_second = 10'000'000; // s; a slow disk, compressed
    const rlim_t seconds = least + (absent ? 0 : size / bytes_a_second);
    const rlimit bound{seconds, seconds + 1};
    ::setrlimit(RLIMIT_CPU, &bound);
}

/// A death tells nothing but its signal: no core, no words of the C library or of whatever library
/// handles signals.
void die_quietly()
{
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU}) {
        std::signal(number, SIG_DFL);
    }
    const int nowhere = ::open("/dev/null", O_WRONLY);
    if (nowhere >= 0) {
        ::dup2(nowhere, STDERR_FILENO);
    }
}

[[noreturn]] void perform(const std::string& path, const std::function<void()>& use)
{
    die_quietly();
    bound_time(path);
    int status = has_returned;
    try {
        const MemoryBound bound(path);
        use();
    } catch (...) { // told by the parent, which meets the same
        status = has_thrown;
    }
    ::_exit(status); // nothing that the parent has buffered is written twice
}

} // namespace

void rehearse(const std::string& path, const std::function<void()>& use)
{
    const pid_t child = ::fork();
    if (child == 0) {
        perform(path, use);
    }
    int status = 0;
    pid_t ended = -1;
    do {
        ended = child > 0 ? ::waitpid(child, &status, 0) : -1;
    } while (ended < 0 && errno == EINTR && child > 0);
    const int said = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    if (ended < 0 || said == has_returned) {
        return;
    }
    if (said == has_thrown) {
        try {
            const MemoryBound bound(path);
            use();
        } catch (const std::bad_alloc&) {
            throw UnfitFile(fmt::format("{}: cannot be read (the file is damaged: it asks for more "
                                        "memory than a file of its size needs). Take an intact "
                                        "copy of it, or write it anew.",
                                        path));
        }
        return;
    }
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
        throw FileError(fmt::format("{}: cannot be read (the process that tried it was killed from "
                                    "outside, often where memory runs out). Try again with more "
                                    "memory.",
                                    path));
    }
    const std::string how = WIFSIGNALED(status) ? fmt::format("signal {}, {}", WTERMSIG(status),
                                                              strsignal(WTERMSIG(status)))
                                                : fmt::format("status {}", said);
    throw UnfitFile(
        fmt::format("{}: cannot be read (the file is damaged: the HDF5 library {}.{}.{} "
                    "broke down on it, tried in a process of its own: {}). Take an "
                    "intact copy of it, or write it anew.",
                    path, H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE, how));
}

} // namespace tessera::h5
