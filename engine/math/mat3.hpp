#pragma once

#include "engine/math/vec3.hpp"

namespace tessera
{

/// A 3x3 matrix by rows. As a cell, the rows are the cell vectors.
struct Mat3 {
    Vec3 row[3];

    TESSERA_FORMULA Vec3& operator[](int k) { return row[k]; }
    TESSERA_FORMULA const Vec3& operator[](int k) const { return row[k]; }

    TESSERA_FORMULA Mat3& operator+=(const Mat3& b)
    {
        row[0] += b.row[0];
        row[1] += b.row[1];
        row[2] += b.row[2];
        return *this;
    }
    TESSERA_FORMULA Mat3& operator-=(const Mat3& b)
    {
        row[0] -= b.row[0];
        row[1] -= b.row[1];
        row[2] -= b.row[2];
        return *this;
    }
    friend TESSERA_FORMULA Mat3 operator+(Mat3 a, const Mat3& b) { return a += b; }
    friend TESSERA_FORMULA Mat3 operator-(Mat3 a, const Mat3& b) { return a -= b; }
    friend TESSERA_FORMULA Mat3 operator*(double s, const Mat3& a)
    {
        return {{s * a.row[0], s * a.row[1], s * a.row[2]}};
    }
    friend TESSERA_FORMULA bool operator==(const Mat3& a, const Mat3& b)
    {
        return a.row[0] == b.row[0] && a.row[1] == b.row[1] && a.row[2] == b.row[2];
    }
};

TESSERA_FORMULA Mat3 identity3()
{
    return {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
}

TESSERA_FORMULA double trace(const Mat3& m)
{
    return m.row[0].x + m.row[1].y + m.row[2].z;
}

/// (a outer b)_kl = a_k b_l
TESSERA_FORMULA Mat3 outer(const Vec3& a, const Vec3& b)
{
    return {{a.x * b, a.y * b, a.z * b}};
}

/// v M (row vector times matrix): fractions to Cartesian when the rows are cell vectors.
TESSERA_FORMULA Vec3 row_times(const Vec3& v, const Mat3& m)
{
    return v.x * m.row[0] + v.y * m.row[1] + v.z * m.row[2];
}

/// M v (matrix times column vector).
TESSERA_FORMULA Vec3 times(const Mat3& m, const Vec3& v)
{
    return {dot(m.row[0], v), dot(m.row[1], v), dot(m.row[2], v)};
}

} // namespace tessera
