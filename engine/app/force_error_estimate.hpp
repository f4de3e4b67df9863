#pragma once

namespace tessera
{

/// What an estimate of Ewald errors needs to know of a system. Units: e^2, nm^3, kJ/mol nm/e^2.
struct ChargedSystem {
    double atoms = 0;
    double squared_charges = 0; ///< sum of q^2
    double volume = 0;
    double coulomb_constant = 0;
};

/// RMS error of the force on an atom, kJ/mol/nm, from cutting the direct sum at `cutoff`:
///     2 k Q^2 / sqrt(N rc V) exp(-(beta rc)^2)
/// J. Kolafa, J. W. Perram, Mol. Simul. 9, 351 (1992), equation 18
double truncation_force_error(const ChargedSystem& system, double beta, double cutoff);

/// RMS error of the force on an atom, kJ/mol/nm, from the mesh of a smooth PME:
///     k Q^2 sqrt(beta/(N V)) A (beta h)^p
/// the form of M. Deserno, C. Holm, J. Chem. Phys. 109, 7694 (1998), equation 29 (for uncorrelated
/// charges), with A and p fitted to the errors measured in SPC/E water at orders 4 and 5, spacings
/// 0.094 to 0.15 nm: there it is right within a factor of 2. Other orders are an extrapolation.
double mesh_force_error(const ChargedSystem& system, double beta, double spacing, int order);

/// The same over the RMS of the total force, as if the system were water: charged systems differ by
/// a factor of a few at most.
double mesh_error_in_water(double beta, double spacing, int order);

} // namespace tessera
