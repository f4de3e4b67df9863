#include "engine/parallel/loopback_transport.hpp"

#include "engine/base/contract.hpp"
#include "engine/base/error.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace tessera
{

namespace
{

std::size_t at(int k)
{
    return static_cast<std::size_t>(k);
}

/// What the ranks share: messages lie on the table of their exchange until all have taken theirs.
class Room {
public:
    using Messages = std::vector<Transport::Bytes>;

    Room(int ranks, CopyBytes copy) : ranks_(ranks), copy_(std::move(copy)) {}

    [[nodiscard]] int ranks() const { return ranks_; }
    [[nodiscard]] bool reaches_devices() const { return copy_ != nullptr; }
    void copy(void* to, const void* from, std::size_t bytes) const
    {
        if (copy_) {
            copy_(to, from, bytes);
        } else {
            std::memcpy(to, from, bytes);
        }
    }

    /// In the n-th exchange of rank `from`, which is the n-th of every rank.
    void put(std::int64_t n, int from, Messages to)
    {
        const std::lock_guard lock(mutex_);
        Table& table = tables_[n];
        table.messages.resize(at(ranks_));
        table.messages[at(from)] = std::move(to);
        if (++table.arrived == ranks_) {
            all_here_.notify_all();
        }
    }

    [[nodiscard]] bool is_complete(std::int64_t n)
    {
        const std::lock_guard lock(mutex_);
        return failed_ || tables_[n].arrived == ranks_;
    }

    /// Waits until all have put theirs.
    Messages take(std::int64_t n, int to)
    {
        std::unique_lock lock(mutex_);
        all_here_.wait(lock, [&] { return failed_ || tables_[n].arrived == ranks_; });
        if (failed_) {
            throw OtherRankError("another rank failed. Its own message says why.");
        }
        Table& table = tables_[n];
        Messages mine;
        for (Messages& from : table.messages) {
            mine.push_back(std::move(from[at(to)]));
        }
        if (++table.taken == ranks_) {
            tables_.erase(n);
        }
        return mine;
    }

    void fail()
    {
        const std::lock_guard lock(mutex_);
        failed_ = true;
        all_here_.notify_all();
    }

private:
    struct Table {
        std::vector<Messages> messages; ///< [sender][receiver]
        int arrived = 0, taken = 0;
    };

    int ranks_;
    CopyBytes copy_;
    std::mutex mutex_;
    std::condition_variable all_here_;
    std::map<std::int64_t, Table> tables_; ///< of exchanges under way
    bool failed_ = false;
};

class LoopbackTransport final : public Transport {
public:
    LoopbackTransport(Room& room, int rank) : room_(room), rank_(rank) {}

    [[nodiscard]] int rank() const override { return rank_; }
    [[nodiscard]] int size() const override { return room_.ranks(); }

    class Exchange final : public Transport::Exchange {
    public:
        Exchange(LoopbackTransport& ranks, std::vector<std::size_t> lengths)
            : ranks_(ranks), number_(ranks.exchanges_++), lengths_(std::move(lengths))
        {
        }
        [[nodiscard]] std::int64_t number() const { return number_; }
        std::vector<Bytes> finish() override
        {
            while (!ranks_.room_.is_complete(number_) && ranks_.pass_time()) {
            }
            std::vector<Bytes> from = ranks_.room_.take(number_, ranks_.rank_);
            for (std::size_t r = 0; r < lengths_.size(); ++r) {
                TESSERA_EXPECT(from[r].size() == lengths_[r]);
            }
            return from;
        }

    private:
        LoopbackTransport& ranks_;
        std::int64_t number_;
        std::vector<std::size_t> lengths_; ///< empty: nobody knew
    };

    std::vector<Bytes> exchange(std::vector<Bytes> to) override
    {
        return begin_exchange(std::move(to), {})->finish();
    }

    std::unique_ptr<Transport::Exchange>
    begin_exchange(std::vector<Bytes> to, std::span<const std::size_t> lengths) override
    {
        auto out = std::make_unique<Exchange>(
            *this, std::vector<std::size_t>(lengths.begin(), lengths.end()));
        room_.put(out->number(), rank_, std::move(to));
        return out;
    }

    class Copies final : public Transport::Copies {
    public:
        Copies(const Room& room, std::unique_ptr<Transport::Exchange> exchange,
               std::span<const Received> in, std::shared_ptr<const void> memory)
            : room_(room), exchange_(std::move(exchange)), in_(in.begin(), in.end()),
              memory_(std::move(memory))
        {
        }
        void finish() override
        {
            const std::vector<Bytes> from = exchange_->finish();
            for (const Received& part : in_) {
                const Bytes& bytes = from[at(part.rank)];
                TESSERA_EXPECT(bytes.size() == part.bytes.size());
                room_.copy(part.bytes.data(), bytes.data(), bytes.size());
            }
        }

    private:
        const Room& room_;
        std::unique_ptr<Transport::Exchange> exchange_;
        std::vector<Received> in_;
        std::shared_ptr<const void> memory_;
    };

    std::unique_ptr<Transport::Copies> begin_copies(std::span<const Sent> out,
                                                    std::span<const Received> in,
                                                    std::shared_ptr<const void> memory) override
    {
        std::vector<Bytes> to(at(size()));
        for (const Sent& part : out) {
            to[at(part.rank)].resize(part.bytes.size());
            room_.copy(to[at(part.rank)].data(), part.bytes.data(), part.bytes.size());
        }
        return std::make_unique<Copies>(room_, begin_exchange(std::move(to), {}), in,
                                        std::move(memory));
    }

    [[nodiscard]] bool reaches_devices() const override { return room_.reaches_devices(); }

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
        std::vector<Bytes> to(at(size()), Bytes(mine.begin(), mine.end()));
        const std::vector<Bytes> from = exchange(std::move(to));
        for (int r = 0; r < size(); ++r) {
            if (r == rank_) {
                continue;
            }
            const auto* other = reinterpret_cast<const std::int64_t*>(from[at(r)].data());
            for (std::size_t k = 0; k < values.size(); ++k) {
                values[k] = join(values[k], other[k]);
            }
        }
    }

    Room& room_;
    int rank_;
    std::int64_t exchanges_ = 0; ///< begun so far
};

} // namespace

void run_loopback(int ranks, const std::function<void(Transport&)>& work, CopyBytes copy)
{
    Room room(ranks, std::move(copy));
    std::vector<std::exception_ptr> fault(at(ranks));
    std::vector<std::thread> threads;
    threads.reserve(static_cast<std::size_t>(ranks));
    for (int r = 0; r < ranks; ++r) {
        threads.emplace_back([&, r] {
            try {
                LoopbackTransport transport(room, r);
                work(transport);
            } catch (...) {
                fault[at(r)] = std::current_exception();
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
