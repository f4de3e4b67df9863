#include "engine/app/large_arrays.hpp"

#include <malloc.h>

namespace tessera
{

void give_back_large_arrays()
{
    mallopt(M_MMAP_THRESHOLD, 4 << 20);
}

} // namespace tessera
