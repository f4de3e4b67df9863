#pragma once

#include "engine/cpu/few.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>

namespace tessera
{

/// Calls f(first, last) for stretches of at most `size` of 0 ... count - 1, shared between threads.
/// An exception must not leave a parallel region: one is kept, and thrown when all turns are done.
template <class F>
void for_each_stretch(std::int64_t count, std::int64_t size, int threads, const F& f)
{
    std::exception_ptr fault;
#pragma omp parallel for schedule(static) num_threads(std::max(1, threads)) if (count > few_atoms)
    for (std::int64_t first = 0; first < count; first += size) {
        try {
            f(static_cast<std::size_t>(first),
              static_cast<std::size_t>(std::min(count, first + size)));
        } catch (...) {
#pragma omp critical(tessera_atom_loop)
            fault = std::current_exception();
        }
    }
    if (fault) {
        std::rethrow_exception(fault);
    }
}

/// Calls f(k) for k = 0 ... count - 1, as stretches are.
template <class F>
void for_each_atom(std::int64_t count, int threads, const F& f)
{
    constexpr std::int64_t stretch = 64;
    for_each_stretch(count, stretch, threads, [&](std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) {
            f(k);
        }
    });
}

} // namespace tessera
