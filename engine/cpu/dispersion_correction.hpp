#pragma once

#include "engine/backend/sums.hpp"
#include "engine/geometry/box.hpp"
#include "engine/model/topology.hpp"
#include "engine/plans/settings.hpp"

namespace tessera
{

/// What the attraction beyond the cut-off (and what a shift or switch took away inside it) adds in
/// a uniform fluid, r^-6 only:
///
///     E = N/2 <c6> (I N/V + S),   Xi_kk = pi/3 N^2/V <c6> J
///
/// with <c6> the average over pairs that are not excluded, I = 4 pi int r^2 (full - modified) dr, S
/// the constant shift given back for an atom with itself, J = int r^3 d(full - modified)/dr dr.
/// M. P. Allen, D. J. Tildesley, Computer Simulation of Liquids, section 2.8.
class DispersionTail {
public:
    /// Throws InputError with LJ-PME (the mesh holds the tail) or without cut-off.
    DispersionTail(const Topology& topology, const NonbondedSettings& settings);

    /// Into dispersion_correction; nothing where the settings ask for none. No forces. Throws
    /// InputError without cell.
    void add(const Box& box, Wanted wanted, EnergySums& energies) const;

    [[nodiscard]] double average_c6() const { return average_c6_; }

private:
    DispersionCorrection correction_;
    double atoms_ = 0;
    double average_c6_ = 0;
    double energy_integral_ = 0; ///< I
    double shift_ = 0;           ///< S
    double virial_integral_ = 0; ///< J
};

} // namespace tessera
