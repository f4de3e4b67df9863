#pragma once

#include "engine/geometry/box.hpp"

#include <array>

namespace tessera
{

/// The splitting parameter beta (1/nm) with erfc(beta cutoff) = tolerance, to the last bits. Throws
/// InputError unless 0 < tolerance < 1 and the cut-off is positive and finite.
double ewald_beta_for_tolerance(double cutoff, double tolerance);

/// The same for LJ-PME: exp(-x^2)(1 + x^2 + x^4/2) = tolerance at x = beta cutoff.
double lj_ewald_beta_for_tolerance(double cutoff, double tolerance);

/// The smallest mesh whose spacing along each cell vector is at most `spacing` (nm): products of 2,
/// 3, 5 and 7, even along c, at least the spline order.
std::array<int, 3> pme_grid_for_spacing(const Box& box, double spacing, int order = 4);

/// Throws InputError where the order is not 3 to 12, a mesh has fewer points than the order, or the
/// mesh would need an absurd amount of memory (the text tells how much); to be asked before
/// anything is allocated.
void check_pme_grid(const std::array<int, 3>& grid, int order);

} // namespace tessera
