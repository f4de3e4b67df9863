#pragma once

#include "engine/backend/transport.hpp"

#include <cstddef>
#include <functional>

namespace tessera
{

/// Copies bytes to `to` from `from`, either of which may be memory of a device.
using CopyBytes = std::function<void(void* to, const void* from, std::size_t bytes)>;

/// Runs `work` once a rank, on threads of this process that talk through memory, and returns when
/// all are done. A rank that throws ends the others at their next message; its exception is thrown
/// here (that of the lowest such rank). With `copy`, messages reach devices.
void run_loopback(int ranks, const std::function<void(Transport&)>& work, CopyBytes copy = {});

} // namespace tessera
