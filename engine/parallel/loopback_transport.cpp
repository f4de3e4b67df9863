#include "engine/parallel/loopback_transport.hpp"

#include "engine/base/contract.hpp"
#include "engine/base/error.hpp"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace tessera
{

namespace
{

/// What the ranks share.
class Room {
public:
    explicit Room(int ranks)
        : ranks_(ranks), box_(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks))
    {
    }

    [[nodiscard]] int ranks() const { return ranks_; }
    /// Where `from` leaves what is meant for `to`; only between meetings.
    Transport::Bytes& box(int from, int to)
    {
        return box_[static_cast<std::size_t>(from) * static_cast<std::size_t>(ranks_) +
                    static_cast<std::size_t>(to)];
    }

    /// Waits for all ranks.
    void meet()
    {
        std::unique_lock lock(mutex_);
        const std::uint64_t meeting = meeting_;
        if (++arrived_ == ranks_) {
            arrived_ = 0;
            ++meeting_;
            all_here_.notify_all();
        }
        all_here_.wait(lock, [&] { return meeting_ != meeting || failed_; });
        if (failed_) {
            throw OtherRankError("another rank failed. Its own message says why.");
        }
    }
    void fail()
    {
        const std::lock_guard lock(mutex_);
        failed_ = true;
        all_here_.notify_all();
    }

private:
    int ranks_;
    std::vector<Transport::Bytes> box_;
    std::mutex mutex_;
    std::condition_variable all_here_;
    std::uint64_t meeting_ = 0;
    int arrived_ = 0;
    bool failed_ = false;
};

class LoopbackTransport final : public Transport {
public:
    LoopbackTransport(Room& room, int rank) : room_(room), rank_(rank) {}

    [[nodiscard]] int rank() const override { return rank_; }
    [[nodiscard]] int size() const override { return room_.ranks(); }

    std::vector<Bytes> exchange(std::vector<Bytes> to) override
    {
        for (int r = 0; r < size(); ++r) {
            room_.box(rank_, r) = std::move(to[static_cast<std::size_t>(r)]);
        }
        room_.meet();
        std::vector<Bytes> from;
        from.reserve(to.size());
        for (int r = 0; r < size(); ++r) {
            from.push_back(std::move(room_.box(r, rank_)));
        }
        room_.meet(); // boxes are empty before anyone fills them again
        return from;
    }

    std::vector<Bytes> exchange(std::vector<Bytes> to,
                                std::span<const std::size_t> lengths) override
    {
        std::vector<Bytes> from = exchange(std::move(to));
        for (std::size_t r = 0; r < from.size(); ++r) {
            TESSERA_EXPECT(from[r].size() == lengths[r]);
        }
        return from;
    }

    void add(std::span<std::int64_t> values) override
    {
        combine(values, [](std::int64_t a, std::int64_t b) {
            return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) +
                                             static_cast<std::uint64_t>(b));
        });
    }
    void take_largest(std::span<std::int64_t> values) override
    {
        combine(values, [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
    }

private:
    template <class Join>
    void combine(std::span<std::int64_t> values, const Join& join)
    {
        const std::span<const std::byte> mine =
            std::as_bytes(std::span<const std::int64_t>(values));
        std::vector<Bytes> to(static_cast<std::size_t>(size()), Bytes(mine.begin(), mine.end()));
        const std::vector<Bytes> from = exchange(std::move(to));
        for (int r = 0; r < size(); ++r) {
            if (r == rank_) {
                continue;
            }
            const auto* other =
                reinterpret_cast<const std::int64_t*>(from[static_cast<std::size_t>(r)].data());
            for (std::size_t k = 0; k < values.size(); ++k) {
                values[k] = join(values[k], other[k]);
            }
        }
    }

    Room& room_;
    int rank_;
};

} // namespace

void run_loopback(int ranks, const std::function<void(Transport&)>& work)
{
    Room room(ranks);
    std::vector<std::exception_ptr> fault(static_cast<std::size_t>(ranks));
    std::vector<std::thread> threads;
    threads.reserve(static_cast<std::size_t>(ranks));
    for (int r = 0; r < ranks; ++r) {
        threads.emplace_back([&, r] {
            try {
                LoopbackTransport transport(room, r);
                work(transport);
            } catch (...) {
                fault[static_cast<std::size_t>(r)] = std::current_exception();
                room.fail();
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    std::exception_ptr first;
    for (const std::exception_ptr& f : fault) {
        if (f == nullptr) {
            continue;
        }
        try {
            std::rethrow_exception(f);
        } catch (const OtherRankError&) { // only if there is nothing better
            first = first ? first : f;
        } catch (...) {
            std::rethrow_exception(f);
        }
    }
    if (first) {
        std::rethrow_exception(first);
    }
}

} // namespace tessera
