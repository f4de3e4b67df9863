#include "engine/app/wait_policy.hpp"

#include <climits>
#include <cstdlib>
#include <string>
#include <unistd.h>

namespace tessera
{

void let_waiting_threads_sleep(char** argv)
{
    constexpr const char* policy = "OMP_WAIT_POLICY";
    if (std::getenv(policy) != nullptr || std::getenv("GOMP_SPINCOUNT") != nullptr) {
        return;
    }
    // the name behind the link, so that tools that list processes show the program's name
    std::string program(PATH_MAX, '\0');
    const ssize_t length = readlink("/proc/self/exe", program.data(), program.size());
    if (length <= 0 || static_cast<std::size_t>(length) >= program.size() ||
        setenv(policy, "passive", 1) != 0) {
        return;
    }
    program.resize(static_cast<std::size_t>(length));
    execv(program.c_str(), argv);
}

} // namespace tessera
