#pragma once

#include <cstdint>

namespace tessera
{

/// How the Lennard-Jones parameters of two types give those of their pair.
enum class CombinationRule : std::int32_t {
    geometric_c6_c12 = 1,       ///< C6 and C12, geometric means
    lorentz_berthelot = 2,      ///< sigma arithmetic, epsilon geometric
    geometric_sigma_epsilon = 3 ///< sigma and epsilon geometric
};

/// Two numbers of a type or pair as a file gives them: rule 1 C6 (kJ/mol nm^6) and C12 (kJ/mol
/// nm^12), rules 2 and 3 sigma (nm) and epsilon (kJ/mol). A negative sigma stands for its amount,
/// without attraction (C6 = 0).
struct LjNumbers {
    double v = 0, w = 0;
    friend bool operator==(const LjNumbers&, const LjNumbers&) = default;
};

/// U = c12/r^12 - c6/r^6, kJ/mol nm^6 and nm^12.
struct LjCoefficients {
    double c6 = 0, c12 = 0;
    friend bool operator==(const LjCoefficients&, const LjCoefficients&) = default;
};

struct SigmaEpsilon {
    double sigma = 0, epsilon = 0; ///< nm, kJ/mol
};

/// The pair of two types. A negative sigma of either carries over.
LjNumbers combine(CombinationRule rule, const LjNumbers& a, const LjNumbers& b);

/// C6 = 4 epsilon sigma^6 (0 for a negative sigma), C12 = 4 epsilon sigma^12; rule 1: as given.
LjCoefficients to_coefficients(CombinationRule rule, const LjNumbers& pair);

/// Sigma and epsilon of a type; both zero where it has no attraction or no repulsion, for then
/// there is no such pair of numbers.
SigmaEpsilon to_sigma_epsilon(CombinationRule rule, const LjNumbers& type);

} // namespace tessera
