#include "engine/app/force_error_estimate.hpp"

#include "engine/math/constants.hpp"

#include <cmath>

namespace tessera
{

double truncation_force_error(const ChargedSystem& system, double beta, double cutoff)
{
    const double x = beta * cutoff;
    return 2 * system.coulomb_constant * system.squared_charges /
           std::sqrt(system.atoms * cutoff * system.volume) * std::exp(-x * x);
}

double mesh_force_error(const ChargedSystem& system, double beta, double spacing, int order)
{
    const double x = beta * spacing / 0.374; // beta 3.12 /nm, 0.12 nm
    return system.coulomb_constant * system.squared_charges *
           std::sqrt(beta / (system.atoms * system.volume)) * 5.75e-4 * std::pow(0.22, order - 4) *
           std::pow(x, order + 0.8);
}

double mesh_error_in_water(double beta, double spacing, int order)
{
    // 7,029 SPC/E waters in 6.0 nm, in which the errors were measured
    const ChargedSystem water{21087, 7029 * (0.8476 * 0.8476 + 2 * 0.4238 * 0.4238), 216,
                              constants::coulomb_codata};
    constexpr double force_rms = 1137; // kJ/mol/nm
    return mesh_force_error(water, beta, spacing, order) / force_rms;
}

} // namespace tessera
