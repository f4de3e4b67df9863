#pragma once

// Internal coordinates of a term's atoms, and the spreading of their derivatives to atoms: written
// once per kind. A coordinate is named by the positions of its atoms in the term's tuple.

namespace tessera
{

template <int I, int J>
struct DistanceOf {
}; ///< |x_I - x_J|
template <int I, int J, int K>
struct AngleOf {
}; ///< angle at J, 0..pi
template <int I, int J, int K>
struct CosAngleOf {
}; ///< its cosine (smooth at 0 and pi)
template <int I, int J, int K, int L>
struct DihedralOf {
}; ///< IUPAC: trans = pi; in (-pi, pi]
template <int N>
struct DisplacementsOf {
};                          ///< the N - 1 vectors x_k - x_0, k = 1..N-1 (nearest images)
struct AbsolutePosition {}; ///< one atom's position in the cell (position restraints)

} // namespace tessera
