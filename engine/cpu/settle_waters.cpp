#include "engine/cpu/settle_waters.hpp"

#include "engine/base/fixed_point.hpp"
#include "engine/cpu/simd/pack_geometry.hpp"
#include "engine/cpu/simd/simd_choice.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace tessera
{

Vec3 nearest_side(const Box& box, const GridPosition& a, const GridPosition& b)
{
    const Vec3 d = to_nm({a.x - b.x, a.y - b.y, a.z - b.z});
    return norm2(d) < box.images().safe2 ? d : box.shortest(d);
}

namespace
{

std::size_t at(std::int32_t i)
{
    return static_cast<std::size_t>(i);
}

/// The truth that lanes repeat.
bool settle_one(const WatersToSettle& work, std::size_t water)
{
    const RigidWater& w = work.waters[water];
    const Vec3 h1 = nearest_side(work.box, work.old[w.h1], work.old[w.o]);
    const Vec3 h2 = nearest_side(work.box, work.old[w.h2], work.old[w.o]);
    const WaterVectors there = {
        {}, h1 + (work.moved[w.h1] - work.moved[w.o]), h2 + (work.moved[w.h2] - work.moved[w.o])};
    WaterVectors add;
    if (!settle_positions(work.shapes[at(work.shape_of[water])], h1, h2, there, add)) {
        return false;
    }
    work.correction[w.o] = add.o;
    work.correction[w.h1] = add.h1;
    work.correction[w.h2] = add.h2;
    return true;
}

/// One after the other; returns as settle_waters().
[[gnu::noinline]] std::size_t settle_singly(const WatersToSettle& work, std::size_t begin,
                                            std::size_t end)
{
    while (begin < end && settle_one(work, begin)) {
        ++begin;
    }
    return begin;
}

/// Differences of eight pairs of positions on the grid, nm, as they stand.
inline PackVec3 plain_sides(const GridPosition* x, const std::int32_t* a, const std::int32_t* b)
{
    alignas(64) std::int64_t d[3][Pack::lanes];
    for (int l = 0; l < Pack::lanes; ++l) {
        d[0][l] = x[a[l]].x - x[b[l]].x;
        d[1][l] = x[a[l]].y - x[b[l]].y;
        d[2][l] = x[a[l]].z - x[b[l]].z;
    }
    const auto nm = [](const std::int64_t* from) {
        Pack::Wholes whole;
        std::memcpy(&whole, from, sizeof whole);
        return Pack(__builtin_convertvector(whole, Pack::Reals)) *
               Pack(1.0 / fixed::position_scale);
    };
    return {nm(d[0]), nm(d[1]), nm(d[2])};
}

inline PackVec3 difference(const Vec3* x, const std::int32_t* a, const std::int32_t* b)
{
    return gathered(x, a) - gathered(x, b);
}

inline void scatter(const PackVec3& from, Vec3* to, const std::int32_t* atom)
{
    for (int l = 0; l < Pack::lanes; ++l) {
        to[atom[l]] = {from.x.v[l], from.y.v[l], from.z.v[l]};
    }
}

/// Eight waters of one shape; false, and nothing done: some are not the usual case.
inline bool settle_eight(const WatersToSettle& work, std::size_t begin)
{
    const std::int32_t shape = work.shape_of[begin];
    std::int32_t o[Pack::lanes], h1[Pack::lanes], h2[Pack::lanes];
    bool is_usual = true;
    for (std::size_t l = 0; l < Pack::lanes; ++l) {
        const RigidWater& w = work.waters[begin + l];
        o[l] = w.o;
        h1[l] = w.h1;
        h2[l] = w.h2;
        is_usual = is_usual && work.shape_of[begin + l] == shape;
    }
    const PackVec3 side1 = plain_sides(work.old, h1, o), side2 = plain_sides(work.old, h2, o);
    const Pack safe(work.box.is_periodic() ? work.box.images().safe2
                                           : std::numeric_limits<double>::infinity());
    if (!is_usual || any(!((norm2(side1) < safe) & (norm2(side2) < safe)))) {
        return false;
    }
    const BasicWaterVectors<Pack> there = {
        {}, side1 + difference(work.moved, h1, o), side2 + difference(work.moved, h2, o)};
    BasicWaterVectors<Pack> add;
    if (any(!settle_positions(work.shapes[at(shape)], side1, side2, there, add))) {
        return false;
    }
    scatter(add.o, work.correction, o);
    scatter(add.h1, work.correction, h1);
    scatter(add.h2, work.correction, h2);
    return true;
}

inline std::size_t settle_by_eight(const WatersToSettle& work, std::size_t begin, std::size_t end)
{
    while (begin < end) {
        const std::size_t next = std::min(begin + Pack::lanes, end);
        if (next - begin < Pack::lanes || !settle_eight(work, begin)) {
            const std::size_t stopped = settle_singly(work, begin, next);
            if (stopped < next) {
                return stopped;
            }
        }
        begin = next;
    }
    return end;
}

TESSERA_FOR_AVX512 std::size_t settle_avx512(const WatersToSettle& work, std::size_t begin,
                                             std::size_t end)
{
    return settle_by_eight(work, begin, end);
}

TESSERA_FOR_AVX2 std::size_t settle_avx2(const WatersToSettle& work, std::size_t begin,
                                         std::size_t end)
{
    return settle_by_eight(work, begin, end);
}

} // namespace

std::size_t settle_waters(const WatersToSettle& work, std::size_t begin, std::size_t end)
{
    return for_simd_level(settle_singly, settle_avx2, settle_avx512)(work, begin, end);
}

} // namespace tessera
