#include "engine/cpu/pair_tiles.hpp"

#include "engine/base/fixed_point.hpp"
#include "engine/cpu/simd/simd_choice.hpp"
#include "engine/math/inverse_sqrt.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

// Vectors of 64 bytes never cross a call: everything that takes one is inlined into code of one
// instruction set.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tessera
{

namespace
{

#define TESSERA_INLINE_ [[gnu::always_inline]] inline

constexpr int width = ClusterOrder::width;
constexpr int lanes = width * width;
constexpr int room = static_cast<int>(tiles_at_once) * lanes;

// a pair below it, in units of the quantum: sixteen of them still fit 32 bits
constexpr float largest_on_fast_path = 67108864.0F; // 2^26

using Longs4 = std::int64_t __attribute__((vector_size(32)));
using Ints = std::uint32_t __attribute__((vector_size(64)));
using Signed = std::int32_t __attribute__((vector_size(64)));
using Floats = float __attribute__((vector_size(64)));

template <class V, class T>
TESSERA_INLINE_ V load(const T* from)
{
    V v;
    std::memcpy(&v, from, sizeof v);
    return v;
}
template <class V, class T>
TESSERA_INLINE_ void store(T* to, const V& v)
{
    std::memcpy(to, &v, sizeof v);
}
/// The four numbers First .. First + 3 of v, for each of the four atoms of the row.
template <int First>
TESSERA_INLINE_ Ints four_times(const Ints& v)
{
    constexpr int a = First, b = First + 1, c = First + 2, d = First + 3;
    return __builtin_shufflevector(v, v, a, b, c, d, a, b, c, d, a, b, c, d, a, b, c, d);
}

/// A difference of positions, which was taken modulo 2^32, so that images far from the origin do no
/// harm. Exact below 2 nm, beyond rounded as its opposite is.
TESSERA_INLINE_ Floats nanometres(const Ints& difference)
{
    constexpr auto unit = static_cast<float>(1.0 / fixed::kernel_position_scale);
    return __builtin_convertvector(reinterpret_cast<Signed>(difference), Floats) * unit;
}

/// The tiles' pairs side by side.
struct Lanes {
    alignas(64) float dx[room], dy[room], dz[room]; ///< x_i - x_j, nm
    alignas(64) float r2[room];                     ///< infinite where the pair is not listed
    alignas(64) float strength[room];               ///< kJ/mol nm
    alignas(64) float inv_r[room];
    alignas(64) float force_over_r[room];
    alignas(64) std::int32_t type_pair[room];
    alignas(64) std::int32_t fx[room], fy[room], fz[room];
};

TESSERA_INLINE_ void fill(Lanes& l, const TileRow& row,
                          std::span<const ClusterPairList::Column> columns, const TileAtoms& atoms)
{
    const Ints bit = {1u << 0, 1u << 1, 1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
                      1u << 8, 1u << 9, 1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15};
    const Floats nowhere = Floats{} + std::numeric_limits<float>::infinity();
    const Ints xi = load<Ints>(row.x), yi = load<Ints>(row.y), zi = load<Ints>(row.z);
    const Floats qi = load<Floats>(row.charge);
    const Signed ti = load<Signed>(row.type_row);
    for (std::size_t t = 0; t < columns.size(); ++t) {
        const auto cluster = static_cast<std::ptrdiff_t>(columns[t].cluster);
        // one line of the cache; a vector made of parts in memory would wait for them to be stored
        const Ints other = load<Ints>(atoms.xyzq + cluster * 4 * width);
        const Floats dx = nanometres(xi - four_times<0>(other));
        const Floats dy = nanometres(yi - four_times<width>(other));
        const Floats dz = nanometres(zi - four_times<2 * width>(other));
        const Signed listed = (bit & columns[t].mask) != 0;
        const Floats r2 = dx * dx + dy * dy + dz * dz;
        const std::size_t first = t * lanes;
        store(l.dx + first, dx);
        store(l.dy + first, dy);
        store(l.dz + first, dz);
        store(l.r2 + first, listed ? r2 : nowhere);
        store(l.strength + first, qi * reinterpret_cast<Floats>(four_times<3 * width>(other)));
        store(l.type_pair + first, ti + reinterpret_cast<Signed>(four_times<0>(
                                            load<Ints>(atoms.type + cluster * width))));
    }
}

/// v where it is wanted, else zero; without a branch, behind which the compiler would hide what v
/// takes to compute, and the loop would not become vector code.
TESSERA_INLINE_ float value_if(bool wanted, float v)
{
    return std::bit_cast<float>(std::bit_cast<std::int32_t>(v) &
                                -static_cast<std::int32_t>(wanted));
}

template <class Force>
TESSERA_INLINE_ void add_force(Lanes& l, int n, float cutoff2, Force force)
{
#pragma omp simd
    for (int k = 0; k < n; ++k) {
        const float f = force(k);
        l.force_over_r[k] += value_if(l.r2[k] < cutoff2, f);
    }
}

template <bool HasC4>
TESSERA_INLINE_ void add_lennard_jones(Lanes& l, int n, const TileForm& form)
{
    const float* c6 = form.c6.data();
    const float* c12 = form.c12.data();
    const float* c4 = form.c4.data();
    const auto pair = [&](int k) {
        const auto p = static_cast<std::size_t>(l.type_pair[k]);
        return LjPair<float>{c6[p], c12[p], HasC4 ? c4[p] : 0.0F};
    };
    switch (form.lj) {
    case LjModifier::none:
    case LjModifier::potential_shift: // has the force of the plain pair
        add_force(l, n, form.lj_cutoff2, [&](int k) {
            return lennard_jones(pair(k), l.inv_r[k] * l.inv_r[k]).force_over_r;
        });
        break;
    case LjModifier::force_switch: {
        const ForceSwitch<float> s = form.force_switch;
        add_force(l, n, form.lj_cutoff2, [&](int k) {
            return lennard_jones_force_switch(pair(k), l.r2[k] * l.inv_r[k], l.inv_r[k], s)
                .force_over_r;
        });
        break;
    }
    case LjModifier::potential_switch: {
        const PotentialSwitch<float> s = form.potential_switch;
        add_force(l, n, form.lj_cutoff2, [&](int k) {
            return lennard_jones_potential_switch(pair(k), l.r2[k] * l.inv_r[k], l.inv_r[k], s)
                .force_over_r;
        });
        break;
    }
    }
}

/// c[First] + c[First + 1] t + ... + c[Degree] t^(Degree - First)
template <int First, int Degree>
TESSERA_INLINE_ float polynomial(const float (&c)[Degree + 1], float t)
{
    if constexpr (First == Degree) {
        return c[Degree];
    } else {
        return std::fma(polynomial<First + 1, Degree>(c, t), t, c[First]);
    }
}

template <int Degree>
TESSERA_INLINE_ void add_ewald(Lanes& l, int n, const TileForm& form)
{
    float c[Degree + 1];
    for (int d = 0; d <= Degree; ++d) {
        c[d] = form.smooth.coefficient[static_cast<std::size_t>(d)];
    }
    const float scale = form.smooth.scale;
    add_force(l, n, form.coulomb_cutoff2, [&](int k) {
        const float t = std::fma(l.r2[k], scale, -1.0F);
        return ewald_real_force(l.strength[k], l.inv_r[k], polynomial<0, Degree>(c, t));
    });
}

TESSERA_INLINE_ void add_electrostatics(Lanes& l, int n, const TileForm& form)
{
    switch (form.coulomb) {
    case CoulombForm::none:
        break;
    case CoulombForm::reaction_field: {
        const ReactionField<float> field = form.field;
        add_force(l, n, form.coulomb_cutoff2, [&](int k) {
            return reaction_field(l.strength[k], l.r2[k], l.inv_r[k], field).force_over_r;
        });
        break;
    }
    case CoulombForm::ewald:
        switch (form.smooth.coefficient.size()) {
        case 13:
            add_ewald<12>(l, n, form);
            break;
        case 15:
            add_ewald<14>(l, n, form);
            break;
        case 19:
            add_ewald<18>(l, n, form);
            break;
        default:
            add_ewald<24>(l, n, form);
        }
    }
}

enum class Range { small, wide, left };

/// Nearest integer, halves away from zero: odd in v. |v| < 2^31.
TESSERA_INLINE_ std::int32_t rounded(float v)
{
    return static_cast<std::int32_t>(v + std::copysign(0.5F, v));
}

/// Components to integers; written so that NaN counts as too large.
TESSERA_INLINE_ Range round_forces(Lanes& l, int n, const TileForm& form)
{
    const float scale = std::ldexp(1.0F, form.force_bits);
    const float largest = form.largest_force;
    std::int32_t wide = 0, left = 0;
#pragma omp simd reduction(| : wide, left)
    for (int k = 0; k < n; ++k) {
        const float f = l.force_over_r[k];
        const float x = f * l.dx[k], y = f * l.dy[k], z = f * l.dz[k];
        const float size = std::fabs(x) + std::fabs(y) + std::fabs(z);
        wide |= size * scale < largest_on_fast_path ? 0 : 1;
        left |= size < largest ? 0 : 1;
        const bool fits = size < largest;
        l.fx[k] = rounded(value_if(fits, x * scale));
        l.fy[k] = rounded(value_if(fits, y * scale));
        l.fz[k] = rounded(value_if(fits, z * scale));
    }
    return left != 0 ? Range::left : wide != 0 ? Range::wide : Range::small;
}

TESSERA_INLINE_ Longs4 widened(const Signed& v)
{
    const auto low = __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7);
    const auto high = __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
    const auto half = low + high;
    const auto sum = __builtin_shufflevector(half, half, 0, 1, 2, 3) +
                     __builtin_shufflevector(half, half, 4, 5, 6, 7);
    return __builtin_convertvector(sum, Longs4);
}

/// Sums over the tiles where no intermediate sum can leave 32 bits.
TESSERA_INLINE_ void add_fast(const Lanes& l, std::span<const ClusterPairList::Column> columns,
                              TileSums& sums)
{
    Signed own[3] = {};
    const std::int32_t* f[3] = {l.fx, l.fy, l.fz};
    for (std::size_t t = 0; t < columns.size(); ++t) {
        std::int64_t* to = sums.force + static_cast<std::ptrdiff_t>(columns[t].cluster) * 3 * width;
        for (int c = 0; c < 3; ++c) {
            const Signed v = load<Signed>(f[c] + t * lanes);
            own[c] += v;
            store(to + c * width, load<Longs4>(to + c * width) - widened(v));
        }
    }
    for (int c = 0; c < 3; ++c) {
        for (int k = 0; k < lanes; ++k) {
            sums.own[c][k / width] += own[c][k];
        }
    }
}

/// The same sums, a pair at a time in 64 bits; looks for a pair that left the range.
void add_slowly(const Lanes& l, std::span<const ClusterPairList::Column> columns,
                float largest_force, TileSums& sums)
{
    const std::int32_t* f[3] = {l.fx, l.fy, l.fz};
    for (std::size_t t = 0; t < columns.size(); ++t) {
        std::int64_t* to = sums.force + static_cast<std::ptrdiff_t>(columns[t].cluster) * 3 * width;
        for (std::size_t k = 0; k < lanes; ++k) {
            const std::size_t at = t * lanes + k;
            for (std::size_t c = 0; c < 3; ++c) {
                sums.own[c][k / width] += f[c][at];
                to[c * width + k % width] -= f[c][at];
            }
            const float size = l.force_over_r[at] == 0.0F
                                   ? 0.0F
                                   : std::fabs(l.force_over_r[at] * l.dx[at]) +
                                         std::fabs(l.force_over_r[at] * l.dy[at]) +
                                         std::fabs(l.force_over_r[at] * l.dz[at]);
            if (!(size < largest_force) && sums.column < 0) {
                sums.column = static_cast<std::int32_t>(t);
                sums.row_bit = static_cast<std::int32_t>(k);
            }
        }
    }
}

TESSERA_INLINE_ void add_tiles_body(const TileRow& row,
                                    std::span<const ClusterPairList::Column> columns,
                                    const TileAtoms& atoms, const TileForm& form, TileSums& sums)
{
    Lanes l;
    const int n = static_cast<int>(columns.size()) * lanes;
    fill(l, row, columns, atoms);
#pragma omp simd
    for (int k = 0; k < n; ++k) {
        l.inv_r[k] = inverse_sqrt(l.r2[k]);
        l.force_over_r[k] = 0.0F;
    }
    if (form.c4.empty()) {
        add_lennard_jones<false>(l, n, form);
    } else {
        add_lennard_jones<true>(l, n, form);
    }
    add_electrostatics(l, n, form);
    if (round_forces(l, n, form) == Range::small) {
        add_fast(l, columns, sums);
    } else {
        add_slowly(l, columns, form.largest_force, sums);
    }
}

using Columns = std::span<const ClusterPairList::Column>;

[[gnu::flatten, gnu::target("avx512f,avx512dq,avx512vl,avx512bw,fma,prefer-vector-width=512")]] void
add_tiles_avx512(const TileRow& row, Columns columns, const TileAtoms& atoms, const TileForm& form,
                 TileSums& sums)
{
    add_tiles_body(row, columns, atoms, form, sums);
}
[[gnu::flatten, gnu::target("avx2,fma")]] void add_tiles_avx2(const TileRow& row, Columns columns,
                                                              const TileAtoms& atoms,
                                                              const TileForm& form, TileSums& sums)
{
    add_tiles_body(row, columns, atoms, form, sums);
}
[[gnu::flatten]] void add_tiles_baseline(const TileRow& row, Columns columns,
                                         const TileAtoms& atoms, const TileForm& form,
                                         TileSums& sums)
{
    add_tiles_body(row, columns, atoms, form, sums);
}

#undef TESSERA_INLINE_

} // namespace

void add_tiles(const TileRow& row, Columns columns, const TileAtoms& atoms, const TileForm& form,
               TileSums& sums)
{
    for_simd_level(add_tiles_baseline, add_tiles_avx2, add_tiles_avx512)(row, columns, atoms, form,
                                                                         sums);
}

} // namespace tessera
