#pragma once

#include "engine/geometry/box.hpp"

#include <array>
#include <vector>

namespace tessera
{

/// Which potential a mesh sums: energy = sum over wave vectors of value(k^2)/V |S(k)|^2.
struct CoulombWaves {
    double coulomb_constant, beta;
};
struct DispersionWaves {
    double beta;
};

/// A wave's weight and the derivative of its logarithm with respect to k^2 (for the virial).
struct WaveWeight {
    double value; ///< kJ/mol nm^3 per squared coefficient
    double slope; ///< d value / d(k^2) / value; zero where the value is
};

/// 2 pi ke exp(-k^2/4 beta^2)/k^2; zero at k = 0.  U. Essmann et al., J. Chem. Phys. 103, 8577
/// (1995).
WaveWeight wave_weight(const CoulombWaves& waves, double k2);

/// -pi^1.5 beta^3/6 f(b), f = (1 - 2b^2) exp(-b^2) + 2 b^3 sqrt(pi) erfc(b), b = |k|/(2 beta); k =
/// 0 included. Coefficients are roots of c6.
WaveWeight wave_weight(const DispersionWaves& waves, double k2);

/// |b(m)|^2 of Euler's exponential spline, m = 0 .. n-1: Essmann et al., eq. 4.4. Where an odd
/// order meets the middle of an even mesh its denominator vanishes: then the mean of its neighbours
/// is taken.
std::vector<double> spline_moduli(int order, int n);

/// The wave of an index of a transform of length n: 0, 1, ..., -2, -1.
constexpr int signed_wave(int index, int n)
{
    return index < (n + 1) / 2 ? index : index - n;
}

} // namespace tessera
