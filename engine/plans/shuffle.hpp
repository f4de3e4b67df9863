#pragma once

#include "engine/base/bit_hash.hpp"
#include "engine/model/topology.hpp"
#include "engine/plans/cluster_pair_list.hpp"

#include <cstdint>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

namespace tessera
{

// Debugging: plans with everything permuted that must not reach the bits of a run (ADR 0001).
// Whoever computes by a shuffled plan knows nothing of it.

/// Numbers for shuffles: splitmix64, one sequence a seed.
class ShuffleNumbers {
public:
    explicit ShuffleNumbers(std::uint64_t seed) : state_(seed) {}
    /// 0 .. n - 1
    std::size_t below(std::size_t n)
    {
        state_ += 0x9E3779B97F4A7C15ULL;
        return static_cast<std::size_t>(mixed_bits(state_) % n);
    }
    template <class Iterator>
    void permute(Iterator begin, Iterator end)
    {
        for (auto n = static_cast<std::size_t>(end - begin); n > 1; --n) {
            using Difference = typename std::iterator_traits<Iterator>::difference_type;
            std::swap(begin[static_cast<Difference>(n - 1)],
                      begin[static_cast<Difference>(below(n))]);
        }
    }

private:
    std::uint64_t state_;
};

/// The system under other numbers: atom k of the result is atom `atom_of[k]` of `topology`; bonded
/// terms stand in the order that `numbers` draws. Serves forces only: residues and molecules are
/// not those of files any more.
Topology renumbered(const Topology& topology, std::span<const std::int32_t> atom_of,
                    ShuffleNumbers& numbers);

/// The same pairs of atoms in the same images, and the same excluded ones, otherwise arranged:
/// atoms among the slots of four neighbouring clusters, clusters, which atom of a pair is the
/// row's (then with the opposite shift), order of rows and of their columns. Has no tree of nodes.
ClusterPairList shuffled(const ClusterPairList& list, std::uint64_t seed);

} // namespace tessera
