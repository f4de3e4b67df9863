#pragma once

#include "engine/cpu/mesh_layout.hpp"
#include "engine/cpu/simd/mesh_four.hpp"
#include "engine/cpu/simd/simd_choice.hpp"
#include "engine/geometry/box.hpp"

#include <cstdint>
#include <span>
#include <type_traits>

namespace tessera
{

/// Integers of a mesh of charges: int32 for float, int64 for double.
template <class R>
using MeshWhole = std::conditional_t<std::is_same_v<R, float>, std::int32_t, std::int64_t>;

/// From positions in the brick (canonical_positions), FP64 until the last rounding.
template <class R>
void locate_on_mesh(const MeshLayout& layout, const Box& box, std::span<const Vec3> canonical,
                    std::span<MeshAtom<R>> atoms);

/// Adds charge (in units of the mesh) times splines to the padded mesh, each product rounded to an
/// integer, halves to even (orders 5 and 6 in FP32: away from zero); sums wrap.
///
/// Order 4 in FP32 has kernels of its own (simd/mesh_four.hpp), four atoms at a time. Splines come
/// as polynomials of `above`. Orders 4, 5, 6 are vector code. No value depends on the SIMD level.
template <class R>
void spread_on_mesh(const MeshLayout& layout, std::span<const MeshAtom<R>> atoms, const R* charge,
                    MeshWhole<R>* mesh, SimdLevel level = simd_level());

/// Derivatives of the potential with respect to mesh coordinates, [atoms][4] (the fourth
/// means nothing), summed in one fixed order: lanes apart over x, then halves of the vector.
template <class R>
void gather_from_mesh(const MeshLayout& layout, std::span<const MeshAtom<R>> atoms,
                      const R* potential, R (*slope)[4], SimdLevel level = simd_level());

} // namespace tessera
