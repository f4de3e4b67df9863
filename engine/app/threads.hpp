#pragma once

#include <string>

namespace tessera
{

/// Threads to use: `asked`, or where that is 0 what srun gives to a task, else the cores of this
/// process's affinity mask, shared between the processes that a launcher started on this node.
int threads_to_use(int asked);

/// Cores of this process's affinity mask.
int cores_given();

/// Those of the launched ranks that run on this node.
int ranks_on_this_node();

/// Slurm's tasks of one node, of a list such as "4(x2),3"; 0: it does not tell.
int tasks_of_node(const std::string& list, int node);

/// Processes that a launcher (mpirun, srun) started together with this one, itself included.
int launched_ranks();

} // namespace tessera
