#define TESSERA_MESH_LEVEL mesh_four_avx2
#include "engine/cpu/simd/mesh_four-inl.hpp"
