#pragma once

#include <string>
#include <vector>

namespace tessera
{

/// What this build and this machine can do with a GPU. `make_backend.cpp` is linked where the GPU
/// parts are built, `make_backend_stub.cpp` elsewhere; nothing above knows which.
struct GpuReport {
    bool built = false;
    int devices = 0;                  ///< visible GPUs; 0 also when there is no driver
    std::string description;          ///< a sentence for `tessera info`
    std::vector<std::string> names{}; ///< [devices] "NVIDIA A100-SXM4-40GB, GPU-5c1f..."
};
GpuReport gpu_report();

/// Throws NotBuilt where the GPU parts are not built, DeviceError where no GPU is visible.
void require_gpu();

} // namespace tessera
