#include "engine/app/ranks.hpp"

#include "engine/app/exit_status.hpp"
#include "engine/app/threads.hpp"
#include "engine/base/error.hpp"
#include "engine/parallel/mpi_transport.hpp"

#include <exception>
#include <fmt/format.h>
#include <iostream>

namespace tessera
{

namespace
{

void check_launcher(const Transport& ranks)
{
    if (ranks.size() != launched_ranks()) {
        throw MpiError(fmt::format("{} processes were started, but MPI joins {} of them (the "
                                   "launcher belongs to another MPI). Use mpirun.mpich, or srun "
                                   "--mpi=pmi2.",
                                   launched_ranks(), ranks.size()));
    }
}

} // namespace

int on_ranks(const std::function<int(Transport*)>& command)
{
    if (launched_ranks() <= 1) {
        return command(nullptr);
    }
    return run_mpi(
        [&](Transport& ranks) {
            check_launcher(ranks);
            return command(&ranks);
        },
        [](const std::exception_ptr& fault, int rank) {
            if (rank > 0) {
                std::cerr << fmt::format("rank {}: ", rank);
            }
            return guarded([&]() -> int { std::rethrow_exception(fault); });
        });
}

} // namespace tessera
