#include "engine/plans/pme_plan.hpp"

#include "engine/base/error.hpp"
#include "engine/math/bspline.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string_view>

namespace tessera
{

namespace
{

constexpr double bytes_per_point = 40; // integer mesh, real mesh, spectrum and influence
constexpr double largest_mesh_gb = 32;

/// Solves decay(x) = tolerance for a function that falls from 1 to 0, by halving until neighbouring
/// doubles are left.
template <class Decay>
double solve(double cutoff, double tolerance, std::string_view name, Decay decay)
{
    if (!(tolerance > 0 && tolerance < 1)) {
        throw InputError(
            fmt::format("{} is {}, but must lie between 0 and 1. Usual values are 1e-3 to 1e-6.",
                        name, tolerance));
    }
    if (!(cutoff > 0) || !std::isfinite(cutoff)) {
        throw InputError(
            fmt::format("{} needs a finite cut-off, not {} nm. Give a cut-off.", name, cutoff));
    }
    double low = 0, high = 1;
    while (decay(high) > tolerance) {
        low = high;
        high *= 2;
    }
    for (int k = 0; k < 200; ++k) {
        const double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high) {
            break;
        }
        (decay(middle) > tolerance ? low : high) = middle;
    }
    return high / cutoff;
}

bool is_smooth(int n)
{
    for (const int p : {2, 3, 5, 7}) {
        while (n % p == 0) {
            n /= p;
        }
    }
    return n == 1;
}

[[noreturn]] void refuse(const std::array<double, 3>& n)
{
    throw InputError(fmt::format(
        "a mesh of {:.0f} x {:.0f} x {:.0f} points needs about {:.0f} GB (more than the {:.0f} GB "
        "allowed). Use a larger spacing, or a smaller cell.",
        n[0], n[1], n[2], n[0] * n[1] * n[2] * bytes_per_point * 1e-9, largest_mesh_gb));
}

} // namespace

double ewald_beta_for_tolerance(double cutoff, double tolerance)
{
    return solve(cutoff, tolerance, "the Ewald tolerance", [](double x) { return std::erfc(x); });
}

double lj_ewald_beta_for_tolerance(double cutoff, double tolerance)
{
    return solve(cutoff, tolerance, "the LJ-PME tolerance", [](double x) {
        const double x2 = x * x;
        return std::exp(-x2) * (1.0 + x2 + 0.5 * x2 * x2);
    });
}

std::array<int, 3> pme_grid_for_spacing(const Box& box, double spacing, int order)
{
    if (!(spacing > 0) || !std::isfinite(spacing)) {
        throw InputError(
            fmt::format("the mesh spacing is {} nm. Give a positive length.", spacing));
    }
    if (!box.is_periodic()) {
        throw InputError("a mesh needs a periodic cell, but there is none. Give a cell.");
    }
    std::array<double, 3> needed{};
    for (int k = 0; k < 3; ++k) {
        // a cell that is a whole number of spacings but for rounding needs no further point
        needed[static_cast<std::size_t>(k)] =
            std::ceil(norm(box.vectors()[k]) / spacing * (1.0 - 1e-12));
    }
    if (needed[0] * needed[1] * needed[2] * bytes_per_point > largest_mesh_gb * 1e9) {
        refuse(needed);
    }
    std::array<int, 3> grid{};
    for (std::size_t k = 0; k < 3; ++k) {
        int n = std::max(static_cast<int>(needed[k]), order);
        while (!is_smooth(n) || (k == 2 && n % 2 != 0)) {
            ++n;
        }
        grid[k] = n;
    }
    return grid;
}

void check_pme_grid(const std::array<int, 3>& grid, int order)
{
    if (order < smallest_spline_order || order > largest_spline_order) {
        throw InputError(fmt::format("the spline order is {}. Choose {} to {}.", order,
                                     smallest_spline_order, largest_spline_order));
    }
    for (const int n : grid) {
        if (n < order) {
            throw InputError(fmt::format(
                "the mesh of {} x {} x {} points has fewer points than the spline order "
                "{} along a cell vector (a spline would overlap itself). Use a finer "
                "mesh.",
                grid[0], grid[1], grid[2], order));
        }
    }
    const std::array<double, 3> n{static_cast<double>(grid[0]), static_cast<double>(grid[1]),
                                  static_cast<double>(grid[2])};
    if (n[0] * n[1] * n[2] * bytes_per_point > largest_mesh_gb * 1e9) {
        refuse(n);
    }
}

} // namespace tessera
