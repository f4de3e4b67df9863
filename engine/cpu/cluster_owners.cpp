#include "engine/cpu/cluster_owners.hpp"

#include <algorithm>

namespace tessera
{

namespace
{

constexpr int width = ClusterOrder::width;

std::size_t at(std::int64_t k)
{
    return static_cast<std::size_t>(k);
}

} // namespace

ClusterOwners::ClusterOwners(const ClusterPairList& list, const DomainOwner* owner)
    : order_(list.order), owner_(owner)
{
    if (is_alone()) {
        return;
    }
    find_speakers();
    node_home_.assign(order_.nodes.size(), 0);
    cluster_home_.assign(at(order_.clusters()), 0);
    if (!order_.nodes.empty()) {
        find_homes(0);
    }
}

int ClusterOwners::find_homes(std::int32_t index)
{
    const ClusterOrder::Node& node = order_.nodes[at(index)];
    int home = 0;
    if (node.last - node.first > 1) {
        home = find_homes(node.left) | find_homes(node.right);
    } else {
        for (int lane = 0; lane < width; ++lane) {
            const std::int32_t a = order_.atom_of_slot[at(node.first * width + lane)];
            home |= a < 0 ? 0 : owner_->atoms[at(a)].home;
        }
        cluster_home_[at(node.first)] = static_cast<std::uint8_t>(home);
    }
    return node_home_[at(index)] = static_cast<std::uint8_t>(home);
}

/// Clusters whose atoms stand in one domain: one of them speaks for all.
void ClusterOwners::find_speakers()
{
    const std::vector<std::int32_t>& atoms = order_.atom_of_slot;
    speaker_.assign(at(order_.clusters()), no_speaker);
    is_own_.assign(speaker_.size(), 0);
    for (std::size_t c = 0; c < speaker_.size(); ++c) {
        const auto begin = atoms.begin() + static_cast<std::ptrdiff_t>(width * c);
        const std::int32_t first = *begin;
        const bool agree = std::all_of(begin, begin + width, [&](std::int32_t a) {
            return a < 0 || owner_->stand_together(first, a);
        });
        speaker_[c] = agree ? first : no_speaker;
        is_own_[c] = agree && owner_->is_own(first) ? 1 : 0;
    }
}

std::uint32_t ClusterOwners::pairs_of_others(std::int32_t row, std::int32_t column,
                                             const std::array<int, 3>& shift) const
{
    constexpr std::uint32_t all_pairs = 0xFFFF;
    if (is_alone() || (is_own_[at(row)] && is_own_[at(column)])) {
        return 0;
    }
    const std::int32_t own = speaker_[at(row)], other = speaker_[at(column)];
    if (own != no_speaker && other != no_speaker) {
        return owner_->owns(own, other, shift) ? 0 : all_pairs;
    }
    const auto atom = [this](std::int32_t cluster, int lane) {
        return order_.atom_of_slot[at(cluster * width + lane)];
    };
    std::uint32_t others = 0;
    for (int a = 0; a < width; ++a) {
        for (int b = 0; b < width; ++b) {
            const std::int32_t i = atom(row, a), j = atom(column, b);
            if (i >= 0 && j >= 0 && !owner_->owns(i, j, shift)) {
                others |= 1U << (width * a + b);
            }
        }
    }
    return others;
}

} // namespace tessera
