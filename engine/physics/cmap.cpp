#include "engine/physics/terms/cmap.hpp"

#include "engine/math/constants.hpp"

#include <cmath>
#include <cstddef>

namespace tessera
{

namespace
{

/// Derivatives, times the spacing, of the periodic cubic spline through a row of values: they solve
/// d_(i-1) + 4 d_i + d_(i+1) = 3 (f_(i+1) - f_(i-1)). The inverse of that circulant matrix is
/// w_j = (z^j + z^(n-j))/((1 - z^n) 2 sqrt 3), z = sqrt 3 - 2.
std::vector<double> spline_slopes(const std::vector<double>& f)
{
    const std::size_t n = f.size();
    const double z = std::sqrt(3.0) - 2.0;
    std::vector<double> weight(n);
    for (std::size_t j = 0; j < n; ++j) {
        weight[j] =
            (std::pow(z, static_cast<double>(j)) + std::pow(z, static_cast<double>(n - j))) /
            ((1.0 - std::pow(z, static_cast<double>(n))) * 2.0 * std::sqrt(3.0));
    }

    std::vector<double> slope(n, 0.0);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < n; ++k) {
            slope[i] += weight[(i + n - k) % n] * 3.0 * (f[(k + 1) % n] - f[(k + n - 1) % n]);
        }
    }
    return slope;
}

enum class Axis { phi, psi };

std::vector<double> slopes_along(Axis axis, const std::vector<double>& table, std::size_t n)
{
    const std::size_t step = axis == Axis::phi ? n : 1;
    const std::size_t next_row = axis == Axis::phi ? 1 : n;
    std::vector<double> slopes(table.size());
    std::vector<double> row(n);
    for (std::size_t r = 0; r < n; ++r) {
        for (std::size_t k = 0; k < n; ++k) {
            row[k] = table[r * next_row + k * step];
        }
        row = spline_slopes(row);
        for (std::size_t k = 0; k < n; ++k) {
            slopes[r * next_row + k * step] = row[k];
        }
    }
    return slopes;
}

} // namespace

std::vector<double> cmap_nodes(const Cmap& map)
{
    const auto n = static_cast<std::size_t>(map.size);
    const std::vector<double> by_phi = slopes_along(Axis::phi, map.values, n);
    const std::vector<double> by_psi = slopes_along(Axis::psi, map.values, n);
    const std::vector<double> by_both = slopes_along(Axis::psi, by_phi, n);

    std::vector<double> nodes;
    nodes.reserve(4 * map.values.size());
    for (std::size_t k = 0; k < map.values.size(); ++k) {
        nodes.insert(nodes.end(), {map.values[k], by_phi[k], by_psi[k], by_both[k]});
    }
    return nodes;
}

Cmap Cmap::typical()
{
    constexpr int size = 12;
    constexpr double spacing = 2 * constants::pi / size;
    Cmap map;
    map.size = size;
    for (int i = 0; i < size; ++i) {
        for (int j = 0; j < size; ++j) {
            const double phi = -constants::pi + i * spacing;
            const double psi = -constants::pi + j * spacing;
            map.values.push_back(3 * std::cos(phi) + 2 * std::sin(psi) +
                                 1.5 * std::cos(phi - 2 * psi));
        }
    }
    return map;
}

} // namespace tessera
