#pragma once

namespace tessera
{

/// Threads to use: `asked`, or where that is 0 the cores of this process's affinity mask.
int threads_to_use(int asked);

} // namespace tessera
