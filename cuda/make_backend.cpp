#include "cuda/make_backend.hpp"

#include "engine/base/error.hpp"

#include <cuda_runtime_api.h>

namespace tessera
{

GpuReport gpu_report()
{
    int devices = 0; // stays 0 when there is no driver: the call then leaves it alone
    if (cudaGetDeviceCount(&devices) != cudaSuccess) {
        devices = 0;
    }
    return {true, devices,
            "GPU parts: built; " + std::to_string(devices) + " GPU" + (devices == 1 ? "" : "s") +
                " visible"};
}

void require_gpu()
{
    if (gpu_report().devices == 0) {
        throw DeviceError("no GPU is visible to this program (no driver, or all are hidden). Start "
                          "it where nvidia-smi lists one, or run on the CPU.");
    }
}

} // namespace tessera
