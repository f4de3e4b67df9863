#pragma once

#include "engine/physics/pair/pair_formulas.hpp"
#include "engine/plans/settings.hpp"

namespace tessera
{

/// Everything a pair of atoms needs beside its distance and its own parameters: the settings turned
/// into constants. Cut-offs may be infinite.
struct PairForm {
    double lj_cutoff2 = 0, coulomb_cutoff2 = 0; ///< nm^2
    LjModifier lj = LjModifier::none;
    LjShift<double> shift{};
    ForceSwitch<double> force_switch{};
    PotentialSwitch<double> potential_switch{};

    bool lj_ewald = false; ///< LJ-PME: the mesh holds -cg/r^6
    double lj_beta2 = 0;
    double lj_ewald_shift = 0; ///< potential shift of its part, per cg

    CoulombForm coulomb = CoulombForm::none;
    double coulomb_constant = 0;
    ReactionField<double> field{};
    double beta = 0;
    double ewald_shift = 0;
};

/// Checks the settings as far as they need no cell; throws InputError.
PairForm make_pair_form(const NonbondedSettings& settings, double coulomb_constant);

} // namespace tessera
