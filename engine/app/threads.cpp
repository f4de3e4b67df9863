#include "engine/app/threads.hpp"

#include <algorithm>
#include <cstdlib>
#include <sched.h>
#include <sstream>
#include <thread>

namespace tessera
{

namespace
{

int number_in(const char* name)
{
    const char* const text = std::getenv(name);
    return text == nullptr ? 0 : std::atoi(text);
}

} // namespace

int ranks_on_this_node()
{
    int ranks = std::max(number_in("MPI_LOCALNRANKS"), number_in("OMPI_COMM_WORLD_LOCAL_SIZE"));
    if (const char* list = std::getenv("SLURM_STEP_TASKS_PER_NODE");
        ranks == 0 && list != nullptr) {
        ranks = tasks_of_node(list, number_in("SLURM_NODEID"));
    }
    return ranks > 0 ? std::min(ranks, launched_ranks()) : launched_ranks();
}

int tasks_of_node(const std::string& list, int node)
{
    int first = 0; // node of the entry at hand
    std::istringstream entries(list);
    for (std::string entry; std::getline(entries, entry, ',');) {
        const auto times = entry.find("(x");
        const int nodes = times == std::string::npos ? 1 : std::atoi(entry.c_str() + times + 2);
        if (node < first + nodes) {
            return std::atoi(entry.c_str());
        }
        first += nodes;
    }
    return 0;
}

int cores_given()
{
    cpu_set_t mask;
    CPU_ZERO(&mask);
    return sched_getaffinity(0, sizeof(mask), &mask) == 0
               ? CPU_COUNT(&mask)
               : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

int threads_to_use(int asked)
{
    if (asked > 0) {
        return asked;
    }
    const int cores = cores_given();
    // srun gives each of its tasks so many, and often a mask of its own
    const int of_task =
        number_in("SLURM_STEP_NUM_TASKS") > 0 ? number_in("SLURM_CPUS_PER_TASK") : 0;
    return of_task > 0 ? std::min(cores, of_task) : std::max(1, cores / ranks_on_this_node());
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

} // namespace tessera
