#pragma once

#include "engine/base/phase_timer.hpp"

#include <span>
#include <string>

namespace tessera
{

struct Average {
    double mean = 0;
    double standard_error = 0; ///< of the mean; NaN below two values
};

/// Mean and its standard error by block averaging: pairs of neighbours are averaged again and
/// again, and the largest error that at least 16 blocks give is taken (with fewer values: the one
/// of uncorrelated values).   H. Flyvbjerg, H. G. Petersen, J. Chem. Phys. 91, 461 (1989)
Average block_average(std::span<const double> values);

/// Slope of the straight line of least squares; NaN below two different x.
double least_squares_slope(std::span<const double> x, std::span<const double> y);

double ns_per_day(double simulated_ps, double seconds);

/// A table for people: calls, seconds and share of each phase; empty where nothing was timed.
std::string phase_table(const PhaseTimes& phases);

} // namespace tessera
