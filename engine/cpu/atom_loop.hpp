#pragma once

#include "engine/cpu/few.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>

namespace tessera
{

/// Calls f(k) for k = 0 ... count - 1, shared between threads. An exception must not leave a
/// parallel region: one is kept, and thrown when all turns are done.
template <class F>
void for_each_atom(std::int64_t count, int threads, const F& f)
{
    std::exception_ptr fault;
#pragma omp parallel for schedule(static) num_threads(std::max(1, threads)) if (count > few_atoms)
    for (std::int64_t k = 0; k < count; ++k) {
        try {
            f(static_cast<std::size_t>(k));
        } catch (...) {
#pragma omp critical(tessera_atom_loop)
            fault = std::current_exception();
        }
    }
    if (fault) {
        std::rethrow_exception(fault);
    }
}

} // namespace tessera
