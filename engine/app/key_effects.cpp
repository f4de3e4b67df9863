#include "engine/app/key_effects.hpp"

#include <fmt/format.h>

namespace tessera
{

namespace
{

bool begins_with(const std::string& text, const char* beginning)
{
    return text.rfind(beginning, 0) == 0;
}

std::string of_forces(const Deck& deck, const std::string& key)
{
    const NonbondedSettings& nonbonded = deck.nonbonded;
    const bool switches = nonbonded.lj_modifier == LjModifier::force_switch ||
                          nonbonded.lj_modifier == LjModifier::potential_switch;
    const bool mesh = nonbonded.electrostatics == Electrostatics::pme;
    const bool lattice = mesh || nonbonded.electrostatics == Electrostatics::ewald;
    if (key == "nonbonded.lj_switch" && !switches) {
        return "lj_modifier does not switch";
    }
    if (key == "nonbonded.reaction_field_permittivity" &&
        nonbonded.electrostatics != Electrostatics::reaction_field) {
        return "there is no reaction field";
    }
    if (key == "nonbonded.drift_tolerance") {
        return "exact list: tolerance not used";
    }
    if (begins_with(key, "pme.lj_") && !nonbonded.lj_pme) {
        return "pme.lj is false";
    }
    if (key == "pme.tolerance" && lattice) {
        return deck.pme.beta ? "pme.beta is given" : "";
    }
    if ((key == "pme.spacing" || key == "pme.order" || key == "pme.grid" ||
         key == "pme.tolerance" || key == "pme.beta") &&
        !mesh && !nonbonded.lj_pme) {
        return key == "pme.beta" && lattice ? "" : "there is no mesh";
    }
    return key == "pme.spacing" && !deck.pme.spacing ? "pme.grid is given" : "";
}

std::string of_motion(const Deck& deck, const std::string& key)
{
    const DynamicsSettings& dynamics = deck.dynamics;
    const bool minimises = dynamics.integrator == Integrator::steepest_descent;
    if (begins_with(key, "run.minimizer_") && !minimises) {
        return "nothing is minimised";
    }
    if (minimises && (key == "run.velocities" || key == "run.remove_com_motion")) {
        return "a minimiser has no velocities";
    }
    if (key == "run.temperature" && !dynamics.generate_velocities) {
        return "velocities are not drawn";
    }
    if (key == "run.seed" && !dynamics.generate_velocities &&
        (dynamics.thermostat == ThermostatKind::none || deck.gives("thermostat.seed"))) {
        return "no random number is drawn from it";
    }
    if (key == "run.steps" && deck.gives("run.duration")) {
        return "run.duration is given";
    }
    if (begins_with(key, "thermostat.") && key != "thermostat.kind" &&
        dynamics.thermostat == ThermostatKind::none) {
        return "there is no thermostat";
    }
    if (begins_with(key, "barostat.") && key != "barostat.kind" &&
        dynamics.barostat == BarostatKind::none) {
        return "there is no barostat";
    }
    return "";
}

std::string of_output(const Deck& deck, const std::string& key)
{
    const OutputDeck& output = deck.output;
    if ((key == "output.every" || key == "output.position_precision" ||
         key == "output.velocities" || key == "output.forces") &&
        !output.trajectory) {
        return "there is no trajectory";
    }
    if (key == "output.energies_every" && !output.trajectory && !output.log) {
        return "there is neither trajectory nor log";
    }
    if (key == "output.checkpoint_every" && !output.checkpoint) {
        return "there is no checkpoint";
    }
    if (key == "compute.reproducible") {
        return "the bits are reproducible at either value";
    }
    if (key == "compute.check_every" && deck.dynamics.integrator == Integrator::steepest_descent) {
        return "minimisers compute in FP64";
    }
    return "";
}

} // namespace

std::string why_without_effect(const Deck& deck, const std::string& key)
{
    for (const auto& part : {of_forces(deck, key), of_motion(deck, key), of_output(deck, key)}) {
        if (!part.empty()) {
            return part;
        }
    }
    return "";
}

std::string keys_in_words(const Deck& deck)
{
    std::string out;
    for (const auto& [key, value] : deck.values) {
        const std::string why = why_without_effect(deck, key);
        out += fmt::format("  {:<44} # {}{}\n", fmt::format("{} = {}", key, value),
                           deck.gives(key) ? "given" : "default",
                           why.empty() ? "" : "; no effect: " + why);
    }
    return out;
}

} // namespace tessera
