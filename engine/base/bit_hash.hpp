#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <string>

namespace tessera
{

/// The finaliser of splitmix64: every bit of the argument reaches every bit of the value.
/// G. L. Steele, D. Lea, C. H. Flood, Proc. OOPSLA 2014, 453.
constexpr std::uint64_t mixed_bits(std::uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
}

/// Tells whether two runs hold the same bits: each element is mixed with its number, and the mixes
/// are summed modulo 2^64. So neither the order in which elements are added nor who adds them
/// reaches the hash. Not meant against forgery.
class BitHash {
public:
    /// An element of one or more words under its number (an atom, a point of a mesh).
    void add(std::uint64_t number, std::initializer_list<std::uint64_t> words)
    {
        std::uint64_t h = mixed_bits(number + 0x9E3779B97F4A7C15ULL);
        for (const std::uint64_t word : words) {
            h = mixed_bits(h ^ word);
        }
        sum_ += h;
    }
    void add(const BitHash& other) { sum_ += other.sum_; }
    [[nodiscard]] std::uint64_t value() const { return sum_; }

private:
    std::uint64_t sum_ = 0;
};

inline std::uint64_t bits_of(double x)
{
    return std::bit_cast<std::uint64_t>(x);
}
inline std::uint64_t bits_of(float x)
{
    return std::bit_cast<std::uint32_t>(x);
}
inline std::uint64_t bits_of(std::int64_t x)
{
    return static_cast<std::uint64_t>(x);
}

/// The numbers of an array, in its order.
template <class Array>
BitHash hash_of_numbers(const Array& values)
{
    BitHash hash;
    std::uint64_t number = 0;
    for (const auto value : values) {
        hash.add(number++, {bits_of(value)});
    }
    return hash;
}

/// The hash of what one phase of the step has made.
struct PhaseHash {
    std::string phase;
    std::uint64_t value;
    friend bool operator==(const PhaseHash&, const PhaseHash&) = default;
};

} // namespace tessera
