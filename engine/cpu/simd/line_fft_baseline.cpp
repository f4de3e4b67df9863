#define TESSERA_FFT_LEVEL fft_baseline
#include "engine/cpu/simd/line_fft-inl.hpp"
