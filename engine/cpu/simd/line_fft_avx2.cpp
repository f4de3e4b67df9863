#define TESSERA_FFT_LEVEL fft_avx2
#include "engine/cpu/simd/line_fft-inl.hpp"
