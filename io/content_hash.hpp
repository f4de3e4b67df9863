#pragma once

#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace tessera
{

/// FNV-1a, 64 bits: tells an altered content from the same, not a forged one.
/// G. Fowler, L. C. Noll, K.-P. Vo; the same on every machine of one byte order.
class ContentHash {
public:
    void add_bytes(const void* data, std::size_t count)
    {
        const auto* const byte = static_cast<const unsigned char*>(data);
        for (std::size_t i = 0; i < count; ++i) {
            value_ = (value_ ^ byte[i]) * 1099511628211ULL;
        }
    }
    /// The length too, so that neighbouring lists do not run into each other.
    template <class Number>
    void add(std::span<const Number> values)
    {
        static_assert(std::is_arithmetic_v<Number> || std::is_enum_v<Number>);
        add_number(values.size());
        add_bytes(values.data(), values.size_bytes());
    }
    void add(std::string_view text) { add(std::span<const char>(text)); }
    template <class Number>
    void add_number(Number value)
    {
        static_assert(std::is_arithmetic_v<Number> || std::is_enum_v<Number>);
        add_bytes(&value, sizeof value);
    }
    [[nodiscard]] std::uint64_t value() const { return value_; }
    [[nodiscard]] std::string text() const { return fmt::format("{:016x}", value_); }

private:
    std::uint64_t value_ = 14695981039346656037ULL;
};

} // namespace tessera
