#pragma once

#include "engine/backend/transport.hpp"

#include <string>
#include <vector>

namespace tessera
{

/// Where a rank runs.
struct RankPlace {
    std::string node;
    std::vector<int> cores; ///< that it may use (its affinity mask), ascending
    int threads = 1;
};

/// Of all ranks, by number; to be called by all of them.
std::vector<RankPlace> places_of_ranks(Transport& ranks, int threads);

/// For the log: ranks, threads and cores of each node, and a note for nodes whose ranks have more
/// threads than cores.
std::string in_words(const std::vector<RankPlace>& places);

} // namespace tessera
