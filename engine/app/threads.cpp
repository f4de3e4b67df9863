#include "engine/app/threads.hpp"

#include "engine/base/error.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
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
        return std::max(1, CPU_COUNT(&mask) / launched_ranks());
    }
    return std::max(1U, std::thread::hardware_concurrency());
}

int launched_ranks()
{
    int ranks = 1;
    // MPICH and Slurm's PMI, Open MPI, srun without an MPI plugin
    for (const char* name : {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"}) {
        if (const char* text = std::getenv(name); text != nullptr) {
            ranks = std::max(ranks, std::atoi(text));
        }
    }
    return ranks;
}

void refuse_several_ranks(const std::string& command)
{
    if (const int ranks = launched_ranks(); ranks > 1) {
        throw InputError(fmt::format("{} processes were started, but tessera {} on several ranks "
                                     "is not built yet. Start one process; it uses all its cores.",
                                     ranks, command));
    }
}

} // namespace tessera
