#pragma once

/// Internal units: nm, ps, u, e, K; energy follows as kJ/mol.
namespace tessera::units
{
inline constexpr double nanometre = 1.0;
inline constexpr double angstrom = 0.1;
inline constexpr double picosecond = 1.0;
inline constexpr double femtosecond = 1e-3;
inline constexpr double kilocalorie = 4.184; ///< kcal/mol in kJ/mol, by definition
inline constexpr double degree = 3.14159265358979323846 / 180.0; ///< in rad
inline constexpr double bar = 1.0 / 16.6053906717;               ///< in kJ/mol/nm^3 (CODATA 2018)
inline constexpr double amber_time =
    1.0 / 20.455; ///< Amber's time unit in ps, as Amber's files define it
} // namespace tessera::units
