#include "engine/app/threads.hpp"

#include <algorithm>
#include <sched.h>
#include <thread>

namespace tessera
{

int threads_to_use(int asked)
{
    if (asked > 0) {
        return asked;
    }
    cpu_set_t mask;
    CPU_ZERO(&mask);
    if (sched_getaffinity(0, sizeof(mask), &mask) == 0) {
        return std::max(1, CPU_COUNT(&mask));
    }
    return std::max(1U, std::thread::hardware_concurrency());
}

} // namespace tessera
