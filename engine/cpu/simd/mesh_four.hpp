#pragma once

#include <cstddef>
#include <cstdint>

// Plain structures only: the files that see this header are compiled for several instruction sets,
// and an inline function of a header would be compiled for one and used by all.

namespace tessera
{

/// An atom as its splines need it.
template <class R>
struct MeshAtom {
    R above[3];          ///< distance above the mesh point below it, in mesh spacings, [0, 1]
    std::uint32_t first; ///< index of the first point of its splines in the padded mesh
};

/// The pieces of the spline of order 4 as polynomials: [p][l] is the coefficient of above^p of the
/// l-th point from below.
struct CubicPieces {
    alignas(16) float weight[4][4], slope[3][4];
};

/// From a row, and from a plane, of a padded mesh to the next.
struct MeshStrides {
    std::size_t row, plane;
};

/// Splines of order 4 in FP32 for one instruction set: an atom's row of four points is a quarter
/// of a register of AVX-512 (half of one of AVX2), so that four atoms (two) go together, lanes of
/// different atoms never meet, and weights of an axis are one polynomial in the lanes.
struct MeshFourKernels {
    /// As spread_on_mesh; products are rounded to the nearest integer, halves to even.
    void (*spread)(const CubicPieces&, const MeshStrides&, const MeshAtom<float>* atoms,
                   std::size_t count, const float* charge, std::uint32_t* mesh);
    /// As gather_from_mesh. Sums x first, then y, then z (points 0 and 2, 1 and 3, both).
    void (*gather)(const CubicPieces&, const MeshStrides&, const MeshAtom<float>* atoms,
                   std::size_t count, const float* potential, float (*slope)[4]);
};

namespace mesh_four_avx512
{
extern const MeshFourKernels kernels;
}
namespace mesh_four_avx2
{
extern const MeshFourKernels kernels;
}
namespace mesh_four_baseline
{
extern const MeshFourKernels kernels;
}

} // namespace tessera
