#pragma once

#include "engine/backend/sum_words.hpp"
#include "engine/backend/sums.hpp"
#include "engine/backend/transport.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace tessera
{

/// Who works on a system: the threads of this process, and the ranks beside it. Sums over atoms go
/// through it, so that every rank gets the bits of the whole; then all ranks make the same calls.
class Crew {
public:
    /// Not explicit: a number of threads alone is a crew, too.
    Crew(int threads, Transport* ranks = nullptr)
        : threads_(std::max(1, threads)),
          ranks_(ranks != nullptr && ranks->size() > 1 ? ranks : nullptr)
    {
    }

    [[nodiscard]] int threads() const { return threads_; }
    [[nodiscard]] bool is_alone() const { return ranks_ == nullptr; }

    /// Replaces this rank's sums by those over all ranks.
    template <std::size_t N>
    void add_up(std::array<ExactSum, N>& sums) const
    {
        add_up_all([&](const auto& visit) {
            for (ExactSum& sum : sums) {
                visit(sum);
            }
        });
    }
    void add_up(EnergySums& sums) const
    {
        add_up_all([&](const auto& visit) { sums.for_each_sum(visit); });
    }

    /// Whether any rank says yes.
    [[nodiscard]] bool any(bool mine) const
    {
        if (is_alone()) {
            return mine;
        }
        std::int64_t count = mine ? 1 : 0;
        ranks_->add(std::span(&count, 1));
        return count > 0;
    }

private:
    template <class ForEach>
    void add_up_all(const ForEach& for_each_sum) const
    {
        if (is_alone()) {
            return;
        }
        SumWords words;
        for_each_sum([&](const auto& sum) { words.put(sum); });
        ranks_->add(words.values());
        for_each_sum([&](auto& sum) { words.take(sum); });
    }

    int threads_;
    Transport* ranks_; ///< null: this process has the whole system
};

} // namespace tessera
