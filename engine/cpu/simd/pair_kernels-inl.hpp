// Read once for every instruction set, behind its lanes; no include guard.

// what the others use comes first
// clang-format off
#include "engine/cpu/simd/exact_sums-inl.hpp"
#include "engine/cpu/simd/block_kernel-inl.hpp"
#include "engine/physics/pair/double_pair.inl"
#include "engine/cpu/simd/double_kernel-inl.hpp"
#include "engine/cpu/simd/keep_near-inl.hpp"
// clang-format on

constexpr PairKernels kernels = {
    {add, add_wide}, {add_doubles<true, false>, add_doubles<false, true>, add_doubles<true, true>},
    place_entries,   keep_near<false>,
    keep_near<true>, part_near,
    split_near,      find_boxes,
};
