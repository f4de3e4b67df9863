#include "engine/app/system_summary.hpp"

#include "engine/app/energy_report.hpp"
#include "engine/app/force_error_estimate.hpp"
#include "engine/app/threads.hpp"
#include "engine/math/constants.hpp"
#include "engine/math/units.hpp"
#include "engine/plans/constraint_plan.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace tessera
{

namespace
{

/// "1,234 harmonic_bond, 56 harmonic_angle"
std::string terms_in_words(const Topology& topology)
{
    std::string out;
    const auto tell = [&out](const auto& table) {
        using Term = std::decay_t<decltype(table.parameters.front())>;
        if (!table.empty()) {
            out += fmt::format("{}{} {}", out.empty() ? "" : ", ", table.size(), Term::name);
        }
    };
    std::apply([&](const auto&... tables) { (tell(tables), ...); }, topology.terms);
    return out.empty() ? "none" : out;
}

std::string cell_in_words(const Assembly& assembly)
{
    if (!assembly.box.is_periodic()) {
        return "none (open space)";
    }
    const double half = 0.5 * assembly.box.shortest_height();
    const double cutoff = assembly.nonbonded.cutoff();
    return fmt::format("{}, volume {:.6g} nm^3; half the shortest height is {:.6g} nm, {:.1f} % "
                       "above the cut-off",
                       assembly.box.is_rectangular() ? "rectangular" : "triclinic",
                       assembly.box.volume(), half, 100 * (half / cutoff - 1));
}

std::string cutoffs_in_words(const NonbondedSettings& nonbonded)
{
    if (!std::isfinite(nonbonded.cutoff())) {
        return "none (every pair counts)";
    }
    return fmt::format("Lennard-Jones {:.6g} nm, Coulomb {:.6g} nm", nonbonded.lj_cutoff,
                       nonbonded.coulomb_cutoff);
}

std::string value_of(const Deck& deck, const std::string& path)
{
    for (const auto& [key, value] : deck.values) {
        if (key == path) {
            const bool quoted = value.size() > 1 && value.front() == '"';
            return quoted ? value.substr(1, value.size() - 2) : value;
        }
    }
    return "";
}

std::string motion_in_words(const Deck& deck)
{
    const DynamicsSettings& dynamics = deck.dynamics;
    if (dynamics.minimises()) {
        return fmt::format("steepest-descent, at most {} steps, until the largest force is below "
                           "{:.4g} kJ/mol/nm",
                           dynamics.steps, dynamics.minimizer_tolerance);
    }
    std::string out = fmt::format(
        "{}, {} steps of {:.6g} fs = {:.6g} ps",
        dynamics.integrator == Integrator::langevin ? "langevin" : value_of(deck, "run.integrator"),
        dynamics.steps, dynamics.timestep * 1e3,
        static_cast<double>(dynamics.steps) * dynamics.timestep);
    if (dynamics.thermostat != ThermostatKind::none) {
        out +=
            fmt::format("; thermostat {} at {:.6g} K, {:.4g} ps", value_of(deck, "thermostat.kind"),
                        dynamics.temperature, dynamics.temperature_time);
    }
    if (dynamics.barostat != BarostatKind::none) {
        out +=
            fmt::format("; barostat {} at {:.6g} bar, {:.4g} ps", value_of(deck, "barostat.kind"),
                        dynamics.pressure / units::bar, dynamics.pressure_time);
    }
    return out;
}

/// What the lattice sum's settings make of forces.
std::string accuracy_in_words(const Assembly& assembly)
{
    const NonbondedSettings& nonbonded = assembly.nonbonded;
    const Topology& topology = *assembly.topology;
    const ChargedSystem system{static_cast<double>(topology.atoms()),
                               std::inner_product(topology.charge.begin(), topology.charge.end(),
                                                  topology.charge.begin(), 0.0),
                               assembly.box.volume(), topology.coulomb_constant};
    std::string out =
        fmt::format("RMS error of forces, estimated: direct sum {:.2g} kJ/mol/nm",
                    truncation_force_error(system, nonbonded.ewald_beta, nonbonded.coulomb_cutoff));
    if (nonbonded.electrostatics == Electrostatics::pme) {
        const auto& grid = nonbonded.pme_grid;
        const Mat3& h = assembly.box.vectors();
        const double spacing =
            std::max({norm(h[0]) / grid[0], norm(h[1]) / grid[1], norm(h[2]) / grid[2]});
        out += fmt::format(
            ", mesh of {:.4g} nm {:.2g} kJ/mol/nm", spacing,
            mesh_force_error(system, nonbonded.ewald_beta, spacing, nonbonded.pme_order));
    }
    return out;
}

/// Radius, policy, and a lower bound of the interval: the fastest of N atoms of the smallest mass,
/// sqrt(2 kT/m ln N), flying straight through half the buffer.
std::string pair_list_in_words(const Deck& deck, const Assembly& assembly)
{
    const NonbondedSettings& nonbonded = assembly.nonbonded;
    std::string out =
        fmt::format("radius {:.4g} nm (cut-off + {:.4g} nm of buffer), exact: rebuilt before any "
                    "pair can be missed{}",
                    nonbonded.cutoff() + nonbonded.list_buffer, nonbonded.list_buffer,
                    deck.gives("nonbonded.drift_tolerance") ? ", drift_tolerance is not used" : "");
    const DynamicsSettings& dynamics = deck.dynamics;
    double lightest = 0;
    for (const double mass : assembly.topology->mass) {
        lightest = mass > 0 && (lightest == 0 || mass < lightest) ? mass : lightest;
    }
    const double temperature = dynamics.expected_temperature();
    if (dynamics.minimises() || lightest == 0) {
        return out;
    }
    const double atoms = std::max(3.0, static_cast<double>(assembly.topology->atoms()));
    const double fastest = std::sqrt(2 * constants::boltzmann * std::max(1.0, temperature) /
                                     lightest * std::log(atoms));
    const double steps = 0.5 * nonbonded.list_buffer / fastest / dynamics.timestep;
    return out + fmt::format("; expected every {:.0f} to {:.0f} steps at {:.4g} K",
                             std::max(1.0, std::floor(steps)), std::max(2.0, 3 * steps),
                             temperature);
}

std::string file_in_words(const std::optional<std::filesystem::path>& file)
{
    return file ? file->string() : "none";
}

} // namespace

double estimated_memory(const Assembly& assembly)
{
    const double atoms = static_cast<double>(assembly.topology->atoms());
    // program and libraries; state, topology, force sums: fitted to 1500 to 144,000 atoms
    double bytes = 26e6 + atoms * 350;
    const double cutoff = assembly.nonbonded.cutoff() + assembly.nonbonded.list_buffer;
    if (assembly.box.is_periodic() && std::isfinite(cutoff)) {
        const double neighbours =
            4.0 / 3.0 * constants::pi * cutoff * cutoff * cutoff * atoms / assembly.box.volume();
        bytes += atoms * std::min(neighbours, atoms) * 0.5 * 2; // clusters: two bytes a pair
    }
    const auto& grid = assembly.nonbonded.pme_grid;
    bytes += static_cast<double>(grid[0]) * grid[1] * grid[2] * (8 + 16);
    return bytes;
}

std::string deck_echo(const Deck& deck)
{
    std::string out;
    for (const auto& [key, value] : deck.values) {
        out += fmt::format("  {} = {}\n", key, value);
    }
    return out;
}

std::string keys_in_words(const Deck& deck)
{
    std::string out;
    for (const auto& [key, value] : deck.values) {
        const auto idle = deck.idle.find(key);
        out += fmt::format("  {:<44} # {}{}\n", fmt::format("{} = {}", key, value),
                           deck.gives(key) ? "given" : "default",
                           idle == deck.idle.end() ? "" : "; no effect: " + idle->second);
    }
    return out;
}

std::string system_summary(const Deck& deck, const Assembly& assembly)
{
    const Topology& topology = *assembly.topology;
    const double charge = std::accumulate(topology.charge.begin(), topology.charge.end(), 0.0);
    const double mass = std::accumulate(topology.mass.begin(), topology.mass.end(), 0.0);
    std::string out;
    const auto line = [&out](std::string_view name, const std::string& text) {
        out += fmt::format("{:<13} {}\n", name, text);
    };
    line("system",
         fmt::format("{} atoms in {} molecules, {} residues, {:.8g} u, {:+.6g} e", topology.atoms(),
                     topology.molecules.rows(), topology.residues.size(), mass, charge + 0.0));
    line("terms", terms_in_words(topology));
    line("constraints",
         fmt::format("{} bonds, {} rigid waters, {} virtual sites", topology.constraints.size(),
                     topology.rigid_waters.size(), topology.virtual_sites.size()));
    const bool at_rest = deck.dynamics.remove_com_every > 0;
    line("freedom",
         fmt::format("{} degrees of freedom{}",
                     degrees_of_freedom(topology, make_constraint_plan(topology), at_rest),
                     at_rest ? " (the centre of mass is kept at rest)" : ""));
    line("coulomb",
         fmt::format("{} with constant {:.12g} kJ/mol nm/e^2",
                     value_of(deck, "nonbonded.electrostatics"), topology.coulomb_constant));
    line("cell", cell_in_words(assembly));
    line("cut-offs", cutoffs_in_words(assembly.nonbonded));
    if (assembly.nonbonded.electrostatics == Electrostatics::pme || assembly.nonbonded.lj_pme) {
        const auto& grid = assembly.nonbonded.pme_grid;
        line("mesh",
             fmt::format("{} x {} x {}, order {}, beta {:.8g} /nm", grid[0], grid[1], grid[2],
                         assembly.nonbonded.pme_order, assembly.nonbonded.ewald_beta));
    }
    if (assembly.nonbonded.has_coulomb_lattice() && assembly.box.is_periodic()) {
        line("accuracy", accuracy_in_words(assembly));
    }
    if (assembly.box.is_periodic() && std::isfinite(assembly.nonbonded.cutoff())) {
        line("pair list", pair_list_in_words(deck, assembly));
    }
    line("run", motion_in_words(deck));
    line("trajectory", file_in_words(deck.output.trajectory));
    line("checkpoint", file_in_words(deck.output.checkpoint));
    const bool minimises = deck.dynamics.minimises();
    line("device", fmt::format("cpu, {} threads, {} (runs on GPUs are not built yet)",
                               threads_to_use(deck.compute.threads),
                               minimises && assembly.nonbonded.precision == Precision::mixed
                                   ? "FP64, as minimisers always are"
                                   : precision_in_words(assembly.nonbonded)));
    line("memory", fmt::format("about {:.3g} MB", estimated_memory(assembly) * 1e-6));
    for (const std::string& refusal : topology.dynamics_refusals) {
        line("no dynamics", refusal);
    }
    return out;
}

} // namespace tessera
