#include "engine/app/rank_places.hpp"

#include "cuda/make_backend.hpp"
#include "engine/base/byte_stream.hpp"
#include "engine/plans/mesh_plan.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <map>
#include <sched.h>
#include <set>
#include <sstream>
#include <tuple>
#include <unistd.h>
#include <utility>

namespace tessera
{

namespace
{

RankPlace place_of_this_process(int threads)
{
    RankPlace out;
    out.threads = threads;
    std::array<char, 256> name{};
    if (gethostname(name.data(), name.size() - 1) == 0) {
        out.node = name.data();
    }
    const GpuReport gpus = gpu_report();
    out.devices = gpus.devices;
    out.device_names = gpus.names;
    if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES")) {
        out.visible_devices = visible;
        std::erase(out.visible_devices, ' ');
    }
    cpu_set_t mask;
    CPU_ZERO(&mask);
    if (sched_getaffinity(0, sizeof(mask), &mask) == 0) {
        for (int core = 0; core < CPU_SETSIZE; ++core) {
            if (CPU_ISSET(core, &mask)) {
                out.cores.push_back(core);
            }
        }
    }
    return out;
}

/// A line each: node, CUDA_VISIBLE_DEVICES, numbers (threads, GPUs, cores), then a GPU's name each.
Transport::Bytes written(const RankPlace& place)
{
    return bytes_of(fmt::format("{}\n{}\n{} {} {}\n{}", place.node, place.visible_devices,
                                place.threads, place.devices, fmt::join(place.cores, " "),
                                fmt::join(place.device_names, "\n")));
}

RankPlace read(const Transport::Bytes& bytes)
{
    std::istringstream lines(text_of(bytes));
    RankPlace out;
    std::string numbers;
    std::getline(lines, out.node);
    std::getline(lines, out.visible_devices);
    std::getline(lines, numbers);
    std::istringstream words(numbers);
    words >> out.threads >> out.devices;
    for (int core = 0; words >> core;) {
        out.cores.push_back(core);
    }
    for (std::string name; std::getline(lines, name);) {
        out.device_names.push_back(name);
    }
    return out;
}

/// "0-3,8"
std::string ranges(const std::vector<int>& cores)
{
    std::string out;
    for (std::size_t k = 0; k < cores.size();) {
        std::size_t last = k;
        while (last + 1 < cores.size() && cores[last + 1] == cores[last] + 1) {
            ++last;
        }
        out += fmt::format("{}{}", out.empty() ? "" : ",", cores[k]);
        out += last > k ? fmt::format("-{}", cores[last]) : "";
        k = last + 1;
    }
    return out;
}

struct NodeUse {
    std::string name;
    std::vector<std::string> cores; ///< of each rank; one entry where all ranks have the same
    std::set<int> all_cores;
    int ranks = 0, threads = 0;
};

std::vector<NodeUse> by_node(const std::vector<RankPlace>& places)
{
    std::vector<NodeUse> out;
    for (const RankPlace& place : places) {
        auto node = std::find_if(out.begin(), out.end(),
                                 [&](const NodeUse& use) { return use.name == place.node; });
        if (node == out.end()) {
            node = out.insert(out.end(), NodeUse{place.node, {}, {}, 0, 0});
        }
        const std::string cores = ranges(place.cores);
        if (std::find(node->cores.begin(), node->cores.end(), cores) == node->cores.end()) {
            node->cores.push_back(cores);
        }
        node->all_cores.insert(place.cores.begin(), place.cores.end());
        ++node->ranks;
        node->threads += place.threads;
    }
    return out;
}

} // namespace

std::vector<RankPlace> places_of_ranks(Transport& ranks, int threads)
{
    std::vector<Transport::Bytes> mine(static_cast<std::size_t>(ranks.size()));
    for (Transport::Bytes& to : mine) {
        to = written(place_of_this_process(threads));
    }
    std::vector<RankPlace> out;
    for (const Transport::Bytes& from : ranks.exchange(std::move(mine))) {
        out.push_back(read(from));
    }
    return out;
}

std::vector<int> devices_of_ranks(const std::vector<RankPlace>& places)
{
    std::map<std::pair<std::string, std::string>, int> taken; // by node and what is seen there
    std::vector<int> out;
    for (const RankPlace& place : places) {
        int& next = taken[{place.node, place.visible_devices}];
        out.push_back(place.devices > 0 ? next++ % place.devices : -1);
    }
    return out;
}

namespace
{

std::string devices_in_words(const std::vector<RankPlace>& places)
{
    const std::vector<int> devices = devices_of_ranks(places);
    std::map<std::tuple<std::string, std::string, int>, int> users;
    std::string out, notes;
    for (std::size_t r = 0; r < places.size(); ++r) {
        const RankPlace& place = places[r];
        if (devices[r] < 0) {
            continue;
        }
        const auto device = static_cast<std::size_t>(devices[r]);
        out += fmt::format("  rank {}: {}, GPU {} of {}", r, place.node, device, place.devices);
        if (device < place.device_names.size()) {
            out += fmt::format(", {}", place.device_names[device]);
        }
        if (!place.visible_devices.empty()) {
            out += fmt::format(" (CUDA_VISIBLE_DEVICES={})", place.visible_devices);
        }
        out += '\n';
        if (++users[{place.node, place.visible_devices, devices[r]}] == 2 && notes.empty()) {
            notes = fmt::format("note: {}: ranks share GPU {}. Start as many ranks on a node as it "
                                "has GPUs (srun --ntasks-per-node, --gpus-per-node)\n",
                                place.node, devices[r]);
        }
    }
    return out + notes;
}

} // namespace

std::string in_words(const std::vector<RankPlace>& places)
{
    constexpr std::size_t most = 16; // nodes told one by one
    const std::vector<NodeUse> nodes = by_node(places);
    std::string out = fmt::format("ranks         {} on {} {}\n", places.size(), nodes.size(),
                                  nodes.size() == 1 ? "node" : "nodes");
    std::string notes;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
        const NodeUse& node = nodes[k];
        if (k < most) {
            out +=
                fmt::format("  {}: {} rank{}, {} thread{}, cores ", node.name, node.ranks,
                            node.ranks == 1 ? "" : "s", node.threads, node.threads == 1 ? "" : "s");
            for (const std::string& cores : node.cores) {
                out += (&cores == &node.cores.front() ? "" : " | ") + cores;
            }
            out += '\n';
        }
        const int cores = static_cast<int>(node.all_cores.size());
        if (node.threads > cores && notes.empty()) {
            notes = fmt::format("note: {}: {} threads of {} ranks share {} {}, and wait for each "
                                "other. Start fewer, or give each rank cores of its own (srun "
                                "--cpus-per-task, --cpu-bind=cores)\n",
                                node.name, node.threads, node.ranks, cores,
                                cores == 1 ? "core" : "cores");
        }
    }
    if (nodes.size() > most) {
        out += fmt::format("  and {} nodes more\n", nodes.size() - most);
    }
    return out + notes + devices_in_words(places);
}

std::string mesh_in_words(const NonbondedSettings& settings, int ranks)
{
    return settings.electrostatics == Electrostatics::pme || settings.lj_pme
               ? fmt::format("mesh          {}\n", in_words(MeshPlan(settings.pme_grid, ranks)))
               : std::string();
}

} // namespace tessera
