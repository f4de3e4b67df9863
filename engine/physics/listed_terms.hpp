#pragma once

#include "engine/physics/terms/anharmonic_polarization.hpp"
#include "engine/physics/terms/cmap.hpp"
#include "engine/physics/terms/combined_bending_torsion.hpp"
#include "engine/physics/terms/coulomb_14.hpp"
#include "engine/physics/terms/cross_bond_angle.hpp"
#include "engine/physics/terms/cross_bond_bond.hpp"
#include "engine/physics/terms/cubic_bond.hpp"
#include "engine/physics/terms/fene_bond.hpp"
#include "engine/physics/terms/g96_angle.hpp"
#include "engine/physics/terms/g96_bond.hpp"
#include "engine/physics/terms/harmonic_angle.hpp"
#include "engine/physics/terms/harmonic_bond.hpp"
#include "engine/physics/terms/harmonic_improper.hpp"
#include "engine/physics/terms/lennard_jones_14.hpp"
#include "engine/physics/terms/linear_angle.hpp"
#include "engine/physics/terms/morse_bond.hpp"
#include "engine/physics/terms/pair_coulomb.hpp"
#include "engine/physics/terms/pair_lennard_jones.hpp"
#include "engine/physics/terms/periodic_dihedral.hpp"
#include "engine/physics/terms/periodic_improper.hpp"
#include "engine/physics/terms/polarization.hpp"
#include "engine/physics/terms/position_restraint.hpp"
#include "engine/physics/terms/quartic_angle.hpp"
#include "engine/physics/terms/restraint_bond.hpp"
#include "engine/physics/terms/restricted_angle.hpp"
#include "engine/physics/terms/restricted_dihedral.hpp"
#include "engine/physics/terms/ryckaert_bellemans.hpp"
#include "engine/physics/terms/thole_polarization.hpp"
#include "engine/physics/terms/urey_bradley.hpp"
#include "engine/physics/terms/water_polarization.hpp"

namespace tessera
{

/// THE list of bonded terms. A new term is one header in terms/ and one word here.
using ListedTerms =
    TypeList<HarmonicBond, G96Bond, MorseBond, CubicBond, FeneBond, RestraintBond, HarmonicAngle,
             G96Angle, CrossBondBond, CrossBondAngle, UreyBradley, QuarticAngle, LinearAngle,
             RestrictedAngle, PeriodicDihedral, PeriodicImproper, HarmonicImproper,
             RyckaertBellemans, RestrictedDihedral, CombinedBendingTorsion, LennardJones14,
             Coulomb14, PairLennardJones, PairCoulomb, Polarization, AnharmonicPolarization,
             WaterPolarization, TholePolarization, PositionRestraint, Cmap>;

} // namespace tessera
