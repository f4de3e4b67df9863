#include "engine/cpu/mesh_splines.hpp"

#include "engine/math/bspline.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

// Vectors of 64 bytes never cross a call: everything that takes one is inlined into code of one
// instruction set.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace tessera
{

namespace
{

#define TESSERA_INLINE_ [[gnu::always_inline]] inline

template <class T, int Lanes>
struct VectorOf {
    typedef T Type __attribute__((vector_size(Lanes * sizeof(T))));
};
template <class T, int Lanes>
using Vector = typename VectorOf<T, Lanes>::Type;

/// Vectors of 64 bytes.
template <class R>
using Real = Vector<R, 64 / sizeof(R)>;
template <class R>
using Whole = Vector<MeshWhole<R>, 64 / sizeof(R)>;

template <class V, class T>
TESSERA_INLINE_ V load(const T* from)
{
    V v;
    std::memcpy(&v, from, sizeof v);
    return v;
}

template <int First, class V, int... K>
TESSERA_INLINE_ auto lanes_from(const V& v, std::integer_sequence<int, K...>)
{
    return __builtin_shufflevector(v, v, (First + K)...);
}
template <int First, int Count, class V>
TESSERA_INLINE_ auto part(const V& v)
{
    return lanes_from<First>(v, std::make_integer_sequence<int, Count>());
}
template <class V, int... K>
TESSERA_INLINE_ auto joined(const V& a, const V& b, std::integer_sequence<int, K...>)
{
    return __builtin_shufflevector(a, b, K...);
}

/// Charges below 2^51 units: a weight is below 1, so the sum keeps its last bits for the integer.
TESSERA_INLINE_ Whole<double> rounded(const Real<double>& v)
{
    constexpr double to_integer = 6755399441055744.0; // 1.5 * 2^52: rounds to nearest even
    return reinterpret_cast<Whole<double>>(v + to_integer) -
           std::bit_cast<std::int64_t>(to_integer);
}
TESSERA_INLINE_ Whole<float> rounded(const Real<float>& v)
{
    constexpr std::int32_t sign = std::int32_t{-2147483647} - 1;
    constexpr auto half = std::bit_cast<std::int32_t>(0.5F);
    const Whole<float> halves = (reinterpret_cast<Whole<float>>(v) & sign) | half;
    return __builtin_convertvector(v + reinterpret_cast<Real<float>>(halves), Whole<float>);
}
TESSERA_INLINE_ std::int64_t rounded_alone(double v)
{
    return static_cast<std::int64_t>(std::llrint(v));
}
TESSERA_INLINE_ std::int32_t rounded_alone(float v)
{
    return static_cast<std::int32_t>(v + std::copysign(0.5F, v));
}

/// The pieces of the spline as polynomials of w: piece[l][p] is the coefficient of w^p of the
/// weight of the l-th point from below. From the recursion of bspline_weights.
struct Pieces {
    double weight[largest_spline_order][largest_spline_order] = {};
    double slope[largest_spline_order][largest_spline_order] = {};

    explicit Pieces(int order)
    {
        const auto size = static_cast<std::size_t>(order);
        using Polynomial = std::array<double, largest_spline_order + 1>;
        std::array<Polynomial, largest_spline_order> m{}; // [k below]
        m[0][1] = 1;
        m[1][0] = 1;
        m[1][1] = -1;
        for (std::size_t n = 3; n <= size; ++n) {
            const auto before = m;
            for (std::size_t k = 0; k < n; ++k) {
                Polynomial sum{};
                for (std::size_t p = 0; p < n; ++p) {
                    if (k < n - 1) { // (w + k) M(w + k)
                        sum[p] += static_cast<double>(k) * before[k][p];
                        sum[p + 1] += before[k][p];
                    }
                    if (k > 0) { // (n - k - w) M(w + k - 1)
                        sum[p] += static_cast<double>(n - k) * before[k - 1][p];
                        sum[p + 1] -= before[k - 1][p];
                    }
                }
                for (double& c : sum) {
                    c /= static_cast<double>(n - 1);
                }
                m[k] = sum;
            }
        }
        for (std::size_t l = 0; l < size; ++l) {
            for (std::size_t p = 0; p < size; ++p) {
                weight[l][p] = m[size - 1 - l][p];
                slope[l][p] = static_cast<double>(p + 1) * m[size - 1 - l][p + 1];
            }
        }
    }
};

/// How the (y, z) points of one x lie in vectors: `rows` of `width` lanes a vector, `count`
/// vectors.
template <class R, int Order>
struct Shape {
    static constexpr int lanes = 64 / static_cast<int>(sizeof(R));
    static constexpr int width = Order <= 4 ? 4 : 8;
    static constexpr int rows = lanes / width;
    static constexpr int count = (Order + rows - 1) / rows;
};

/// Coefficients of the pieces, each where its lane wants it.
template <class R, int Order>
struct Table {
    using S = Shape<R, Order>;
    struct Lanes {
        alignas(64) R x[Order][8], z[Order][S::lanes];
        alignas(64) R y[S::count][Order][S::lanes];
    };
    Lanes weight{}, slope{};

    Table()
    {
        const Pieces pieces(Order);
        fill(pieces.weight, weight);
        fill(pieces.slope, slope);
    }
    static void fill(const double (&piece)[largest_spline_order][largest_spline_order], Lanes& out)
    {
        for (int p = 0; p < Order; ++p) {
            for (int l = 0; l < Order; ++l) {
                out.x[p][l] = static_cast<R>(piece[l][p]);
            }
            for (int lane = 0; lane < S::lanes; ++lane) {
                const int k = lane % S::width;
                out.z[p][lane] = k < Order ? static_cast<R>(piece[k][p]) : R(0);
                for (int v = 0; v < S::count; ++v) {
                    const int j = v * S::rows + lane / S::width;
                    out.y[v][p][lane] = j < Order ? static_cast<R>(piece[j][p]) : R(0);
                }
            }
        }
    }
};
template <class R, int Order>
const Table<R, Order>& table()
{
    static const Table<R, Order> only;
    return only;
}

/// Value at w of polynomials with the given number of coefficients, by Horner's rule.
template <class V, int Count, class R, std::size_t Lanes>
TESSERA_INLINE_ V polynomial(const R (*c)[Lanes], R w)
{
    V sum = load<V>(c[Count - 1]);
    for (int p = Count - 2; p >= 0; --p) {
        sum = sum * w + load<V>(c[p]);
    }
    return sum;
}

template <class R>
using Eight = Vector<R, 8>;

template <int Width, class V, class T>
TESSERA_INLINE_ void add_row(T* to, const V& v)
{
    const auto sum = load<Vector<T, Width>>(to) + v;
    std::memcpy(to, &sum, sizeof sum);
}

/// Adds the rows of one vector to the mesh.
template <class S, class W, class T>
TESSERA_INLINE_ void add_rows(T* to, std::size_t pitch, const W& v)
{
    if constexpr (S::rows == 1) {
        add_row<S::width>(to, v);
    } else if constexpr (S::rows == 2) {
        add_row<S::width>(to, part<0, S::width>(v));
        add_row<S::width>(to + pitch, part<S::width, S::width>(v));
    } else {
        add_row<S::width>(to, part<0, S::width>(v));
        add_row<S::width>(to + pitch, part<S::width, S::width>(v));
        add_row<S::width>(to + 2 * pitch, part<2 * S::width, S::width>(v));
        add_row<S::width>(to + 3 * pitch, part<3 * S::width, S::width>(v));
    }
}

template <class S, class R>
TESSERA_INLINE_ Real<R> load_rows(const R* from, std::size_t pitch)
{
    using Row = Vector<R, S::width>;
    constexpr std::make_integer_sequence<int, 2 * S::width> two;
    constexpr std::make_integer_sequence<int, 4 * S::width> four;
    if constexpr (S::rows == 1) {
        return load<Real<R>>(from);
    } else if constexpr (S::rows == 2) {
        return joined(load<Row>(from), load<Row>(from + pitch), two);
    } else {
        const auto a = joined(load<Row>(from), load<Row>(from + pitch), two);
        const auto b = joined(load<Row>(from + 2 * pitch), load<Row>(from + 3 * pitch), two);
        return joined(a, b, four);
    }
}

/// Sum over lanes: halves onto halves.
template <class V>
TESSERA_INLINE_ auto sum_of_lanes(const V& v)
{
    constexpr int lanes = sizeof(V) / sizeof(v[0]);
    if constexpr (lanes == 2) {
        return v[0] + v[1];
    } else {
        return sum_of_lanes(part<0, lanes / 2>(v) + part<lanes / 2, lanes / 2>(v));
    }
}

template <class R, int Order>
TESSERA_INLINE_ void spread_vectors(const MeshLayout& layout, std::span<const MeshAtom<R>> atoms,
                                    const R* charge, MeshWhole<R>* mesh,
                                    const Table<R, Order>& table)
{
    using S = Shape<R, Order>;
    using Unsigned = std::make_unsigned_t<MeshWhole<R>>;
    using Bits = Vector<Unsigned, S::lanes>;
    auto* const points = reinterpret_cast<Unsigned*>(mesh);
    const std::size_t pitch = layout.pitch, plane = layout.plane;
    for (std::size_t a = 0; a < atoms.size(); ++a) {
        const MeshAtom<R>& atom = atoms[a];
        const R q = charge[a];
        if (q == R(0)) {
            continue;
        }
        alignas(64) R x[8];
        const Eight<R> wx = polynomial<Eight<R>, Order>(table.weight.x, atom.above[0]) * q;
        std::memcpy(x, &wx, sizeof wx);
        const auto wz = polynomial<Real<R>, Order>(table.weight.z, atom.above[2]);
        Real<R> yz[S::count];
        for (int v = 0; v < S::count; ++v) {
            yz[v] = polynomial<Real<R>, Order>(table.weight.y[v], atom.above[1]) * wz;
        }
        Unsigned* to = points + atom.first;
        const bool is_large = sizeof(R) == 8 && !(std::fabs(q) < R(2251799813685248.0)); // 2^51
        for (int i = 0; i < Order; ++i, to += plane) {
            for (int v = 0; v < S::count; ++v) {
                const Real<R> value = yz[v] * x[i];
                Whole<R> whole = {};
                if (is_large) [[unlikely]] {
                    for (int lane = 0; lane < S::lanes; ++lane) {
                        whole[lane] = rounded_alone(value[lane]);
                    }
                } else {
                    whole = rounded(value);
                }
                add_rows<S>(to + static_cast<std::size_t>(v * S::rows) * pitch, pitch,
                            reinterpret_cast<Bits>(whole));
            }
        }
    }
}

template <class R, int Order>
TESSERA_INLINE_ void gather_vectors(const MeshLayout& layout, std::span<const MeshAtom<R>> atoms,
                                    const R* potential, R (*slope)[4], const Table<R, Order>& table)
{
    using S = Shape<R, Order>;
    const std::size_t pitch = layout.pitch, plane = layout.plane;
    for (std::size_t a = 0; a < atoms.size(); ++a) {
        const MeshAtom<R>& atom = atoms[a];
        alignas(64) R x[8], steep_x[8];
        const auto wx = polynomial<Eight<R>, Order>(table.weight.x, atom.above[0]);
        const auto sx = polynomial<Eight<R>, Order - 1>(table.slope.x, atom.above[0]);
        std::memcpy(x, &wx, sizeof wx);
        std::memcpy(steep_x, &sx, sizeof sx);
        Real<R> plain[S::count] = {}, steep[S::count] = {};
        const R* from = potential + atom.first;
        for (int i = 0; i < Order; ++i, from += plane) {
            for (int v = 0; v < S::count; ++v) {
                const Real<R> phi =
                    load_rows<S>(from + static_cast<std::size_t>(v * S::rows) * pitch, pitch);
                plain[v] += phi * x[i];
                steep[v] += phi * steep_x[i];
            }
        }
        const auto wz = polynomial<Real<R>, Order>(table.weight.z, atom.above[2]);
        const auto sz = polynomial<Real<R>, Order - 1>(table.slope.z, atom.above[2]);
        Real<R> fx = {}, fy = {}, fz = {};
        for (int v = 0; v < S::count; ++v) {
            const auto wy = polynomial<Real<R>, Order>(table.weight.y[v], atom.above[1]);
            const auto sy = polynomial<Real<R>, Order - 1>(table.slope.y[v], atom.above[1]);
            fx += wy * steep[v];
            fy += sy * plain[v];
            fz += wy * plain[v];
        }
        slope[a][0] = sum_of_lanes(fx * wz);
        slope[a][1] = sum_of_lanes(fy * wz);
        slope[a][2] = sum_of_lanes(fz * sz);
    }
}

/// Weights and slopes by ascending mesh point, any order.
template <class R>
struct AnyOrder {
    R weight[3][largest_spline_order], slope[3][largest_spline_order];

    AnyOrder(int order, const MeshAtom<R>& atom)
    {
        for (int d = 0; d < 3; ++d) {
            R w[largest_spline_order], s[largest_spline_order];
            bspline_weights(order, atom.above[d], w, s);
            for (int l = 0; l < order; ++l) {
                weight[d][l] = w[order - 1 - l];
                slope[d][l] = s[order - 1 - l];
            }
        }
    }
};

template <class R>
TESSERA_INLINE_ void spread_scalars(const MeshLayout& layout, std::span<const MeshAtom<R>> atoms,
                                    const R* charge, MeshWhole<R>* mesh)
{
    using Unsigned = std::make_unsigned_t<MeshWhole<R>>;
    auto* const points = reinterpret_cast<Unsigned*>(mesh);
    const auto order = static_cast<std::size_t>(layout.order);
    for (std::size_t a = 0; a < atoms.size(); ++a) {
        if (charge[a] == R(0)) {
            continue;
        }
        const AnyOrder<R> s(layout.order, atoms[a]);
        for (std::size_t i = 0; i < order; ++i) {
            const R x = charge[a] * s.weight[0][i];
            for (std::size_t j = 0; j < order; ++j) {
                const R xy = x * s.weight[1][j];
                Unsigned* row = points + atoms[a].first + i * layout.plane + j * layout.pitch;
                for (std::size_t k = 0; k < order; ++k) {
                    row[k] += static_cast<Unsigned>(rounded_alone(xy * s.weight[2][k]));
                }
            }
        }
    }
}

template <class R>
TESSERA_INLINE_ void gather_scalars(const MeshLayout& layout, std::span<const MeshAtom<R>> atoms,
                                    const R* potential, R (*slope)[4])
{
    const auto order = static_cast<std::size_t>(layout.order);
    for (std::size_t a = 0; a < atoms.size(); ++a) {
        const AnyOrder<R> s(layout.order, atoms[a]);
        R x = 0, y = 0, z = 0;
        for (std::size_t i = 0; i < order; ++i) {
            for (std::size_t j = 0; j < order; ++j) {
                const R* row = potential + atoms[a].first + i * layout.plane + j * layout.pitch;
                R plain = 0, steep = 0;
                for (std::size_t k = 0; k < order; ++k) {
                    plain += s.weight[2][k] * row[k];
                    steep += s.slope[2][k] * row[k];
                }
                x += s.slope[0][i] * s.weight[1][j] * plain;
                y += s.weight[0][i] * s.slope[1][j] * plain;
                z += s.weight[0][i] * s.weight[1][j] * steep;
            }
        }
        slope[a][0] = x;
        slope[a][1] = y;
        slope[a][2] = z;
    }
}

const CubicPieces& cubic_pieces()
{
    static const CubicPieces only = [] {
        const Pieces pieces(4);
        CubicPieces out{};
        for (std::size_t p = 0; p < 4; ++p) {
            for (std::size_t l = 0; l < 4; ++l) {
                out.weight[p][l] = static_cast<float>(pieces.weight[l][p]);
                if (p < 3) {
                    out.slope[p][l] = static_cast<float>(pieces.slope[l][p]);
                }
            }
        }
        return out;
    }();
    return only;
}

const MeshFourKernels& cubic_kernels(SimdLevel level)
{
    return level == SimdLevel::avx512 ? mesh_four_avx512::kernels
           : level == SimdLevel::avx2 ? mesh_four_avx2::kernels
                                      : mesh_four_baseline::kernels;
}

/// The two loops over atoms, for all orders, compiled for one instruction set.
template <class R>
struct Loops {
    using Atoms = std::span<const MeshAtom<R>>;

    TESSERA_INLINE_ static void spread(const MeshLayout& layout, Atoms atoms, const R* charge,
                                       MeshWhole<R>* mesh)
    {
        switch (layout.order) {
        case 4: // FP32: simd/mesh_four.hpp
            if constexpr (std::is_same_v<R, double>) {
                return spread_vectors<R, 4>(layout, atoms, charge, mesh, table<R, 4>());
            }
            return;
        case 5:
            return spread_vectors<R, 5>(layout, atoms, charge, mesh, table<R, 5>());
        case 6:
            return spread_vectors<R, 6>(layout, atoms, charge, mesh, table<R, 6>());
        default:
            return spread_scalars<R>(layout, atoms, charge, mesh);
        }
    }
    TESSERA_INLINE_ static void gather(const MeshLayout& layout, Atoms atoms, const R* potential,
                                       R (*slope)[4])
    {
        switch (layout.order) {
        case 4:
            if constexpr (std::is_same_v<R, double>) {
                return gather_vectors<R, 4>(layout, atoms, potential, slope, table<R, 4>());
            }
            return;
        case 5:
            return gather_vectors<R, 5>(layout, atoms, potential, slope, table<R, 5>());
        case 6:
            return gather_vectors<R, 6>(layout, atoms, potential, slope, table<R, 6>());
        default:
            return gather_scalars<R>(layout, atoms, potential, slope);
        }
    }

    using Spread = void (*)(const MeshLayout&, Atoms, const R*, MeshWhole<R>*);
    using Gather = void (*)(const MeshLayout&, Atoms, const R*, R (*)[4]);

#define TESSERA_FOR_AVX512_                                                                        \
    [[gnu::target("avx512f,avx512dq,avx512vl,avx512bw,prefer-vector-width=512")]]
#define TESSERA_FOR_AVX2_ [[gnu::target("avx2")]]

    TESSERA_FOR_AVX512_ static void spread_avx512(const MeshLayout& layout, Atoms atoms,
                                                  const R* charge, MeshWhole<R>* mesh)
    {
        spread(layout, atoms, charge, mesh);
    }
    TESSERA_FOR_AVX2_ static void spread_avx2(const MeshLayout& layout, Atoms atoms,
                                              const R* charge, MeshWhole<R>* mesh)
    {
        spread(layout, atoms, charge, mesh);
    }
    static void spread_baseline(const MeshLayout& layout, Atoms atoms, const R* charge,
                                MeshWhole<R>* mesh)
    {
        spread(layout, atoms, charge, mesh);
    }
    TESSERA_FOR_AVX512_ static void gather_avx512(const MeshLayout& layout, Atoms atoms,
                                                  const R* potential, R (*slope)[4])
    {
        gather(layout, atoms, potential, slope);
    }
    TESSERA_FOR_AVX2_ static void gather_avx2(const MeshLayout& layout, Atoms atoms,
                                              const R* potential, R (*slope)[4])
    {
        gather(layout, atoms, potential, slope);
    }
    static void gather_baseline(const MeshLayout& layout, Atoms atoms, const R* potential,
                                R (*slope)[4])
    {
        gather(layout, atoms, potential, slope);
    }
};

#undef TESSERA_FOR_AVX512_
#undef TESSERA_FOR_AVX2_
#undef TESSERA_INLINE_

} // namespace

template <class R>
void locate_on_mesh(const MeshLayout& layout, const Box& box, std::span<const Vec3> canonical,
                    std::span<MeshAtom<R>> atoms)
{
    const double n[3] = {static_cast<double>(layout.n[0]), static_cast<double>(layout.n[1]),
                         static_cast<double>(layout.n[2])};
    for (std::size_t a = 0; a < canonical.size(); ++a) {
        const Vec3 fraction = box.to_fraction(canonical[a]);
        std::size_t cell[3];
        for (int d = 0; d < 3; ++d) {
            double f = fraction[d];
            f -= static_cast<double>(static_cast<std::int32_t>(f)); // small: the brick is reduced
            f += f < 0.0 ? 1.0 : 0.0;
            double u = f * n[d];
            u = u < n[d] ? u : 0.0; // a fraction of -1e-17 has become 1
            cell[d] = static_cast<std::size_t>(static_cast<std::int32_t>(u));
            atoms[a].above[d] = static_cast<R>(u - static_cast<double>(cell[d]));
        }
        atoms[a].first =
            static_cast<std::uint32_t>(cell[0] * layout.plane + cell[1] * layout.pitch + cell[2]);
    }
}

template <class R>
void spread_on_mesh(const MeshLayout& layout, std::span<const MeshAtom<R>> atoms, const R* charge,
                    MeshWhole<R>* mesh, SimdLevel level)
{
    if constexpr (std::is_same_v<R, float>) {
        if (layout.order == 4) {
            cubic_kernels(level).spread(cubic_pieces(), {layout.pitch, layout.plane}, atoms.data(),
                                        atoms.size(), charge,
                                        reinterpret_cast<std::uint32_t*>(mesh));
            return;
        }
    }
    constexpr typename Loops<R>::Spread spread[] = {Loops<R>::spread_baseline,
                                                    Loops<R>::spread_avx2, Loops<R>::spread_avx512};
    spread[static_cast<std::size_t>(level)](layout, atoms, charge, mesh);
}

template <class R>
void gather_from_mesh(const MeshLayout& layout, std::span<const MeshAtom<R>> atoms,
                      const R* potential, R (*slope)[4], SimdLevel level)
{
    if constexpr (std::is_same_v<R, float>) {
        if (layout.order == 4) {
            cubic_kernels(level).gather(cubic_pieces(), {layout.pitch, layout.plane}, atoms.data(),
                                        atoms.size(), potential, slope);
            return;
        }
    }
    constexpr typename Loops<R>::Gather gather[] = {Loops<R>::gather_baseline,
                                                    Loops<R>::gather_avx2, Loops<R>::gather_avx512};
    gather[static_cast<std::size_t>(level)](layout, atoms, potential, slope);
}

template void locate_on_mesh(const MeshLayout&, const Box&, std::span<const Vec3>,
                             std::span<MeshAtom<float>>);
template void locate_on_mesh(const MeshLayout&, const Box&, std::span<const Vec3>,
                             std::span<MeshAtom<double>>);
template void spread_on_mesh(const MeshLayout&, std::span<const MeshAtom<float>>, const float*,
                             std::int32_t*, SimdLevel);
template void spread_on_mesh(const MeshLayout&, std::span<const MeshAtom<double>>, const double*,
                             std::int64_t*, SimdLevel);
template void gather_from_mesh(const MeshLayout&, std::span<const MeshAtom<float>>, const float*,
                               float (*)[4], SimdLevel);
template void gather_from_mesh(const MeshLayout&, std::span<const MeshAtom<double>>, const double*,
                               double (*)[4], SimdLevel);

} // namespace tessera
