#define TESSERA_MESH_LEVEL mesh_four_baseline
#include "engine/cpu/simd/mesh_four-inl.hpp"
