#include "engine/app/large_arrays.hpp"

#include <malloc.h>

namespace tessera
{

void give_back_large_arrays()
{
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    mallopt(M_TRIM_THRESHOLD, 4 << 20); // of small ones: what a search takes again soon
}

} // namespace tessera
