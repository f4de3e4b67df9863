#pragma once

#include "engine/backend/transport.hpp"

#include <functional>

namespace tessera
{

/// Runs `work` on this process as one of the ranks that the launcher (mpirun, srun) started: starts
/// MPI before and ends it after; only once in a process. An exception leaves without ending MPI;
/// the process must then end with a status that is not zero, on which the launcher ends the others.
void run_mpi(const std::function<void(Transport&)>& work);

/// Ends the processes of all ranks with this status, inside run_mpi().
[[noreturn]] void end_all_ranks(int status);

} // namespace tessera
