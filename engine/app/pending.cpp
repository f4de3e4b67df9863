#include "engine/app/pending.hpp"

#include "engine/simulation/single_point.hpp"

#include <cmath>

namespace tessera
{

double ewald_beta_for_tolerance(double cutoff, double tolerance)
{
    double low = 0, high = 30 / cutoff;
    for (int k = 0; k < 200; ++k) {
        const double middle = 0.5 * (low + high);
        (std::erfc(middle * cutoff) > tolerance ? low : high) = middle;
    }
    return 0.5 * (low + high);
}
double lj_ewald_beta_for_tolerance(double cutoff, double)
{
    return 3 / cutoff;
}
std::array<int, 3> pme_grid_for_spacing(const Box& box, double spacing, int)
{
    std::array<int, 3> grid{};
    for (int k = 0; k < 3; ++k) {
        grid[static_cast<std::size_t>(k)] =
            static_cast<int>(std::ceil(norm(box.vectors()[k]) / spacing));
    }
    return grid;
}
SinglePoint single_point(const std::shared_ptr<const Topology>&, const NonbondedSettings&,
                         const Box&, std::span<const Vec3>, int)
{
    throw InputError("tessera energy is not built yet.");
}

} // namespace tessera
