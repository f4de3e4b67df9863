#include "engine/app/ranks.hpp"

#include "engine/app/exit_status.hpp"
#include "engine/app/threads.hpp"
#include "engine/base/error.hpp"
#include "engine/parallel/mpi_transport.hpp"

#include <chrono>
#include <exception>
#include <fmt/format.h>
#include <iostream>
#include <thread>

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
    int status = exit_status::done;
    run_mpi([&](Transport& ranks) {
        try {
            check_launcher(ranks);
            status = command(&ranks);
        } catch (...) {
            if (ranks.rank() > 0) {
                std::this_thread::sleep_for(std::chrono::seconds(3));
                std::cerr << fmt::format("rank {}: ", ranks.rank());
            }
            const std::exception_ptr fault = std::current_exception();
            status = guarded([&]() -> int { std::rethrow_exception(fault); });
            // launchers drop what they have not passed on when they are told to end
            std::this_thread::sleep_for(std::chrono::milliseconds(500));
            end_all_ranks(status);
        }
    });
    return status;
}

} // namespace tessera
