#pragma once

#include "engine/cpu/mesh_layout.hpp"
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

/// An atom as its splines need it.
template <class R>
struct MeshAtom {
    R above[3];          ///< distance above the mesh point below it, in mesh spacings, [0, 1]
    std::uint32_t first; ///< index of the first point of its splines in the padded mesh
};

/// From positions in the brick (canonical_positions), FP64 until the last rounding.
template <class R>
void locate_on_mesh(const MeshLayout& layout, const Box& box, std::span<const Vec3> canonical,
                    std::span<MeshAtom<R>> atoms);

/// Adds charge (in units of the mesh) times splines to the padded mesh, each product rounded to an
/// integer; sums wrap. Halves of FP32 are rounded away from zero, of FP64 to even.
///
/// Order 4 in FP32: the lane 4 j + k of one vector holds the point (y_j, z_k), four vectors an atom
/// (x_i), each stored as four rows. About 60 operations and 16 rows of 16 bytes read and written.
/// Splines come as polynomials of `above`. Orders 4, 5, 6 are vector code. No value depends on the
/// SIMD level.
template <class R>
void spread_on_mesh(const MeshLayout& layout, std::span<const MeshAtom<R>> atoms, const R* charge,
                    MeshWhole<R>* mesh, SimdLevel level = simd_level());

/// Derivatives of the potential with respect to mesh coordinates, [atoms][3], summed in one fixed
/// order: lanes apart over x, then halves of the vector.
template <class R>
void gather_from_mesh(const MeshLayout& layout, std::span<const MeshAtom<R>> atoms,
                      const R* potential, R (*slope)[3], SimdLevel level = simd_level());

} // namespace tessera
