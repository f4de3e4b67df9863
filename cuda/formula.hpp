#pragma once

/// Read by nvcc before every file: formulas are for the host and the device.
#define TESSERA_FORMULA __host__ __device__ inline
