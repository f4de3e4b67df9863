#pragma once

#include "engine/backend/transport.hpp"

#include <functional>

namespace tessera
{

/// Runs a command as one of the ranks that a launcher started; alone (null) where it started none.
/// Returns its exit status. What one rank throws ends all of them: the first rank tells its own
/// reason at once, others theirs after a while in which the first may have told the same.
int on_ranks(const std::function<int(Transport*)>& command);

} // namespace tessera
