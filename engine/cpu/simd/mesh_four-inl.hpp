#pragma once

#include "engine/cpu/simd/mesh_four.hpp"

#include <immintrin.h>

// Compiled once an instruction set, in a namespace of its own (TESSERA_MESH_LEVEL).

// the compiler's own header leaves a register undefined on purpose
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

namespace tessera::TESSERA_MESH_LEVEL
{

namespace
{

#define TESSERA_INLINE_ [[gnu::always_inline]] inline

using std::size_t;

/// A register: four numbers of each of `group` atoms.
#if defined(__AVX512F__)
constexpr size_t group = 4;
using Floats = __m512;
using Ints = __m512i;
TESSERA_INLINE_ Floats load(const void* from)
{
    return _mm512_loadu_ps(from);
}
TESSERA_INLINE_ void store(float* to, Floats v)
{
    _mm512_storeu_ps(to, v);
}
TESSERA_INLINE_ Floats for_each(const float* four)
{
    return _mm512_broadcast_f32x4(_mm_load_ps(four));
}
TESSERA_INLINE_ Floats each_four_times(const float* from)
{
    const __m512i which = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
    return _mm512_permutexvar_ps(which, _mm512_castps128_ps512(_mm_loadu_ps(from)));
}
template <int A, int B, int C, int D>
TESSERA_INLINE_ Floats two_and_two(Floats a, Floats b)
{
    return _mm512_shuffle_ps(a, b, A | B << 2 | C << 4 | D << 6);
}
TESSERA_INLINE_ Floats rows(const float* const* from, size_t offset)
{
    Floats v = _mm512_castps128_ps512(_mm_loadu_ps(from[0] + offset));
    v = _mm512_insertf32x4(v, _mm_loadu_ps(from[1] + offset), 1);
    v = _mm512_insertf32x4(v, _mm_loadu_ps(from[2] + offset), 2);
    return _mm512_insertf32x4(v, _mm_loadu_ps(from[3] + offset), 3);
}
TESSERA_INLINE_ Ints rounded(Floats v)
{
    return _mm512_cvtps_epi32(v);
}
template <int Atom>
TESSERA_INLINE_ __m128i row_of(Ints v)
{
    return _mm512_extracti32x4_epi32(v, Atom);
}
#elif defined(__AVX2__)
constexpr size_t group = 2;
using Floats = __m256;
using Ints = __m256i;
TESSERA_INLINE_ Floats load(const void* from)
{
    return _mm256_loadu_ps(static_cast<const float*>(from));
}
TESSERA_INLINE_ void store(float* to, Floats v)
{
    _mm256_storeu_ps(to, v);
}
TESSERA_INLINE_ Floats for_each(const float* four)
{
    const __m128 v = _mm_load_ps(four);
    return _mm256_set_m128(v, v);
}
TESSERA_INLINE_ Floats each_four_times(const float* from)
{
    return _mm256_set_m128(_mm_set1_ps(from[1]), _mm_set1_ps(from[0]));
}
template <int A, int B, int C, int D>
TESSERA_INLINE_ Floats two_and_two(Floats a, Floats b)
{
    return _mm256_shuffle_ps(a, b, A | B << 2 | C << 4 | D << 6);
}
TESSERA_INLINE_ Floats rows(const float* const* from, size_t offset)
{
    return _mm256_set_m128(_mm_loadu_ps(from[1] + offset), _mm_loadu_ps(from[0] + offset));
}
TESSERA_INLINE_ Ints rounded(Floats v)
{
    return _mm256_cvtps_epi32(v);
}
template <int Atom>
TESSERA_INLINE_ __m128i row_of(Ints v)
{
    return _mm256_extracti128_si256(v, Atom);
}
#else
constexpr size_t group = 1;
using Floats = __m128;
using Ints = __m128i;
TESSERA_INLINE_ Floats load(const void* from)
{
    return _mm_loadu_ps(static_cast<const float*>(from));
}
TESSERA_INLINE_ void store(float* to, Floats v)
{
    _mm_storeu_ps(to, v);
}
TESSERA_INLINE_ Floats for_each(const float* four)
{
    return _mm_load_ps(four);
}
TESSERA_INLINE_ Floats each_four_times(const float* from)
{
    return _mm_set1_ps(*from);
}
template <int A, int B, int C, int D>
TESSERA_INLINE_ Floats two_and_two(Floats a, Floats b)
{
    return _mm_shuffle_ps(a, b, A | B << 2 | C << 4 | D << 6);
}
TESSERA_INLINE_ Floats rows(const float* const* from, size_t offset)
{
    return _mm_loadu_ps(from[0] + offset);
}
TESSERA_INLINE_ Ints rounded(Floats v)
{
    return _mm_cvtps_epi32(v);
}
template <int Atom>
TESSERA_INLINE_ __m128i row_of(Ints v)
{
    return v;
}
#endif

/// The K-th number of each atom, four times.
template <int K>
TESSERA_INLINE_ Floats only(Floats v)
{
    return two_and_two<K, K, K, K>(v, v);
}

/// The four numbers of an atom, each spread over its lanes.
struct Apart {
    Floats of[4];

    TESSERA_INLINE_ explicit Apart(Floats v) : of{only<0>(v), only<1>(v), only<2>(v), only<3>(v)} {}
};

TESSERA_INLINE_ Floats weights(const CubicPieces& c, Floats w)
{
    const Floats upper = for_each(c.weight[3]) * w + for_each(c.weight[2]);
    return (upper * w + for_each(c.weight[1])) * w + for_each(c.weight[0]);
}
TESSERA_INLINE_ Floats slopes(const CubicPieces& c, Floats w)
{
    return (for_each(c.slope[2]) * w + for_each(c.slope[1])) * w + for_each(c.slope[0]);
}

template <int Atom>
TESSERA_INLINE_ void add_rows(const Ints (&value)[4][4], const MeshStrides& apart,
                              std::uint32_t* to)
{
#pragma GCC unroll 4
    for (int x = 0; x < 4; ++x, to += apart.plane) {
        std::uint32_t* row = to;
#pragma GCC unroll 4
        for (int y = 0; y < 4; ++y, row += apart.row) {
            auto* const points = reinterpret_cast<__m128i*>(row);
            const __m128i sum = _mm_add_epi32(_mm_loadu_si128(points), row_of<Atom>(value[x][y]));
            _mm_storeu_si128(points, sum);
        }
    }
}

/// Whole groups.
TESSERA_INLINE_ void spread_groups(const CubicPieces& pieces, const MeshStrides& apart,
                                   const MeshAtom<float>* atoms, size_t count, const float* charge,
                                   std::uint32_t* mesh)
{
    for (size_t a = 0; a < count; a += group) {
        const Floats at = load(atoms + a);
        const Apart x(weights(pieces, only<0>(at)) * each_four_times(charge + a));
        const Apart y(weights(pieces, only<1>(at)));
        const Floats z = weights(pieces, only<2>(at));
        Ints value[4][4];
#pragma GCC unroll 4
        for (int j = 0; j < 4; ++j) {
            const Floats yz = y.of[j] * z;
#pragma GCC unroll 4
            for (int i = 0; i < 4; ++i) {
                value[i][j] = rounded(yz * x.of[i]);
            }
        }
        add_rows<0>(value, apart, mesh + atoms[a].first);
        if constexpr (group > 1) {
            add_rows<1>(value, apart, mesh + atoms[a + 1].first);
        }
        if constexpr (group > 2) {
            add_rows<2>(value, apart, mesh + atoms[a + 2].first);
            add_rows<3>(value, apart, mesh + atoms[a + 3].first);
        }
    }
}

TESSERA_INLINE_ void gather_groups(const CubicPieces& pieces, const MeshStrides& apart,
                                   const MeshAtom<float>* atoms, size_t count,
                                   const float* potential, float (*slope)[4])
{
    for (size_t a = 0; a < count; a += group) {
        const Floats at = load(atoms + a);
        const float* from[group];
        for (size_t k = 0; k < group; ++k) {
            from[k] = potential + atoms[a + k].first;
        }
        const Apart x(weights(pieces, only<0>(at))), steep_x(slopes(pieces, only<0>(at)));
        const Apart y(weights(pieces, only<1>(at))), steep_y(slopes(pieces, only<1>(at)));
        Floats fx, fy, fz;
#pragma GCC unroll 4
        for (size_t j = 0; j < 4; ++j) {
            const Floats first = rows(from, j * apart.row);
            Floats plain = first * x.of[0], steep = first * steep_x.of[0];
#pragma GCC unroll 3
            for (size_t i = 1; i < 4; ++i) {
                const Floats phi = rows(from, j * apart.row + i * apart.plane);
                plain += phi * x.of[i];
                steep += phi * steep_x.of[i];
            }
            fx = j == 0 ? steep * y.of[0] : fx + steep * y.of[j];
            fy = j == 0 ? plain * steep_y.of[0] : fy + plain * steep_y.of[j];
            fz = j == 0 ? plain * y.of[0] : fz + plain * y.of[j];
        }
        const Floats z = weights(pieces, only<2>(at)), steep_z = slopes(pieces, only<2>(at));
        fx *= z;
        fy *= z;
        fz *= steep_z;
        const Floats xy = two_and_two<0, 1, 0, 1>(fx, fy) + two_and_two<2, 3, 2, 3>(fx, fy);
        const Floats zz = fz + two_and_two<2, 3, 2, 3>(fz, fz);
        store(slope[a], two_and_two<0, 2, 0, 0>(xy, zz) + two_and_two<1, 3, 1, 1>(xy, zz));
    }
}

void spread(const CubicPieces& pieces, const MeshStrides& apart, const MeshAtom<float>* atoms,
            size_t count, const float* charge, std::uint32_t* mesh)
{
    const size_t whole = count / group * group;
    spread_groups(pieces, apart, atoms, whole, charge, mesh);
    if (whole < count) { // atoms without charge fill the last group
        MeshAtom<float> last[group] = {};
        float q[4] = {};
        for (size_t k = 0; k < group; ++k) {
            const bool is_there = whole + k < count;
            last[k] = atoms[is_there ? whole + k : whole];
            q[k] = is_there ? charge[whole + k] : 0.0F;
        }
        spread_groups(pieces, apart, last, group, q, mesh);
    }
}

void gather(const CubicPieces& pieces, const MeshStrides& apart, const MeshAtom<float>* atoms,
            size_t count, const float* potential, float (*slope)[4])
{
    const size_t whole = count / group * group;
    gather_groups(pieces, apart, atoms, whole, potential, slope);
    if (whole < count) {
        MeshAtom<float> last[group] = {};
        float out[group][4];
        for (size_t k = 0; k < group; ++k) {
            last[k] = atoms[whole + k < count ? whole + k : whole];
        }
        gather_groups(pieces, apart, last, group, potential, out);
        for (size_t k = 0; whole + k < count; ++k) {
            __builtin_memcpy(slope[whole + k], out[k], sizeof out[k]);
        }
    }
}

#undef TESSERA_INLINE_

} // namespace

const MeshFourKernels kernels{spread, gather};

} // namespace tessera::TESSERA_MESH_LEVEL
