#pragma once

namespace tessera
{

/// Threads to use: `asked`, or where that is 0 the cores of this process's affinity mask.
int threads_to_use(int asked);

/// Processes that a launcher (mpirun, srun) started together with this one, itself included.
int launched_ranks();

} // namespace tessera
