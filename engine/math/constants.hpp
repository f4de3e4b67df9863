#pragma once

/// Constants of nature in internal units (nm, ps, u, e, K, kJ/mol).
namespace tessera::constants
{
inline constexpr double pi = 3.14159265358979323846;
inline constexpr double boltzmann = 0.00831446261815324; ///< kJ/mol/K, CODATA 2018 (exact)

/// e^2 N_A / (4 pi eps0), kJ/mol nm / e^2. Programs differ by up to 6e-5; energies show it.
inline constexpr double coulomb_codata = 138.93545764438196; ///< CODATA 2018; what GROMACS uses
inline constexpr double coulomb_gromacs = 138.93545764438196;
inline constexpr double coulomb_amber =
    18.2223 * 18.2223 * 0.4184; ///< kcal A -> kJ nm: 4.184 * 0.1
inline constexpr double coulomb_charmm = 332.0716 * 0.4184;
} // namespace tessera::constants
