#pragma once

#include "engine/app/assemble.hpp"
#include "engine/backend/transport.hpp"

#include <functional>
#include <string>

namespace tessera
{

/// What becomes of processes of a launcher that MPI does not join.
enum class Unjoined : unsigned char { refused, each_alone };

/// Runs a command as one of the ranks that a launcher started; alone (null) where it started none.
/// Returns its exit status. What ranks throw ends all of them: the lowest of these tells its
/// reason, and its status is all ranks'.
int on_ranks(Unjoined unjoined, const std::function<int(Transport*)>& command);

/// Whether this rank prints and has the files.
inline bool is_first(const Transport* ranks)
{
    return ranks == nullptr || ranks->rank() == 0;
}

/// Throws InputError that names the deck, for what so many ranks cannot share. Touches nothing.
void refuse_on_ranks(const Deck& deck, const Assembly& assembly, int ranks);

/// Throws InputError where there are several: `command` is one process's work.
void refuse_several_ranks(const Transport* ranks, const std::string& command);

} // namespace tessera
