#include "io/hdf5_rehearsal.hpp"

#include "engine/base/error.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <hdf5.h>
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

/// A death tells nothing but its signal: no core, no words of the C library or of whatever library
/// handles signals.
void die_quietly()
{
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
        std::signal(number, SIG_DFL);
    }
    const int nowhere = ::open("/dev/null", O_WRONLY);
    if (nowhere >= 0) {
        ::dup2(nowhere, STDERR_FILENO);
    }
}

[[noreturn]] void perform(const std::function<void()>& use)
{
    die_quietly();
    int status = has_returned;
    try {
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
        perform(use);
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
        use();
        return;
    }
    const std::string how = WIFSIGNALED(status) ? fmt::format("signal {}, {}", WTERMSIG(status),
                                                              strsignal(WTERMSIG(status)))
                                                : fmt::format("status {}", said);
    throw FileError(
        fmt::format("{}: cannot be read (the file is damaged: the HDF5 library {}.{}.{} "
                    "broke down on it, tried in a process of its own: {}). Take an "
                    "intact copy of it, or write it anew.",
                    path, H5_VERS_MAJOR, H5_VERS_MINOR, H5_VERS_RELEASE, how));
}

} // namespace tessera::h5
