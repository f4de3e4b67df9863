#pragma once

#include "cuda/gpu.hpp"
#include "engine/base/error.hpp"

#include <string>

namespace tessera
{

/// Throws DeviceError unless the call succeeded. `what` says what we were doing: "copying positions
/// to the GPU".
inline void check(cudaError_t result, const char* what)
{
    if (result != cudaSuccess) {
        throw DeviceError(std::string(what) + " failed (CUDA: " + cudaGetErrorName(result) +
                          "). Look whether the GPU is visible, free and supported by this build.");
    }
}

} // namespace tessera
