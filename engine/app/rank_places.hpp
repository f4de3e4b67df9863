#pragma once

#include "engine/backend/transport.hpp"
#include "engine/plans/settings.hpp"

#include <string>
#include <vector>

namespace tessera
{

/// Where a rank runs.
struct RankPlace {
    std::string node;
    std::vector<int> cores; ///< that it may use (its affinity mask), ascending
    int threads = 1;
    int devices = 0;                         ///< GPUs that it sees
    std::string visible_devices{};           ///< CUDA_VISIBLE_DEVICES; empty: not set
    std::vector<std::string> device_names{}; ///< [devices] name and UUID
};

/// Of all ranks, by number; to be called by all of them.
std::vector<RankPlace> places_of_ranks(Transport& ranks, int threads);

/// Which of the GPUs that it sees each rank takes, [ranks]; -1: it sees none. Ranks of a node that
/// see the same ones take them in turn: one each where there are enough, else they share.
std::vector<int> devices_of_ranks(const std::vector<RankPlace>& places);

/// For the log: ranks, threads and cores of each node, and a note for nodes whose ranks have more
/// threads than cores. Where GPUs are seen, a line a rank on its own.
std::string in_words(const std::vector<RankPlace>& places);

/// How ranks share the mesh, for the log; empty without one.
std::string mesh_in_words(const NonbondedSettings& settings, int ranks);

} // namespace tessera
