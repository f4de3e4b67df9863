#pragma once

#include "engine/backend/transport.hpp"

#include <functional>

namespace tessera
{

/// Runs a command as one of the ranks that a launcher started; alone (null) where it started none.
/// Returns its exit status. What ranks throw ends all of them: the lowest of these tells its
/// reason, and its status is all ranks'.
int on_ranks(const std::function<int(Transport*)>& command);

} // namespace tessera
