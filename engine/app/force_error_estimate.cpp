#include "engine/app/force_error_estimate.hpp"

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

} // namespace tessera
