#pragma once

#include "engine/backend/transport.hpp"

#include <functional>

namespace tessera
{

/// Runs `work` once a rank, on threads of this process that talk through memory, and returns when
/// all are done. A rank that throws ends the others at their next message; its exception is thrown
/// here (that of the lowest such rank).
void run_loopback(int ranks, const std::function<void(Transport&)>& work);

} // namespace tessera
