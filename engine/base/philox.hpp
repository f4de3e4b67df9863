#pragma once

#include "engine/base/elementary.hpp"
#include "engine/base/real.hpp"

#include <array>
#include <cmath>
#include <cstdint>

namespace tessera
{

/// Philox4x32-10: a bijection of the 128-bit counter chosen by the 64-bit key. Its values need no
/// state, so they do not depend on threads, ranks or order.
/// J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, Proc. SC11 (2011), 16.
TESSERA_FORMULA std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                                        std::array<std::uint32_t, 2> key)
{
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t p0 = std::uint64_t{0xD2511F53U} * counter[0];
        const std::uint64_t p1 = std::uint64_t{0xCD9E8D57U} * counter[2];
        counter = {static_cast<std::uint32_t>(p1 >> 32) ^ counter[1] ^ key[0],
                   static_cast<std::uint32_t>(p1),
                   static_cast<std::uint32_t>(p0 >> 32) ^ counter[3] ^ key[1],
                   static_cast<std::uint32_t>(p0)};
        key[0] += 0x9E3779B9U;
        key[1] += 0xBB67AE85U;
    }
    return counter;
}

/// What random numbers are used for. Two purposes never share a number; values are part of the
/// checkpoint's meaning and never change.
enum class RandomPurpose : std::uint32_t {
    start_velocity = 1,
    langevin = 2,
    velocity_rescale = 3,
    cell_rescale = 4,
    parting = 5,
    accuracy_control = 128,
    test = 255
};

/// The random numbers of (seed, item, step, purpose): key = seed, counter = (item, step, purpose,
/// draw). Each call of a member takes the next draw; an item is an atom, or 0 for the whole system.
class RandomStream {
public:
    RandomStream(std::uint64_t seed, std::uint32_t item, std::int64_t step, RandomPurpose purpose)
        : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
          item_(item), step_(static_cast<std::uint64_t>(step)),
          purpose_(static_cast<std::uint32_t>(purpose))
    {
    }

    /// 128 random bits. The word of the step holds 40 bits + 24 of (purpose, draw): 10^12 steps,
    /// 65536 draws.
    std::array<std::uint32_t, 4> bits()
    {
        const std::array<std::uint32_t, 4> counter = {
            item_, static_cast<std::uint32_t>(step_),
            static_cast<std::uint32_t>(step_ >> 32) | (purpose_ << 24), draw_++};
        return philox4x32(counter, key_);
    }
    /// Two numbers, evenly spread in (0, 1): neither end is reached.
    std::array<double, 2> uniform2()
    {
        const auto b = bits();
        return {open_unit(b[0], b[1]), open_unit(b[2], b[3])};
    }
    /// Two independent normal numbers (mean 0, variance 1), by Box and Muller, with
    /// the same bits on every processor.
    std::array<double, 2> normal2()
    {
        const auto u = uniform2();
        const double radius = std::sqrt(-2.0 * portable_log(u[0]));
        const CirclePoint point = portable_circle(u[1]);
        return {radius * point.cosine, radius * point.sine};
    }

private:
    static double open_unit(std::uint32_t high, std::uint32_t low)
    {
        const std::uint64_t bits52 = (std::uint64_t{high} << 20) | (low >> 12);
        return (static_cast<double>(bits52) + 0.5) * (1.0 / 4503599627370496.0);
    }

    std::array<std::uint32_t, 2> key_;
    std::uint32_t item_;
    std::uint64_t step_;
    std::uint32_t purpose_;
    std::uint32_t draw_ = 0;
};

} // namespace tessera
