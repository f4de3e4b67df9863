#pragma once

#include "engine/plans/cluster_pair_list.hpp"
#include "engine/plans/domain_plan.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace tessera
{

/// Which pairs of clusters this rank computes: a pair's work is done where, along each axis, one of
/// its atoms stands. Keeps references.
class ClusterOwners {
public:
    /// Of the list only order is looked at. Null: this rank is alone, and computes all.
    ClusterOwners(const ClusterPairList& list, const DomainOwner* owner);

    [[nodiscard]] bool is_alone() const { return owner_ == nullptr; }

    static constexpr int all_axes = 7;
    /// Along which axes any atom of a node, or of a cluster, stands in this rank's own domain;
    /// bits.
    [[nodiscard]] int home_of(const ClusterOrder::Node& node) const
    {
        return is_alone() ? all_axes
                          : node_home_[static_cast<std::size_t>(&node - order_.nodes.data())];
    }
    [[nodiscard]] int home_of(std::int32_t cluster) const
    {
        return is_alone() ? all_axes : cluster_home_[static_cast<std::size_t>(cluster)];
    }

    /// Pairs x_row + shift - x_column that another rank computes, as bits of BlockTile::mask.
    [[nodiscard]] std::uint32_t pairs_of_others(std::int32_t row, std::int32_t column,
                                                const std::array<int, 3>& shift) const;

private:
    int find_homes(std::int32_t node);
    void find_speakers();

    static constexpr std::int32_t no_speaker = -1;
    const ClusterOrder& order_;
    const DomainOwner* owner_;
    std::vector<std::uint8_t> node_home_, cluster_home_; ///< empty where alone
    std::vector<std::uint8_t> is_own_;  ///< [clusters]: this rank computes all pairs of two such
    std::vector<std::int32_t> speaker_; ///< [clusters]: an atom that speaks for all, or no_speaker
};

} // namespace tessera
