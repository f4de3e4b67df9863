#include "engine/plans/pair_form.hpp"

#include "engine/base/error.hpp"

#include <cmath>
#include <fmt/format.h>

namespace tessera
{

namespace
{

void require(bool condition, const std::string& text)
{
    if (!condition) {
        throw InputError(text);
    }
}

bool is_switched(LjModifier modifier)
{
    return modifier == LjModifier::force_switch || modifier == LjModifier::potential_switch;
}

void set_lennard_jones(const NonbondedSettings& s, PairForm& form)
{
    require(
        s.lj_cutoff > 0,
        fmt::format("the Lennard-Jones cut-off is {} nm. Give a positive length.", s.lj_cutoff));
    form.lj_cutoff2 = s.lj_cutoff * s.lj_cutoff;
    const bool has_cutoff = std::isfinite(s.lj_cutoff);
    form.lj = has_cutoff ? s.lj_modifier : LjModifier::none; // without cut-off nothing is modified
    if (form.lj == LjModifier::potential_shift) {
        form.shift = make_lj_shift(s.lj_cutoff);
    }
    if (is_switched(form.lj)) {
        require(s.lj_switch >= 0 && s.lj_switch < s.lj_cutoff,
                fmt::format("lj_switch {} nm is not below the Lennard-Jones cut-off {} nm (nothing "
                            "would be switched). Choose a smaller lj_switch.",
                            s.lj_switch, s.lj_cutoff));
        form.force_switch = make_force_switch(s.lj_switch, s.lj_cutoff);
        form.potential_switch = make_potential_switch(s.lj_switch, s.lj_cutoff);
    }
    if (!s.lj_pme) {
        return;
    }
    require(
        has_cutoff && s.lj_ewald_beta > 0,
        fmt::format("LJ-PME needs a finite cut-off and a positive splitting parameter, not {} nm "
                    "and {} /nm. Give both.",
                    s.lj_cutoff, s.lj_ewald_beta));
    require(!is_switched(form.lj),
            "LJ-PME goes with lj_modifier \"none\" or \"potential-shift\" (a switched pair and the "
            "mesh would not add up to r^-6). Choose one of them.");
    form.lj_ewald = true;
    form.lj_beta2 = s.lj_ewald_beta * s.lj_ewald_beta;
    if (form.lj == LjModifier::potential_shift) {
        const double rc2 = form.lj_cutoff2;
        form.lj_ewald_shift =
            lj_ewald_real(1.0, rc2, 1.0 / rc2, form.lj_beta2, std::exp(-form.lj_beta2 * rc2))
                .energy;
    }
}

void set_coulomb(const NonbondedSettings& s, double coulomb_constant, PairForm& form)
{
    form.coulomb_constant = coulomb_constant;
    if (s.electrostatics == Electrostatics::none) {
        return;
    }
    require(s.coulomb_cutoff > 0,
            fmt::format("the Coulomb cut-off is {} nm. Give a positive length.", s.coulomb_cutoff));
    form.coulomb_cutoff2 = s.coulomb_cutoff * s.coulomb_cutoff;
    switch (s.electrostatics) {
    case Electrostatics::none:
        break;
    case Electrostatics::cutoff:
        form.coulomb = CoulombForm::reaction_field;
        form.field =
            s.coulomb_potential_shift ? make_shifted_cutoff(s.coulomb_cutoff) : make_plain_cutoff();
        break;
    case Electrostatics::reaction_field:
        require(s.reaction_field_permittivity >= 1,
                fmt::format("reaction_field_permittivity is {}. Give at least 1, or inf.",
                            s.reaction_field_permittivity));
        form.coulomb = CoulombForm::reaction_field;
        form.field = make_reaction_field(s.reaction_field_permittivity, s.coulomb_cutoff);
        break;
    case Electrostatics::pme:
    case Electrostatics::ewald:
        require(s.ewald_beta > 0 && std::isfinite(s.coulomb_cutoff),
                fmt::format("an Ewald sum needs a finite cut-off and a positive splitting "
                            "parameter, not {} nm and {} /nm. Give pme.tolerance or pme.beta.",
                            s.coulomb_cutoff, s.ewald_beta));
        form.coulomb = CoulombForm::ewald;
        form.beta = s.ewald_beta;
        form.ewald_shift = s.coulomb_potential_shift
                               ? std::erfc(s.ewald_beta * s.coulomb_cutoff) / s.coulomb_cutoff
                               : 0.0;
        break;
    }
}

} // namespace

PairForm make_pair_form(const NonbondedSettings& settings, double coulomb_constant)
{
    PairForm form;
    set_lennard_jones(settings, form);
    set_coulomb(settings, coulomb_constant, form);
    return form;
}

} // namespace tessera
