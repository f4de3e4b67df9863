#pragma once

#include "engine/backend/transport.hpp"

#include <exception>
#include <functional>

namespace tessera
{

/// Runs `work` on this process as one of the ranks that the launcher (mpirun, srun) started, and
/// returns its exit status; only once in a process. Starts MPI before and ends it after.
///
/// What one rank throws ends the work of all: the others' next wait throws OtherRankError. Then
/// they meet, `tell(fault, rank)` is called on one rank with a fault of its own, that of the lowest
/// atom (AtomFault), else the lowest rank, says what it is and returns the exit status, and all ranks return that. Where they do not meet in time,
/// as when one computes for minutes or is stopped, each tells its own fault and the processes of
/// all are ended by force.
int run_mpi(const std::function<int(Transport&)>& work,
            const std::function<int(const std::exception_ptr& fault, int rank)>& tell);

} // namespace tessera
