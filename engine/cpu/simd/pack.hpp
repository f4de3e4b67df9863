#pragma once

#include "engine/math/vec3.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

// Eight doubles at once, as a number type for formulas: arithmetic, roots and comparisons of IEEE
// 754, so a lane has the bits of a double, whatever the instruction set. A function that works on
// packs is compiled for a set by TESSERA_FOR_AVX512 or TESSERA_FOR_AVX2, which also inline all that
// it calls; packs never cross a call that is not inlined.
#pragma GCC diagnostic ignored "-Wpsabi"

#define TESSERA_FOR_AVX512                                                                         \
    [[gnu::flatten, gnu::target("avx512f,avx512dq,avx512vl,avx512bw,prefer-vector-width=512")]]
#define TESSERA_FOR_AVX2 [[gnu::flatten, gnu::target("avx2")]]
#define TESSERA_FOR_BASELINE [[gnu::flatten]]

namespace tessera
{

struct Pack {
    static constexpr int lanes = 8;
    typedef double Reals __attribute__((vector_size(64)));
    typedef std::int64_t Wholes __attribute__((vector_size(64)));

    /// True lanes have all bits set.
    struct Mask {
        Wholes bits;

        friend Mask operator&(const Mask& a, const Mask& b) { return {a.bits & b.bits}; }
        friend Mask operator|(const Mask& a, const Mask& b) { return {a.bits | b.bits}; }
        friend Mask operator!(const Mask& a) { return {~a.bits}; }
    };

    Reals v;

    Pack() : v{} {}
    explicit Pack(double x) : v{x, x, x, x, x, x, x, x} {}
    explicit Pack(const Reals& r) : v(r) {}

    static Pack load(const double* from)
    {
        Pack p;
        std::memcpy(&p.v, from, sizeof p.v);
        return p;
    }
    void store(double* to) const { std::memcpy(to, &v, sizeof v); }

    Pack& operator+=(const Pack& b) { return *this = *this + b; }
    Pack& operator-=(const Pack& b) { return *this = *this - b; }
    Pack& operator*=(const Pack& b) { return *this = *this * b; }

    friend Pack operator+(const Pack& a, const Pack& b) { return Pack(a.v + b.v); }
    friend Pack operator-(const Pack& a, const Pack& b) { return Pack(a.v - b.v); }
    friend Pack operator*(const Pack& a, const Pack& b) { return Pack(a.v * b.v); }
    friend Pack operator/(const Pack& a, const Pack& b) { return Pack(a.v / b.v); }
    friend Pack operator-(const Pack& a) { return Pack(-a.v); }
    friend Mask operator<(const Pack& a, const Pack& b) { return {a.v < b.v}; }
    friend Mask operator>(const Pack& a, const Pack& b) { return {a.v > b.v}; }
    friend Mask operator==(const Pack& a, const Pack& b) { return {a.v == b.v}; }
};

inline Pack select(const Pack::Mask& condition, const Pack& yes, const Pack& no)
{
    return Pack(condition.bits ? yes.v : no.v);
}
inline Pack fabs(const Pack& a)
{
    constexpr std::int64_t all_but_sign = 0x7fffffffffffffff;
    return Pack(reinterpret_cast<Pack::Reals>(reinterpret_cast<Pack::Wholes>(a.v) & all_but_sign));
}
inline Pack sqrt(const Pack& a)
{
    Pack r;
    for (int k = 0; k < Pack::lanes; ++k) {
        r.v[k] = std::sqrt(a.v[k]);
    }
    return r;
}
/// Whether any lane is true.
inline bool any(const Pack::Mask& mask)
{
    std::int64_t all = 0;
    for (int k = 0; k < Pack::lanes; ++k) {
        all |= mask.bits[k];
    }
    return all != 0;
}

/// The nearest integers, ties to even, of numbers below 2^51.
inline Pack rint(const Pack& a)
{
    const Pack shift(6755399441055744.0); // 1.5 * 2^52
    return (a + shift) - shift;
}
inline Pack::Wholes to_wholes(const Pack& a)
{
    constexpr double shift = 6755399441055744.0; // 1.5 * 2^52
    return reinterpret_cast<Pack::Wholes>(a.v + shift) -
           reinterpret_cast<Pack::Wholes>(Pack(shift).v);
}

using PackVec3 = BasicVec3<Pack>;

} // namespace tessera
