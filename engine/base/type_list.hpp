#pragma once

#include <cstddef>
#include <tuple>
#include <utility>

namespace tessera
{

/// A list of types, and nothing else: plans and tables are made from it.
template <class... Ts>
struct TypeList {
    static constexpr std::size_t size = sizeof...(Ts);

    /// std::tuple<Wrap<Ts>...>
    template <template <class> class Wrap>
    using tuple_of = std::tuple<Wrap<Ts>...>;

    /// Calls f.template operator()<T>() for each type, in order.
    template <class F>
    static constexpr void for_each(F&& f)
    {
        (f.template operator()<Ts>(), ...);
    }
};

} // namespace tessera
