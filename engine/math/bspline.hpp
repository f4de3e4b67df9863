#pragma once

namespace tessera
{

inline constexpr int smallest_spline_order = 3;
inline constexpr int largest_spline_order = 12;

/// Cardinal B-spline weights M_n(w + k), k = 0 .. n-1, of a point at the fraction w in [0, 1) above
/// its mesh point, and their derivatives with respect to w. weight[k] belongs to the mesh point
/// that lies k below. Orders 3 to 12; both arrays hold n numbers. M_n(u) = u/(n-1) M_{n-1}(u) +
/// (n-u)/(n-1) M_{n-1}(u-1), dM_n/du = M_{n-1}(u) - M_{n-1}(u-1). U. Essmann et al., J. Chem. Phys.
/// 103, 8577 (1995), eqs 4.1 and 4.2.
template <class R>
inline void bspline_weights(int order, R w, R* weight, R* slope)
{
    weight[0] = w;
    weight[1] = R(1) - w;
    for (int n = 3; n <= order; ++n) {
        if (n == order) {
            slope[0] = weight[0];
            for (int k = 1; k < n - 1; ++k) {
                slope[k] = weight[k] - weight[k - 1];
            }
            slope[n - 1] = -weight[n - 2];
        }
        const R scale = R(1) / static_cast<R>(n - 1);
        weight[n - 1] = scale * (R(1) - w) * weight[n - 2];
        for (int k = n - 2; k >= 1; --k) {
            weight[k] = scale * ((w + static_cast<R>(k)) * weight[k] +
                                 (static_cast<R>(n - k) - w) * weight[k - 1]);
        }
        weight[0] = scale * w * weight[0];
    }
}

} // namespace tessera
