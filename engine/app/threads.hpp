#pragma once

#include <string>

namespace tessera
{

/// Threads to use: `asked`, or where that is 0 the cores of this process's affinity mask, shared
/// between the processes that a launcher started.
int threads_to_use(int asked);

/// Processes that a launcher (mpirun, srun) started together with this one, itself included.
int launched_ranks();

/// Throws InputError where a launcher started several: each would write the same files.
void refuse_several_ranks(const std::string& command);

} // namespace tessera
