#define TESSERA_MESH_LEVEL mesh_four_avx512
#include "engine/cpu/simd/mesh_four-inl.hpp"
