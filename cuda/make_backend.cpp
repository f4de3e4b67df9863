#include "cuda/make_backend.hpp"

#include "engine/base/error.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

namespace tessera
{

namespace
{

/// As nvidia-smi -L names it, so that a log can be held against that list.
std::string name_of(int device)
{
    cudaDeviceProp properties{};
    if (cudaGetDeviceProperties(&properties, device) != cudaSuccess) {
        return "not readable";
    }
    std::string out = fmt::format("{}, GPU-", properties.name);
    for (std::size_t k = 0; k < sizeof(properties.uuid.bytes); ++k) {
        const bool dash = k == 4 || k == 6 || k == 8 || k == 10;
        out += fmt::format("{}{:02x}", dash ? "-" : "",
                           static_cast<unsigned char>(properties.uuid.bytes[k]));
    }
    return out;
}

} // namespace

GpuReport gpu_report()
{
    int devices = 0; // stays 0 when there is no driver: the call then leaves it alone
    if (cudaGetDeviceCount(&devices) != cudaSuccess) {
        devices = 0;
    }
    GpuReport out{
        true,
        devices,
        fmt::format("GPU parts: built; {} GPU{} visible", devices, devices == 1 ? "" : "s"),
        {}};
    for (int k = 0; k < devices; ++k) {
        out.names.push_back(name_of(k));
    }
    return out;
}

void require_gpu()
{
    if (gpu_report().devices == 0) {
        throw DeviceError("no GPU is visible to this program (no driver, or all are hidden). Start "
                          "it where nvidia-smi lists one, or run on the CPU.");
    }
}

} // namespace tessera
