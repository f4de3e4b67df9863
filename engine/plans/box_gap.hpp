#pragma once

#include "engine/math/vec3.hpp"

#include <cmath>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace tessera
{

/// Squared distance between two boxes with sides along the axes.
inline double box_gap2(const Vec3& low_a, const Vec3& high_a, const Vec3& low_b, const Vec3& high_b)
{
#if defined(__SSE2__)
    // written out because the compiler makes branches of it, and they are not foretold
    const __m128d zero = _mm_setzero_pd();
    const __m128d xy =
        _mm_max_pd(_mm_max_pd(_mm_sub_pd(_mm_loadu_pd(&low_a.x), _mm_loadu_pd(&high_b.x)),
                              _mm_sub_pd(_mm_loadu_pd(&low_b.x), _mm_loadu_pd(&high_a.x))),
                   zero);
    const __m128d z = _mm_max_sd(
        _mm_max_sd(_mm_set_sd(low_a.z - high_b.z), _mm_set_sd(low_b.z - high_a.z)), zero);
    const __m128d xy2 = _mm_mul_pd(xy, xy);
    return _mm_cvtsd_f64(_mm_add_sd(_mm_add_sd(xy2, _mm_unpackhi_pd(xy2, xy2)), _mm_mul_sd(z, z)));
#else
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
        const double d = std::fmax(0.0, std::fmax(low_a[k] - high_b[k], low_b[k] - high_a[k]));
        sum += d * d;
    }
    return sum;
#endif
}

} // namespace tessera
