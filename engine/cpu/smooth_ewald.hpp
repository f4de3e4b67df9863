#pragma once

#include <optional>
#include <vector>

namespace tessera
{

/// The smooth part beta^3 s((beta r)^2) of the Ewald force (ewald_real_force) as a polynomial in
/// t = r^2 * scale - 1, which runs over [-1, 1] up to the cut-off: Horner, coefficients ascending.
struct SmoothEwald {
    float scale = 0; ///< 2/cutoff^2, 1/nm^2
    std::vector<float> coefficient;
};

/// Degrees that kernels are compiled for.
inline constexpr int smooth_ewald_degrees[] = {12, 14, 18, 24};

/// The least of those degrees whose truncation errs by less than 5e-9 beta^3 (FP32 rounds s, at
/// most 0.75, by 4e-8); none where the cut-off is so many 1/beta that no degree will do.
std::optional<SmoothEwald> make_smooth_ewald(double beta, double cutoff);

} // namespace tessera
