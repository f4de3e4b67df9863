#pragma once

/// Marks a formula that the host, the device and the SIMD code share. A compiler for a device is
/// given its own marks (cuda/formula.hpp).
#ifndef TESSERA_FORMULA
#define TESSERA_FORMULA inline
#endif
