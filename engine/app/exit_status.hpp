#pragma once

#include <functional>

namespace tessera
{

/// What the program tells the shell (docs/errors.md).
namespace exit_status
{
inline constexpr int done = 0;
inline constexpr int simulation_failed = 1;
inline constexpr int bad_input = 2;
inline constexpr int accuracy_missed = 3;
inline constexpr int environment = 4;
inline constexpr int our_bug = 70;
inline constexpr int stopped = 85; ///< at a time limit or signal, after a checkpoint
} // namespace exit_status

/// Runs a command; an exception becomes its message on standard error and its exit status. The one
/// place where the two are joined.
int guarded(const std::function<int()>& command);

} // namespace tessera
