#pragma once

#include "engine/backend/outer_sum.hpp"
#include "engine/base/fixed_point.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace tessera
{

/// Exact sums as plain integers that a transport can add: put all, add the words over ranks, take
/// all in the same order. What is beyond the range of an exact sum (10^20 kJ/mol) comes back
/// infinite.
class SumWords {
public:
    void put(const ExactSum& sum)
    {
        put_limbs(sum.limbs());
        words_.push_back(sum.beyond() != 0 ? 1 : 0); // NaN too
    }
    void take(ExactSum& sum)
    {
        const auto limbs = take_limbs();
        const bool beyond = words_[next_++] != 0;
        sum = ExactSum::from(limbs, beyond ? std::numeric_limits<double>::infinity() : 0.0);
    }
    void put(const OuterSum& sum)
    {
        for (const auto& limbs : sum.limbs()) {
            put_limbs(limbs);
        }
    }
    void take(OuterSum& sum)
    {
        std::array<Limbs, 9> limbs;
        for (Limbs& l : limbs) {
            l = take_limbs();
        }
        sum = OuterSum::from(limbs);
    }
    [[nodiscard]] std::span<std::int64_t> values() { return words_; }

private:
    void put_limbs(const Limbs& limbs) { words_.insert(words_.end(), limbs.begin(), limbs.end()); }
    Limbs take_limbs()
    {
        Limbs out{};
        for (std::int64_t& limb : out) {
            limb = words_[next_++];
        }
        return out;
    }

    std::vector<std::int64_t> words_;
    std::size_t next_ = 0;
};

} // namespace tessera
