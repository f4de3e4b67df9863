#pragma once

#include "engine/base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera
{

/// Another rank of the run failed, for the reason in the text, and tells it. Any call of a Transport
/// may throw this.
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

    /// Sends to[r] to each rank r (its own included) and returns what each rank sent here, by
    /// sender. Lengths may differ and may be zero.
    virtual std::vector<Bytes> exchange(std::vector<Bytes> to) = 0;
    /// The same where it is known how many bytes each rank sends here: they need not be told.
    virtual std::vector<Bytes> exchange(std::vector<Bytes> to,
                                        std::span<const std::size_t> lengths) = 0;

    /// Replaces values by their sums over ranks, as two's complement integers: no order, no
    /// rounding. The same length on all ranks.
    virtual void add(std::span<std::int64_t> values) = 0;
    /// Replaces values by the largest of all ranks'.
    virtual void take_largest(std::span<std::int64_t> values) = 0;
};

} // namespace tessera
