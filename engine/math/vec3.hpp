#pragma once

#include "engine/base/real.hpp"

#include <cmath>

namespace tessera
{

/// Three numbers. `Vec3` of doubles is the engine's vector; kernels use other number types.
template <class R>
struct BasicVec3 {
    R x{}, y{}, z{};

    TESSERA_FORMULA R& operator[](int k) { return k == 0 ? x : (k == 1 ? y : z); }
    TESSERA_FORMULA const R& operator[](int k) const { return k == 0 ? x : (k == 1 ? y : z); }

    TESSERA_FORMULA BasicVec3& operator+=(const BasicVec3& b)
    {
        x += b.x;
        y += b.y;
        z += b.z;
        return *this;
    }
    TESSERA_FORMULA BasicVec3& operator-=(const BasicVec3& b)
    {
        x -= b.x;
        y -= b.y;
        z -= b.z;
        return *this;
    }
    TESSERA_FORMULA BasicVec3& operator*=(R s)
    {
        x *= s;
        y *= s;
        z *= s;
        return *this;
    }

    friend TESSERA_FORMULA BasicVec3 operator+(const BasicVec3& a, const BasicVec3& b)
    {
        return {a.x + b.x, a.y + b.y, a.z + b.z};
    }
    friend TESSERA_FORMULA BasicVec3 operator-(const BasicVec3& a, const BasicVec3& b)
    {
        return {a.x - b.x, a.y - b.y, a.z - b.z};
    }
    friend TESSERA_FORMULA BasicVec3 operator-(const BasicVec3& a) { return {-a.x, -a.y, -a.z}; }
    friend TESSERA_FORMULA BasicVec3 operator*(R s, const BasicVec3& a)
    {
        return {s * a.x, s * a.y, s * a.z};
    }
    friend TESSERA_FORMULA BasicVec3 operator*(const BasicVec3& a, R s)
    {
        return {s * a.x, s * a.y, s * a.z};
    }
    friend TESSERA_FORMULA bool operator==(const BasicVec3& a, const BasicVec3& b)
    {
        return a.x == b.x && a.y == b.y && a.z == b.z;
    }
};

template <class R>
TESSERA_FORMULA R dot(const BasicVec3<R>& a, const BasicVec3<R>& b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

template <class R>
TESSERA_FORMULA BasicVec3<R> cross(const BasicVec3<R>& a, const BasicVec3<R>& b)
{
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

template <class R>
TESSERA_FORMULA R norm2(const BasicVec3<R>& a)
{
    return dot(a, a);
}

template <class R>
TESSERA_FORMULA R norm(const BasicVec3<R>& a)
{
    using std::sqrt;
    return sqrt(dot(a, a));
}

using Vec3 = BasicVec3<double>;

} // namespace tessera
