#pragma once

namespace tessera
{

/// Whose the cores are that a process sees.
struct CoreUse {
    int given;        ///< to this process, by its affinity mask
    int of_machine;   ///< in all
    int ranks;        ///< processes of this run on the machine
    int others_at_it; ///< threads of others that run or want to
};

/// Turns that a waiting thread looks for work before it sleeps. None where others may want the
/// cores: a spinning thread then takes the core that the awaited one needs, and a step may take
/// ten times as long. Where cores are this process's own (a mask narrower than the machine, as
/// batch systems give) or next to nothing else runs, waking a sleeper takes longer than most waits:
/// then some, as long as a wait within a step. None where ranks leave no core for threads.
int turns_before_sleep(const CoreUse& use);

/// Sets what the OpenMP library's threads do that wait for others (see turns_before_sleep). The
/// library reads OMP_WAIT_POLICY and GOMP_SPINCOUNT while it is loaded, so where nobody set either,
/// this sets both and starts the same program again in this process; it returns where one is set
/// already, or where the program cannot be started again. To be called first in main().
void let_waiting_threads_sleep(char** argv);

} // namespace tessera
