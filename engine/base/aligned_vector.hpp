#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace tessera
{

/// Memory that begins at a line of the cache (64 bytes): a load of a whole vector never takes two.
template <class T>
struct CacheAligned {
    using value_type = T;
    CacheAligned() = default;
    template <class U>
    CacheAligned(const CacheAligned<U>&)
    {
    }
    T* allocate(std::size_t n)
    {
        return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{64}));
    }
    void deallocate(T* p, std::size_t) { ::operator delete (p, std::align_val_t{64}); }
    friend bool operator==(const CacheAligned&, const CacheAligned&) { return true; }
};
template <class T>
using AlignedVector = std::vector<T, CacheAligned<T>>;

} // namespace tessera
