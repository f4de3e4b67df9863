#include "io/foreign_keys.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <string>

namespace tessera
{

namespace
{

struct ForeignKey {
    std::string_view word;    ///< small letters, '_'
    std::string_view program; ///< whose it is
    std::string_view unit;    ///< what its number counts there; may be empty
    std::string_view path;    ///< our key; empty: there is none
    std::string_view example; ///< a value of ours as TOML; without a key, why
};

constexpr std::string_view gromacs = "GROMACS's", amber = "Amber's", both = "GROMACS's and Amber's";

constexpr ForeignKey table[] = {
    {"dt", both, "in ps", "run.timestep", "\"2 fs\""},
    {"nsteps", gromacs, "", "run.steps", "5000"},
    {"nstlim", amber, "", "run.steps", "5000"},
    {"maxcyc", amber, "", "run.steps", "5000"},
    {"imin", amber, "", "run.integrator", "\"steepest-descent\""},
    {"emtol", gromacs, "in kJ/mol/nm", "run.minimizer_tolerance", "\"10 kJ/mol/nm\""},
    {"emstep", gromacs, "in nm", "run.minimizer_step", "\"0.01 nm\""},
    {"ld_seed", gromacs, "", "run.seed", "42"},
    {"gen_seed", gromacs, "", "run.seed", "42"},
    {"ig", amber, "", "run.seed", "42"},
    {"gen_vel", gromacs, "", "run.velocities", "\"maxwell-boltzmann\""},
    {"gen_temp", gromacs, "in K", "run.temperature", "\"300 K\""},
    {"tempi", amber, "in K", "run.temperature", "\"300 K\""},
    {"ntx", amber, "", "run.velocities", "\"from-file\""},
    {"irest", amber, "", "run.velocities", "\"from-file\""},
    {"nstcomm", gromacs, "in steps", "run.remove_com_motion", "100"},
    {"comm_mode", gromacs, "", "run.remove_com_motion", "100"},
    {"nscm", amber, "in steps", "run.remove_com_motion", "100"},
    {"ntc", amber, "2: bonds to hydrogen, 3: all", "run.constraints", "\"h-bonds\""},
    {"ntf", amber, "2: bonds to hydrogen, 3: all", "run.constraints", "\"h-bonds\""},
    {"mass_repartition_factor", gromacs, "a factor", "run.hydrogen_mass", "\"3 u\""},
    {"continuation", gromacs, "", "", "tessera run DECK --continue goes on from a checkpoint"},
    {"constraint_algorithm", gromacs, "", "", "constraints are solved to rounding"},
    {"lincs_order", gromacs, "", "", "constraints are solved to rounding"},
    {"lincs_iter", gromacs, "", "", "constraints are solved to rounding"},
    {"shake_tol", gromacs, "", "", "constraints are solved to rounding"},
    {"tol", amber, "", "", "constraints are solved to rounding"},

    {"rcoulomb", gromacs, "in nm", "nonbonded.cutoff", "\"1.0 nm\""},
    {"rvdw", gromacs, "in nm", "nonbonded.cutoff", "\"1.0 nm\""},
    {"cut", amber, "in Å", "nonbonded.cutoff", "\"9 Å\""},
    {"rvdw_switch", gromacs, "in nm", "nonbonded.lj_switch", "\"0.8 nm\""},
    {"vdwtype", gromacs, "", "nonbonded.lj_modifier", "\"potential-shift\""},
    {"vdw_type", gromacs, "", "nonbonded.lj_modifier", "\"potential-shift\""},
    {"vdw_modifier", gromacs, "", "nonbonded.lj_modifier", "\"potential-shift\""},
    {"coulombtype", gromacs, "", "nonbonded.electrostatics", "\"pme\""},
    {"dispcorr", gromacs, "", "nonbonded.dispersion_correction", "\"energy-and-pressure\""},
    {"vdwmeth", amber, "", "nonbonded.dispersion_correction", "\"energy-and-pressure\""},
    {"epsilon_rf", gromacs, "", "nonbonded.reaction_field_permittivity", "78.0"},
    {"verlet_buffer_tolerance", gromacs, "in kJ/mol/ps", "nonbonded.drift_tolerance",
     "\"5e-3 kJ/mol/ps\""},
    {"nstlist", gromacs, "", "", "the pair list is made anew when it has to be"},
    {"rlist", gromacs, "", "", "the pair list is made anew when it has to be"},
    {"cutoff_scheme", gromacs, "", "", "the pair list is made anew when it has to be"},
    {"ns_type", gromacs, "", "", "the pair list is made anew when it has to be"},
    {"fourierspacing", gromacs, "in nm", "pme.spacing", "\"0.12 nm\""},
    {"fourier_nx", gromacs, "", "pme.grid", "[56, 56, 56]"},
    {"fourier_ny", gromacs, "", "pme.grid", "[56, 56, 56]"},
    {"fourier_nz", gromacs, "", "pme.grid", "[56, 56, 56]"},
    {"nfft1", amber, "", "pme.grid", "[56, 56, 56]"},
    {"nfft2", amber, "", "pme.grid", "[56, 56, 56]"},
    {"nfft3", amber, "", "pme.grid", "[56, 56, 56]"},
    {"pme_order", gromacs, "", "pme.order", "4"},
    {"ewald_rtol", gromacs, "", "pme.tolerance", "1e-5"},
    {"dsum_tol", amber, "", "pme.tolerance", "1e-5"},
    {"ew_coeff", amber, "in 1/Å", "pme.beta", "\"3.12 /nm\""},
    {"ewald_rtol_lj", gromacs, "", "pme.lj_tolerance", "1e-3"},
    {"lj_pme_comb_rule", gromacs, "", "pme.lj_combination", "\"geometric\""},

    {"tcoupl", gromacs, "", "thermostat.kind", "\"v-rescale\""},
    {"ntt", amber, "3: Langevin", "thermostat.kind", "\"langevin\""},
    {"ref_t", gromacs, "in K", "thermostat.temperature", "\"300 K\""},
    {"temp0", amber, "in K", "thermostat.temperature", "\"300 K\""},
    {"tau_t", gromacs, "in ps", "thermostat.time_constant", "\"1 ps\""},
    {"tautp", amber, "in ps", "thermostat.time_constant", "\"1 ps\""},
    {"gamma_ln", amber, "in 1/ps, the inverse of ours", "thermostat.time_constant", "\"1 ps\""},
    {"tc_grps", gromacs, "", "", "one thermostat acts on the whole system"},
    {"pcoupl", gromacs, "", "barostat.kind", "\"c-rescale\""},
    {"ntp", amber, "", "barostat.kind", "\"c-rescale\""},
    {"pcoupltype", gromacs, "", "barostat.coupling", "\"isotropic\""},
    {"ref_p", gromacs, "in bar", "barostat.pressure", "\"1 bar\""},
    {"pres0", amber, "in bar", "barostat.pressure", "\"1 bar\""},
    {"tau_p", gromacs, "in ps", "barostat.time_constant", "\"2 ps\""},
    {"taup", amber, "in ps", "barostat.time_constant", "\"2 ps\""},
    {"comp", amber, "in 1e-6 /bar", "barostat.compressibility", "\"4.5e-5 /bar\""},

    {"nstxout", gromacs, "in steps", "output.every", "\"10 ps\""},
    {"nstxout_compressed", gromacs, "in steps", "output.every", "\"10 ps\""},
    {"ntwx", amber, "in steps", "output.every", "\"10 ps\""},
    {"nstvout", gromacs, "in steps", "output.velocities", "\"10 ps\""},
    {"ntwv", amber, "in steps", "output.velocities", "\"10 ps\""},
    {"nstfout", gromacs, "in steps", "output.forces", "\"10 ps\""},
    {"ntwf", amber, "in steps", "output.forces", "\"10 ps\""},
    {"nstenergy", gromacs, "in steps", "output.energies_every", "\"1 ps\""},
    {"nstlog", gromacs, "in steps", "output.energies_every", "\"1 ps\""},
    {"nstcalcenergy", gromacs, "in steps", "output.energies_every", "\"1 ps\""},
    {"ntpr", amber, "in steps", "output.energies_every", "\"1 ps\""},
    {"ntwe", amber, "in steps", "output.energies_every", "\"1 ps\""},
    {"ntwr", amber, "in steps", "output.checkpoint_every", "\"15 min\""},
    {"ioutfm", amber, "", "", "trajectories are H5MD"},
    {"iwrap", amber, "", "", "trajectories hold molecules whole, in the cell"},

    {"pbc", gromacs, "", "system.periodic", "true"},
    {"ntb", amber, "", "system.periodic", "true"},
};

} // namespace

std::vector<std::string_view> foreign_keys()
{
    std::vector<std::string_view> out;
    for (const ForeignKey& key : table) {
        out.push_back(key.word);
    }
    return out;
}

std::string hint_for_foreign_key(std::string_view word)
{
    std::string name(word);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
        return c == '-' ? '_' : static_cast<char>(std::tolower(c));
    });
    const auto* const found = std::find_if(std::begin(table), std::end(table),
                                           [&](const ForeignKey& key) { return key.word == name; });
    if (found == std::end(table)) {
        return {};
    }
    if (found->path.empty()) {
        return fmt::format("{} {} has no key here ({}): leave it out", found->program, word,
                           found->example);
    }
    const auto dot = found->path.find('.');
    const std::string_view key = found->path.substr(dot + 1);
    return fmt::format("{} {}{} is {} under [{}] here: {} = {}", found->program, word,
                       found->unit.empty() ? "" : fmt::format(" ({})", found->unit), key,
                       found->path.substr(0, dot), key, found->example);
}

} // namespace tessera
