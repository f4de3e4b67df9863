#pragma once

#include "engine/parallel/transport.hpp"

#include <functional>

namespace tessera
{

/// Runs `work` on this process as one of the ranks that the launcher (mpirun, srun) started: starts
/// MPI before and ends it after; only once in a process. An exception leaves without ending MPI;
/// the process must then end with a status that is not zero, on which the launcher ends the others.
void run_mpi(const std::function<void(Transport&)>& work);

} // namespace tessera
