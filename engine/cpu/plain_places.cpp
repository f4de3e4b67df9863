#include "engine/cpu/plain_places.hpp"

#include "engine/cpu/simd/pack.hpp"
#include "engine/cpu/simd/simd_choice.hpp"

#include <algorithm>
#include <bit>

namespace tessera
{

namespace
{

/// What is plain, in units of 2^-48 nm; doubles hold the edges exactly.
struct Brick {
    double low = 0, high[3];

    explicit Brick(const PositionGrid& grid)
    {
        const Mat3& h = grid.box().vectors();
        for (int k = 0; k < 3; ++k) {
            high[k] = h[k][k] * fixed::position_scale;
        }
        if (!grid.box().is_periodic()) { // well within the range of the grid
            constexpr double reach = 16384.0 * fixed::position_scale;
            low = -reach;
            std::fill_n(high, 3, reach);
        }
    }
};

/// As to_fixed(x, position_scale): also beyond 2^53, where a double is whole.
inline double on_grid(double x)
{
    return std::rint(x * fixed::position_scale);
}

inline std::uint32_t is_outside(double x, const Brick& brick, int axis)
{
    return (x >= brick.low ? 0U : 1U) | (x < brick.high[axis] ? 0U : 1U); // NaN is outside
}

/// Units of 2^-23 nm, halves upwards, modulo 2^32. In the last bits of a sum with 1.5 2^52 stands
/// the whole number.
inline std::uint32_t to_units(double x)
{
    const double exact = x * (fixed::kernel_position_scale / fixed::position_scale);
    const double nearest = std::rint(exact);
    const double whole = nearest + (exact - nearest == 0.5 ? 1.0 : 0.0);
    return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(whole + 6755399441055744.0));
}

struct UnitsTask {
    Brick brick;
    std::span<const Vec3> positions;
    const Vec3* before;
    const Mat3& change;
    double safe2;
};

inline std::uint32_t units_body(const UnitsTask& task, PlainPlaces& out)
{
    const Mat3 a = task.change;
    const Brick brick = task.brick;
    const Vec3 *x = task.positions.data(), *before = task.before;
    const auto count = static_cast<int>(task.positions.size());
    std::uint32_t some = 0;
#pragma omp simd reduction(| : some)
    for (int k = 0; k < count; ++k) {
        const double p[3] = {x[k].x, x[k].y, x[k].z};
        const Vec3 way = Vec3{p[0], p[1], p[2]} - row_times(before[k], a);
        std::uint32_t left = norm2(way) < task.safe2 ? 0U : 1U;
        for (int c = 0; c < 3; ++c) {
            const double g = on_grid(p[c]);
            left |= is_outside(g, brick, c);
            out.unit[c][k] = to_units(g);
        }
        out.is_left[k] = left;
        some |= left;
    }
    return some;
}

struct NmTask {
    Brick brick;
    std::span<const Vec3> positions;
    Vec3* canonical;
};

inline std::uint32_t nm_body(const NmTask& task, PlainPlaces& out)
{
    const Brick brick = task.brick;
    const Vec3* x = task.positions.data();
    Vec3* to = task.canonical;
    const auto count = static_cast<int>(task.positions.size());
    std::uint32_t some = 0;
#pragma omp simd reduction(| : some)
    for (int k = 0; k < count; ++k) {
        const double p[3] = {x[k].x, x[k].y, x[k].z};
        double g[3];
        std::uint32_t left = 0;
        for (int c = 0; c < 3; ++c) {
            g[c] = on_grid(p[c]);
            left |= is_outside(g[c], brick, c);
        }
        to[k].x = g[0] * (1.0 / fixed::position_scale);
        to[k].y = g[1] * (1.0 / fixed::position_scale);
        to[k].z = g[2] * (1.0 / fixed::position_scale);
        out.is_left[k] = left;
        some |= left;
    }
    return some;
}

TESSERA_FOR_AVX512 std::uint32_t units_avx512(const UnitsTask& task, PlainPlaces& out)
{
    return units_body(task, out);
}
TESSERA_FOR_AVX2 std::uint32_t units_avx2(const UnitsTask& task, PlainPlaces& out)
{
    return units_body(task, out);
}
TESSERA_FOR_AVX512 std::uint32_t nm_avx512(const NmTask& task, PlainPlaces& out)
{
    return nm_body(task, out);
}
TESSERA_FOR_AVX2 std::uint32_t nm_avx2(const NmTask& task, PlainPlaces& out)
{
    return nm_body(task, out);
}
template <class Task>
std::uint32_t do_nothing(const Task&, PlainPlaces& out)
{
    out.leave_all();
    return 1;
}

} // namespace

void PlainPlaces::leave_all()
{
    std::fill_n(is_left, most, 1U);
    has_left = true;
}

void PlainPlaces::place_in_units(const PositionGrid& grid, std::span<const Vec3> positions,
                                 const Vec3* before, const Mat3& change, double safe2)
{
    const UnitsTask task{Brick(grid), positions, before, change, safe2};
    has_left = for_simd_level(do_nothing<UnitsTask>, units_avx2, units_avx512)(task, *this) != 0;
}

void PlainPlaces::place_in_nm(const PositionGrid& grid, std::span<const Vec3> positions, Vec3* out)
{
    const NmTask task{Brick(grid), positions, out};
    has_left = for_simd_level(do_nothing<NmTask>, nm_avx2, nm_avx512)(task, *this) != 0;
}

} // namespace tessera
