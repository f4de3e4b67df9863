#pragma once

#include "engine/base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace tessera
{

/// Another rank of the run failed, for the reason in the text, and tells it. Any call of a
/// Transport may throw this.
struct OtherRankError : MpiError {
    using MpiError::MpiError;
};

/// Messages between the ranks of a run. Every call is collective: all ranks make the same calls in
/// the same order, ranks without atoms too.
class Transport {
public:
    using Bytes = std::vector<std::byte>;

    virtual ~Transport() = default;

    [[nodiscard]] virtual int rank() const = 0;
    [[nodiscard]] virtual int size() const = 0;

    /// Messages on their way.
    class Exchange {
    public:
        virtual ~Exchange() = default;
        /// Once: what each rank sent here, by sender.
        virtual std::vector<Bytes> finish() = 0;
    };

    /// Sends to[r] to each rank r (its own included) and returns what each rank sent here, by
    /// sender. Lengths may differ and may be zero.
    virtual std::vector<Bytes> exchange(std::vector<Bytes> to) = 0;
    /// Begins the same where it is known how many bytes each rank sends here. Several may be under
    /// way, with other calls between.
    virtual std::unique_ptr<Exchange> begin_exchange(std::vector<Bytes> to,
                                                     std::span<const std::size_t> lengths) = 0;
    std::vector<Bytes> exchange(std::vector<Bytes> to, std::span<const std::size_t> lengths)
    {
        return begin_exchange(std::move(to), lengths)->finish();
    }

    /// Messages between memory that stays the caller's.
    class Copies {
    public:
        virtual ~Copies() = default;
        /// Once: what others sent has come, and what was sent may be written over.
        virtual void finish() = 0;
    };
    /// Bytes that go to a rank, and where those from one come to: never this rank's own.
    struct Sent {
        int rank;
        std::span<const std::byte> bytes;
    };
    struct Received {
        int rank;
        std::span<std::byte> bytes;
    };
    /// Begins what begin_exchange() does, without copies on the way; all ranks call it, also those
    /// with nothing to say. Memory of a device may be given where reaches_devices(). `memory` owns
    /// it, so that it stays while messages are on their way, whatever becomes of the caller.
    virtual std::unique_ptr<Copies> begin_copies(std::span<const Sent> out,
                                                 std::span<const Received> in,
                                                 std::shared_ptr<const void> memory) = 0;
    /// Whether messages may come from and go to memory of a GPU (RDMA from there, or copies by the
    /// message layer). Else they are staged through the host's.
    [[nodiscard]] virtual bool reaches_devices() const { return false; }

    /// Replaces values by their sums over ranks, as two's complement integers: no order, no
    /// rounding. The same length on all ranks.
    virtual void add(std::span<std::int64_t> values) = 0;
    /// Replaces values by the largest of all ranks'.
    virtual void take_largest(std::span<std::int64_t> values) = 0;

    /// While one stands, whoever waits for other ranks does `piece` after piece of it, until it
    /// says that none is left. A piece may wait for messages, but begins no call to other ranks.
    class Pastime {
    public:
        Pastime(Transport& ranks, std::function<bool()> piece) : ranks_(ranks)
        {
            ranks_.pastime_ = std::move(piece);
        }
        ~Pastime() { ranks_.pastime_ = {}; }
        Pastime(const Pastime&) = delete;
        Pastime& operator=(const Pastime&) = delete;

    private:
        Transport& ranks_;
    };

protected:
    /// False: there was nothing to do.
    bool pass_time()
    {
        if (!pastime_) {
            return false;
        }
        const std::function<bool()> piece = std::exchange(pastime_, {}); // not within itself
        if (!piece()) {
            return false;
        }
        pastime_ = piece;
        return true;
    }

private:
    std::function<bool()> pastime_;
};

} // namespace tessera
