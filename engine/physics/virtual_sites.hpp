#pragma once

#include "engine/base/real.hpp"
#include "engine/math/vec3.hpp"

#include <cmath>

// Virtual sites: where a site lies, and how its force goes to its parents. With d[k - 1] the
// nearest image of x_k - x_0 (parent k from parent 0) a site lies at x_0 + offset(d), and
//     F_k = (d offset/d d_k)^T F  for k >= 1,   F_0 = F - sum of these.
// Each formula has offset() and spread(), which writes F_1, F_2, ...; p holds the site's parameters
// in the order given. Parents that leave the site undefined yield values that are not finite.

namespace tessera::virtual_site
{

namespace detail
{

/// r scaled to a length.
template <class R>
TESSERA_FORMULA BasicVec3<R> scaled_to(R length, const BasicVec3<R>& r)
{
    return (length / norm(r)) * r;
}

/// The transposed derivative of scaled_to by r, applied to f: length/|r| (f - u (u.f)).
template <class R>
TESSERA_FORMULA BasicVec3<R> across(R length, const BasicVec3<R>& r, const BasicVec3<R>& f)
{
    const R inverse2 = R(1) / norm2(r);
    return (length / norm(r)) * (f - (dot(r, f) * inverse2) * r);
}

} // namespace detail

/// x_0 + sum of w_k d_k over `count` vectors: two and three parents, centres of any number.  p:
/// w_1, w_2, ...
struct Linear {
    int count;

    template <class R>
    TESSERA_FORMULA BasicVec3<R> offset(const double* p, const BasicVec3<R>* d) const
    {
        BasicVec3<R> sum{};
        for (int k = 0; k < count; ++k) {
            sum += R(p[k]) * d[k];
        }
        return sum;
    }
    template <class R>
    TESSERA_FORMULA void spread(const double* p, const BasicVec3<R>*, const BasicVec3<R>& f,
                                BasicVec3<R>* parent) const
    {
        for (int k = 0; k < count; ++k) {
            parent[k] = R(p[k]) * f;
        }
    }
};

/// x_0 + l d_1/|d_1|.  p: l (nm)
struct FixedDistance2 {
    static constexpr int count = 1;

    template <class R>
    TESSERA_FORMULA BasicVec3<R> offset(const double* p, const BasicVec3<R>* d) const
    {
        return detail::scaled_to(R(p[0]), d[0]);
    }
    template <class R>
    TESSERA_FORMULA void spread(const double* p, const BasicVec3<R>* d, const BasicVec3<R>& f,
                                BasicVec3<R>* parent) const
    {
        parent[0] = detail::across(R(p[0]), d[0], f);
    }
};

/// x_0 + l r/|r|, r = (1 - a) d_1 + a d_2.  p: a, l (nm)
struct FixedDistance3 {
    static constexpr int count = 2;

    template <class R>
    TESSERA_FORMULA BasicVec3<R> offset(const double* p, const BasicVec3<R>* d) const
    {
        return detail::scaled_to(R(p[1]), R(1 - p[0]) * d[0] + R(p[0]) * d[1]);
    }
    template <class R>
    TESSERA_FORMULA void spread(const double* p, const BasicVec3<R>* d, const BasicVec3<R>& f,
                                BasicVec3<R>* parent) const
    {
        const BasicVec3<R> g = detail::across(R(p[1]), R(1 - p[0]) * d[0] + R(p[0]) * d[1], f);
        parent[0] = R(1 - p[0]) * g;
        parent[1] = R(p[0]) * g;
    }
};

/// At distance l from x_0, in the plane of the parents, at the angle theta from d_1 towards the
/// side of x_2:  x_0 + l cos(theta) u + l sin(theta) w,  u = d_1/|d_1|,  w along t - u (u.t),  t =
/// d_2 - d_1.  p: l (nm), theta (rad)
struct FixedAngle3 {
    static constexpr int count = 2;

    template <class R>
    TESSERA_FORMULA BasicVec3<R> offset(const double* p, const BasicVec3<R>* d) const
    {
        const BasicVec3<R> t = d[1] - d[0];
        const BasicVec3<R> across = t - (dot(d[0], t) / norm2(d[0])) * d[0];
        return detail::scaled_to(R(p[0] * std::cos(p[1])), d[0]) +
               detail::scaled_to(R(p[0] * std::sin(p[1])), across);
    }
    template <class R>
    TESSERA_FORMULA void spread(const double* p, const BasicVec3<R>* d, const BasicVec3<R>& f,
                                BasicVec3<R>* parent) const
    {
        const BasicVec3<R> u = detail::scaled_to(R(1), d[0]);
        const BasicVec3<R> t = d[1] - d[0];
        const R along = dot(u, t);
        const BasicVec3<R> by_across = detail::across(R(p[0] * std::sin(p[1])), t - along * u, f);
        const R h = dot(u, by_across);
        const BasicVec3<R> by_t = by_across - h * u;
        const BasicVec3<R> by_u = -(h * t + along * by_across);
        parent[0] = detail::across(R(p[0] * std::cos(p[1])), d[0], f) +
                    detail::across(R(1), d[0], by_u) - by_t;
        parent[1] = by_t;
    }
};

/// x_0 + a d_1 + b d_2 + c d_1 x d_2.  p: a, b, c (nm^-1)
struct OutOfPlane3 {
    static constexpr int count = 2;

    template <class R>
    TESSERA_FORMULA BasicVec3<R> offset(const double* p, const BasicVec3<R>* d) const
    {
        return R(p[0]) * d[0] + R(p[1]) * d[1] + R(p[2]) * cross(d[0], d[1]);
    }
    template <class R>
    TESSERA_FORMULA void spread(const double* p, const BasicVec3<R>* d, const BasicVec3<R>& f,
                                BasicVec3<R>* parent) const
    {
        parent[0] = R(p[0]) * f + R(p[2]) * cross(d[1], f);
        parent[1] = R(p[1]) * f + R(p[2]) * cross(f, d[0]);
    }
};

/// x_0 + l r/|r|, r = (a d_2 - d_1) x (b d_3 - d_1).  p: a, b, l (nm)
struct FixedDistance4 {
    static constexpr int count = 3;

    template <class R>
    TESSERA_FORMULA BasicVec3<R> offset(const double* p, const BasicVec3<R>* d) const
    {
        return detail::scaled_to(R(p[2]), cross(R(p[0]) * d[1] - d[0], R(p[1]) * d[2] - d[0]));
    }
    template <class R>
    TESSERA_FORMULA void spread(const double* p, const BasicVec3<R>* d, const BasicVec3<R>& f,
                                BasicVec3<R>* parent) const
    {
        const BasicVec3<R> a = R(p[0]) * d[1] - d[0];
        const BasicVec3<R> b = R(p[1]) * d[2] - d[0];
        const BasicVec3<R> g = detail::across(R(p[2]), cross(a, b), f);
        const BasicVec3<R> by_a = cross(b, g);
        const BasicVec3<R> by_b = cross(g, a);
        parent[0] = -(by_a + by_b);
        parent[1] = R(p[0]) * by_a;
        parent[2] = R(p[1]) * by_b;
    }
};

} // namespace tessera::virtual_site
