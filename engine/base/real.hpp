#pragma once

/// Marks a formula that the host, the device and the SIMD code share. Empty for a plain C++
/// compiler.
#if defined(__CUDACC__)
#define TESSERA_FORMULA __host__ __device__ inline
#else
#define TESSERA_FORMULA inline
#endif
