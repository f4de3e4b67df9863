#pragma once

#include "engine/model/topology.hpp"
#include "engine/plans/settings.hpp"
#include "tests/oracle/answer.hpp"

#include <span>

namespace tessera::oracle
{

/// Lennard-Jones and Coulomb of all pairs i < j at the nearest image, excluded pairs and self terms
/// booked as the engine does: EnergyKind::lj and coulomb_real.
void add_pairs(Answer& answer, const Topology& topology, const NonbondedSettings& settings,
               const Cell& cell, std::span<const Vec3> positions);

/// Ewald sums over wave vectors to convergence, no mesh: EnergyKind::coulomb_reciprocal (with the
/// background of a net charge) and, with lj_pme, lj_reciprocal.
void add_reciprocal(Answer& answer, const Topology& topology, const NonbondedSettings& settings,
                    const Cell& cell, std::span<const Vec3> positions);

/// The tail of dispersion beyond the cut-off, by quadrature.
void add_dispersion_correction(Answer& answer, const Topology& topology,
                               const NonbondedSettings& settings, const Cell& cell);

/// The whole Coulomb energy of an infinite crystal by Ewald's method at a splitting of the oracle's
/// choice, real-space images to convergence: independent of beta, which is its own check.
double crystal_coulomb_energy(const Topology& topology, const Mat3& cell,
                              std::span<const Vec3> positions, double beta);

/// -1/2 sum over all pairs and images of c6/r^6 without a mesh: plain lattice sum with the tail as
/// an integral; slow, for small cells. Mixed as the settings say.
double crystal_dispersion_energy(const Topology& topology, const NonbondedSettings& settings,
                                 const Mat3& cell, std::span<const Vec3> positions, double radius);

} // namespace tessera::oracle
