#include "engine/app/wait_policy.hpp"

#include "engine/app/threads.hpp"

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <unistd.h>

namespace tessera
{

namespace
{

constexpr int turns = 5000; // some 100 microseconds

/// Threads of the machine that run or want to ("running/all" in the kernel's words), this one
/// included; as many as there are cores where it does not tell.
int at_work(int of_machine)
{
    std::ifstream load("/proc/loadavg");
    double average;
    int running = of_machine;
    load >> average >> average >> average >> running;
    return running;
}

CoreUse use_of_cores()
{
    const auto of_machine = static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
    CoreUse use{cores_given(), of_machine, ranks_on_this_node(), of_machine};
    constexpr int looks = 3; // something always runs for a moment
    for (int k = 0; k < looks && use.others_at_it > 0; ++k) {
        std::this_thread::sleep_for(std::chrono::milliseconds(k));
        use.others_at_it =
            std::clamp(at_work(of_machine) - use.ranks, 0, use.others_at_it);
    }
    return use;
}

} // namespace

int turns_before_sleep(const CoreUse& use)
{
    constexpr int few = 8; // one core of so many may be busy
    const bool are_own = use.given < use.of_machine || use.others_at_it <= use.of_machine / few;
    return are_own && use.ranks < use.given ? turns : 0;
}

void let_waiting_threads_sleep(char** argv)
{
    constexpr const char *policy = "OMP_WAIT_POLICY", *count = "GOMP_SPINCOUNT";
    if (std::getenv(policy) != nullptr || std::getenv(count) != nullptr) {
        return;
    }
    // the name behind the link, so that tools that list processes show the program's name
    std::string program(PATH_MAX, '\0');
    const ssize_t length = readlink("/proc/self/exe", program.data(), program.size());
    const std::string number = std::to_string(turns_before_sleep(use_of_cores()));
    if (length <= 0 || static_cast<std::size_t>(length) >= program.size() ||
        setenv(policy, "passive", 1) != 0 || setenv(count, number.c_str(), 1) != 0) {
        return;
    }
    program.resize(static_cast<std::size_t>(length));
    execv(program.c_str(), argv);
}

} // namespace tessera
