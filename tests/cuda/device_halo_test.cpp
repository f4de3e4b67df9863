#include "cuda/device_array.hpp"
#include "cuda/device_halo.hpp"
#include "engine/parallel/loopback_transport.hpp"
#include "tests/cuda/device.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace tessera
{
namespace
{

using Words = std::vector<DeviceInteger>; ///< [atoms][3]

/// Ranks of a made-up cut: own atoms first, then ghosts. Each knows `shared` atoms of each of the
/// next two ranks, so that an atom may be known to two; the last rank has no atoms of its own.
struct Cut {
    int ranks, own, shared;

    [[nodiscard]] int own_of(int rank) const { return rank + 1 == ranks && ranks > 1 ? 0 : own; }
    [[nodiscard]] std::vector<int> known_to(int rank) const
    {
        std::vector<int> owners;
        for (int k = 1; k <= 2 && k < ranks; ++k) {
            if (const int owner = (rank + k) % ranks; own_of(owner) > 0) {
                owners.push_back(owner);
            }
        }
        return owners;
    }
    /// The atom of its owner, the n-th that the reader knows of.
    [[nodiscard]] int shared_atom(int reader, int n) const { return (7 * n + reader) % own; }

    [[nodiscard]] HaloPlan plan(int rank) const
    {
        HaloPlan plan;
        int next = own_of(rank);
        for (int other = 0; other < ranks; ++other) {
            std::vector<std::int32_t> out, in;
            const std::vector<int> theirs = known_to(other), mine = known_to(rank);
            for (int n = 0; n < shared; ++n) {
                if (std::find(theirs.begin(), theirs.end(), rank) != theirs.end()) {
                    out.push_back(shared_atom(other, n));
                }
                if (std::find(mine.begin(), mine.end(), other) != mine.end()) {
                    in.push_back(next++);
                }
            }
            plan.exports.add_row(out);
            plan.ghosts.add_row(in);
        }
        return plan;
    }
    [[nodiscard]] std::size_t atoms(int rank) const
    {
        return static_cast<std::size_t>(own_of(rank)) + plan(rank).ghosts.value.size();
    }
};

DeviceInteger word(int rank, std::size_t k)
{
    return 0x9e3779b97f4a7c15ull * (1000ull * static_cast<unsigned>(rank) + k + 1);
}

Words words_of(int rank, std::size_t atoms)
{
    Words words(3 * atoms);
    for (std::size_t k = 0; k < words.size(); ++k) {
        words[k] = word(rank, k);
    }
    return words;
}

Words download(const DeviceArray<DeviceInteger>& from, const Stream& stream)
{
    Words out(from.size());
    from.download(out, stream);
    stream.wait();
    return out;
}

class DeviceHaloTest : public OnDevice, public testing::WithParamInterface<bool> {
protected:
    /// Messages straight from device to device, or staged through the host.
    static CopyBytes copy()
    {
        return !GetParam() ? CopyBytes{} : [](void* to, const void* from, std::size_t bytes) {
            check(cudaMemcpy(to, from, bytes, cudaMemcpyDefault), "copying a message");
        };
    }
};

TEST_P(DeviceHaloTest, GhostsGetTheirOwnersPositions)
{
    for (const Cut& cut : {Cut{1, 5, 3}, Cut{2, 40, 7}, Cut{4, 300, 101}}) {
        for (const unsigned seed : {0u, 7u, 23u}) {
            shuffle_threads(seed);
            std::vector<Words> after(static_cast<std::size_t>(cut.ranks));
            run_loopback(
                cut.ranks,
                [&](Transport& ranks) {
                    const HaloPlan plan = cut.plan(ranks.rank());
                    const Stream stream;
                    DeviceHalo halo(plan, ranks, stream);
                    const Words before = words_of(ranks.rank(), cut.atoms(ranks.rank()));
                    DeviceArray<DeviceInteger> positions;
                    positions.upload(before, stream);
                    for (int step = 0; step < 2; ++step) { // memory is used again
                        halo.send_positions(positions.data());
                        halo.place_ghosts(positions.data());
                    }
                    after[static_cast<std::size_t>(ranks.rank())] = download(positions, stream);
                },
                copy());
            for (int rank = 0; rank < cut.ranks; ++rank) {
                const Words& mine = after[static_cast<std::size_t>(rank)];
                std::size_t k = 0;
                for (; k < 3 * static_cast<std::size_t>(cut.own_of(rank)); ++k) {
                    ASSERT_EQ(mine[k], word(rank, k)) << "an own atom moved";
                }
                for (int owner = 0; owner < cut.ranks; ++owner) {
                    const HaloPlan plan = cut.plan(rank);
                    for (std::size_t n = 0; n < plan.ghosts.length(static_cast<std::size_t>(owner));
                         ++n) {
                        const int atom = cut.shared_atom(rank, static_cast<int>(n));
                        for (std::size_t c = 0; c < 3; ++c, ++k) {
                            ASSERT_EQ(mine[k], word(owner, 3 * static_cast<std::size_t>(atom) + c));
                        }
                    }
                }
                ASSERT_EQ(k, mine.size());
            }
        }
    }
}

TEST_P(DeviceHaloTest, ForcesOfGhostsAreAddedByTheirOwnersAndLeaveZeroBehind)
{
    const Cut cut{4, 300, 250}; // an atom stands on a list up to twice
    std::vector<Words> expected, after(4);
    for (int rank = 0; rank < cut.ranks; ++rank) {
        expected.push_back(words_of(rank, static_cast<std::size_t>(cut.own_of(rank))));
    }
    for (int rank = 0; rank < cut.ranks; ++rank) {
        std::size_t k = 3 * static_cast<std::size_t>(cut.own_of(rank));
        const HaloPlan plan = cut.plan(rank);
        for (int owner = 0; owner < cut.ranks; ++owner) {
            for (std::size_t n = 0; n < plan.ghosts.length(static_cast<std::size_t>(owner)); ++n) {
                const auto atom =
                    static_cast<std::size_t>(cut.shared_atom(rank, static_cast<int>(n)));
                for (std::size_t c = 0; c < 3; ++c, ++k) {
                    expected[static_cast<std::size_t>(owner)][3 * atom + c] += word(rank, k);
                }
            }
        }
    }
    run_loopback(
        cut.ranks,
        [&](Transport& ranks) {
            const HaloPlan plan = cut.plan(ranks.rank());
            const Stream stream;
            DeviceHalo halo(plan, ranks, stream);
            const Words before = words_of(ranks.rank(), cut.atoms(ranks.rank()));
            DeviceArray<DeviceInteger> forces;
            forces.upload(before, stream);
            halo.send_forces(forces.data());
            halo.take_forces(forces.data());
            after[static_cast<std::size_t>(ranks.rank())] = download(forces, stream);
        },
        copy());
    for (std::size_t rank = 0; rank < 4; ++rank) {
        Words whole = expected[rank];
        whole.resize(after[rank].size(), 0);
        EXPECT_EQ(after[rank], whole) << rank;
    }
}

INSTANTIATE_TEST_SUITE_P(Messages, DeviceHaloTest, testing::Bool(), [](const auto& about) {
    return about.param ? "FromDeviceToDevice" : "StagedThroughTheHost";
});

} // namespace
} // namespace tessera
