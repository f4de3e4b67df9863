#pragma once

namespace tessera
{

/// Threads that wait for the others shall sleep, not spin: on a machine with other work a spinning
/// thread takes the core that the awaited one needs, and a step may take ten times as long. The
/// OpenMP library reads OMP_WAIT_POLICY while it is loaded, so where nobody set it, this sets
/// `passive` and starts the same program again in this process; it returns where the variable is
/// set already, or where the program cannot be started again. To be called first in main().
void let_waiting_threads_sleep(char** argv);

} // namespace tessera
