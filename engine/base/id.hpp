#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

namespace tessera
{

/// A number that names a thing of one kind. Two kinds do not mix: that is a compile error.
template <class Tag>
class Id {
public:
    constexpr Id() = default;
    constexpr explicit Id(std::int64_t value) : value_(static_cast<std::int32_t>(value)) {}

    [[nodiscard]] constexpr std::int32_t value() const { return value_; }
    [[nodiscard]] constexpr std::size_t index() const { return static_cast<std::size_t>(value_); }
    [[nodiscard]] constexpr bool is_valid() const { return value_ >= 0; }

    friend constexpr auto operator<=>(Id, Id) = default;

private:
    std::int32_t value_ = -1;
};

using LocalAtom = Id<struct LocalAtomTag>;   ///< slot on this rank: owned first, then ghosts
using GlobalAtom = Id<struct GlobalAtomTag>; ///< name of the atom for the whole run, topology order
using AtomType = Id<struct AtomTypeTag>;
using Rank = Id<struct RankTag>;

} // namespace tessera
