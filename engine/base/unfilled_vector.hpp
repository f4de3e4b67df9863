#pragma once

#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace tessera
{

/// Leaves new numbers as they are: pages that nobody writes are not taken from the system.
template <class T>
struct Unfilled : std::allocator<T> {
    template <class U>
    struct rebind {
        using other = Unfilled<U>;
    };
    template <class U>
    void construct(U* p)
    {
        ::new (static_cast<void*>(p)) U;
    }
    template <class U, class... From>
    void construct(U* p, From&&... from)
    {
        ::new (static_cast<void*>(p)) U(std::forward<From>(from)...);
    }
};
template <class T>
using UnfilledVector = std::vector<T, Unfilled<T>>;

} // namespace tessera
