#pragma once

#include "engine/base/real.hpp"
#include "engine/math/select.hpp"
#include "engine/math/trigonometry.hpp"
#include "engine/math/vec3.hpp"

#include <cmath>
#include <string_view>
#include <type_traits>

// Internal coordinates of a term's atoms, written once per kind. A kind is named by the positions
// of its atoms in the term's tuple, lists the displacement vectors it needs,
//     d_v = nearest image of x_head(v) - x_tail(v),
// and measures its value q and the gradients dq/dd_v. Forces and virials follow from these alone
// (engine/physics/term_forces.hpp), so they sum to zero whatever the rounding.
//
// Degenerate geometry. Where a direction is undefined the gradient is zero and the value finite:
//   distance   coincident atoms                    q = 0
//   angle      coincident atoms (q = 0), and exactly 0 or pi
//   cosine     coincident atoms                    q = 0
//   dihedral   an angle within 1e-7 (FP32: 2e-3) of 0 or pi, where it means nothing
// A formula that is singular there (1/r, ...) yields a value that is not finite, which the loops
// report by term and atoms.

namespace tessera
{

/// An internal coordinate and its derivatives with respect to its displacement vectors.
template <class R, int V>
struct Measured {
    R value;
    BasicVec3<R> gradient[V];
};

/// |x_I - x_J|
template <int I, int J>
struct DistanceOf {
    static constexpr int vectors = 1;
    static constexpr bool is_cartesian = false;
    static constexpr std::string_view name = "distance";
    static constexpr std::string_view unit = "nm";
    static constexpr TESSERA_FORMULA int head(int) { return I; }
    static constexpr TESSERA_FORMULA int tail(int) { return J; }

    template <class R>
    static TESSERA_FORMULA Measured<R, 1> measure(const BasicVec3<R>* d)
    {
        const R r = norm(d[0]);
        const R inverse = select(r > R(0), R(1) / r, R(0));
        return {r, {inverse * d[0]}};
    }
};

/// Angle I-J-K at J, in 0..pi.
template <int I, int J, int K>
struct AngleOf {
    static constexpr int vectors = 2;
    static constexpr bool is_cartesian = false;
    static constexpr std::string_view name = "angle";
    static constexpr std::string_view unit = "rad";
    static constexpr TESSERA_FORMULA int head(int v) { return v == 0 ? I : K; }
    static constexpr TESSERA_FORMULA int tail(int) { return J; }

    /// With n = a x b:  q = atan2(|n|, a.b),  dq/da = a x n/(a^2 |n|),  dq/db = n x b/(b^2 |n|).
    /// Unlike acos this keeps all digits near 0 and pi.
    template <class R>
    static TESSERA_FORMULA Measured<R, 2> measure(const BasicVec3<R>* d)
    {
        const BasicVec3<R> normal = cross(d[0], d[1]);
        const R length = norm(normal);
        const R inverse = select(length > R(0), R(1) / length, R(0));
        const R inverse_a2 = select(length > R(0), R(1) / norm2(d[0]), R(0));
        const R inverse_b2 = select(length > R(0), R(1) / norm2(d[1]), R(0));
        return {angle_above(length, dot(d[0], d[1])),
                {(inverse_a2 * inverse) * cross(d[0], normal),
                 (inverse_b2 * inverse) * cross(normal, d[1])}};
    }
};

/// Cosine of the angle I-J-K at J: smooth at 0 and pi.
template <int I, int J, int K>
struct CosAngleOf {
    static constexpr int vectors = 2;
    static constexpr bool is_cartesian = false;
    static constexpr std::string_view name = "cosine";
    static constexpr std::string_view unit = "";
    static constexpr TESSERA_FORMULA int head(int v) { return v == 0 ? I : K; }
    static constexpr TESSERA_FORMULA int tail(int) { return J; }

    /// q = a.b/(|a||b|),  dq/da = (b/|b| - q a/|a|)/|a|,  dq/db likewise.
    template <class R>
    static TESSERA_FORMULA Measured<R, 2> measure(const BasicVec3<R>* d)
    {
        const R a = norm(d[0]);
        const R b = norm(d[1]);
        const R both = a * b; // zero: an undefined direction
        const R inverse_a = select(both > R(0), R(1) / a, R(0));
        const R inverse_b = select(both > R(0), R(1) / b, R(0));
        const BasicVec3<R> unit_a = inverse_a * d[0];
        const BasicVec3<R> unit_b = inverse_b * d[1];
        R cosine = dot(unit_a, unit_b);
        cosine = select(cosine > R(1), R(1), cosine);
        cosine = select(cosine < R(-1), R(-1), cosine);
        return {cosine,
                {inverse_a * (unit_b - cosine * unit_a), inverse_b * (unit_a - cosine * unit_b)}};
    }
};

/// Dihedral I-J-K-L, in (-pi, pi], IUPAC: cis = 0, trans = pi; positive when L is turned clockwise
/// from I, seen along J to K.
template <int I, int J, int K, int L>
struct DihedralOf {
    static constexpr int vectors = 3;
    static constexpr bool is_cartesian = false;
    static constexpr std::string_view name = "dihedral";
    static constexpr std::string_view unit = "rad";
    static constexpr TESSERA_FORMULA int head(int v) { return v == 0 ? J : (v == 1 ? K : L); }
    static constexpr TESSERA_FORMULA int tail(int v) { return v == 0 ? I : (v == 1 ? J : K); }

    /// With bonds a, b, c along the chain, m = a x b, n = b x c:
    ///     q = atan2(|b| a.n, m.n),
    ///     dq/da = |b| m/m^2,  dq/dc = |b| n/n^2,  dq/db = -(a.b) m/(|b| m^2) - (b.c) n/(|b| n^2).
    /// A. Blondel, M. Karplus, J. Comput. Chem. 17, 1132 (1996), in bond vectors.
    template <class R>
    static TESSERA_FORMULA Measured<R, 3> measure(const BasicVec3<R>* d)
    {
        using std::sqrt;
        const BasicVec3<R>& a = d[0];
        const BasicVec3<R>& b = d[1];
        const BasicVec3<R>& c = d[2];
        const BasicVec3<R> m = cross(a, b);
        const BasicVec3<R> n = cross(b, c);
        const R m2 = norm2(m);
        const R n2 = norm2(n);
        const R b2 = norm2(b);
        const R smallest_sine2 = R(std::is_same_v<R, float> ? 5e-6 : 1e-14);
        const auto means_something =
            (m2 > smallest_sine2 * norm2(a) * b2) & (n2 > smallest_sine2 * norm2(c) * b2);
        const R length = sqrt(b2);
        const R angle = angle_of(length * dot(a, n), dot(m, n));
        const R inverse = select(means_something, R(1) / length, R(0));
        const BasicVec3<R> along_m = select(means_something, R(1) / m2, R(0)) * m;
        const BasicVec3<R> along_n = select(means_something, R(1) / n2, R(0)) * n;
        return {select(means_something, angle, R(0)),
                {length * along_m,
                 (-dot(a, b) * inverse) * along_m - (dot(b, c) * inverse) * along_n,
                 length * along_n}};
    }
};

/// The N - 1 vectors x_k - x_0, k = 1..N-1, as they are: the term gives its gradient with respect
/// to each.
template <int N>
struct DisplacementsOf {
    static constexpr int vectors = N - 1;
    static constexpr bool is_cartesian = true;
    static constexpr std::string_view name = "displacement";
    static constexpr std::string_view unit = "nm";
    static constexpr TESSERA_FORMULA int head(int v) { return v + 1; }
    static constexpr TESSERA_FORMULA int tail(int) { return 0; }
};

/// One atom's position, as the nearest image of its displacement from a point that the term holds
/// (position restraints).
struct AbsolutePosition {
    static constexpr int vectors = 1;
    static constexpr bool is_cartesian = true;
    static constexpr std::string_view name = "displacement";
    static constexpr std::string_view unit = "nm";
    static constexpr TESSERA_FORMULA int head(int) { return 0; }
    static constexpr TESSERA_FORMULA int tail(int) { return 0; }
};

} // namespace tessera
