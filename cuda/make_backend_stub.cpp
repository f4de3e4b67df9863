#include "cuda/make_backend.hpp"
#include "engine/base/error.hpp"

namespace tessera
{

GpuReport gpu_report()
{
    return {false, 0, "GPU parts: not built (configure with -DTESSERA_CUDA=ON)"};
}

void require_gpu()
{
    throw NotBuilt("this program was built without its GPU parts (no nvcc was found, or "
                   "TESSERA_CUDA=OFF). Configure with -DTESSERA_CUDA=ON, or run on the CPU.");
}

} // namespace tessera
