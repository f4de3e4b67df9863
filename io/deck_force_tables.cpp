#include "io/deck_tables.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace tessera
{

namespace fs = std::filesystem;

namespace
{

/// What the system is made of and how its forces are cut and summed.
class ForceTables : public DeckTables {
public:
    using DeckTables::DeckTables;

    void read()
    {
        system();
        cutoffs();
        nonbonded();
        mesh();
    }

private:
    void input_file(const std::string& path, fs::path& target)
    {
        const std::optional<std::string> name = values_.get<std::string>(path);
        if (!name) {
            if (!values_.given(path) && path != "system.restraint_reference") {
                diagnostics_.error({values_.key_place(path), fmt::format("{} is missing", path), "",
                                    fmt::format("add {} = \"...\" under [system]",
                                                path.substr(path.find('.') + 1))});
            }
            return;
        }
        target = beside_deck(*name);
        std::error_code ignored;
        if (!fs::exists(target, ignored)) {
            fault(path, fmt::format("{} does not exist ({} names it)", target.string(), path),
                  "no such file", "paths are relative to the deck's folder");
            target.clear();
        } else if (fs::is_directory(target, ignored)) {
            fault(path, fmt::format("{} is a folder ({} names a file)", target.string(), path),
                  "a folder", "name a file in it");
            target.clear();
        }
    }

    void system()
    {
        SystemDeck& system = deck_.system;
        input_file("system.topology", system.topology);
        input_file("system.coordinates", system.coordinates);
        fs::path reference;
        input_file("system.restraint_reference", reference);
        if (!reference.empty()) {
            system.restraint_reference = reference;
        }
        topology_format();
        for (const std::string& folder : values_.get<std::vector<std::string>>("system.include")
                                             .value_or(std::vector<std::string>())) {
            system.include.push_back(beside_deck(folder));
            std::error_code ignored;
            if (!fs::is_directory(system.include.back(), ignored)) {
                warn("system.include",
                     fmt::format("{} is not a folder (system.include names it)",
                                 system.include.back().string()),
                     "paths are relative to the deck's folder");
            }
        }
        system.define = values_.get<std::vector<std::string>>("system.define")
                            .value_or(std::vector<std::string>());
        for (const std::string& define : system.define) {
            const std::string name = define.substr(0, define.find('='));
            const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
                return std::isalnum(c) != 0 || c == '_';
            });
            if (name.empty() || !plain || std::isdigit(static_cast<unsigned char>(name[0])) != 0) {
                fault("system.define",
                      fmt::format("\"{}\" cannot be defined (a name has letters, digits and _)",
                                  define),
                      "", "write \"NAME\" or \"NAME=VALUE\", without -D");
            }
        }
        static const std::map<std::string, CoulombConstant> constants = {
            {"", CoulombConstant::of_format},
            {"gromacs", CoulombConstant::gromacs},
            {"amber", CoulombConstant::amber},
            {"charmm", CoulombConstant::charmm},
            {"codata", CoulombConstant::codata}};
        system.coulomb_constant = constants.at(values_.word("system.coulomb_constant"));
        system.periodic = values_.get<bool>("system.periodic").value_or(true);
    }

    void topology_format()
    {
        if (deck_.system.topology.empty()) {
            return;
        }
        fs::path name = deck_.system.topology.filename();
        if (name.extension() == ".gz") {
            name = name.stem();
        }
        const std::string extension = name.extension().string();
        if (extension == ".top") {
            return;
        }
        if (extension != ".prmtop" && extension != ".parm7") {
            fault("system.topology",
                  fmt::format("{} is not a topology this program reads (by its ending \"{}\")",
                              deck_.system.topology.string(), extension),
                  "unknown ending", "it reads .top, .prmtop and .parm7, plain or .gz");
            deck_.system.topology.clear();
            return;
        }
        for (const char* path : {"system.include", "system.define"}) {
            without_effect(path, "an Amber topology has no preprocessor");
        }
    }

    void cutoffs()
    {
        NonbondedSettings& nonbonded = deck_.nonbonded;
        for (const char* single : {"nonbonded.lj_cutoff", "nonbonded.coulomb_cutoff"}) {
            if (values_.given("nonbonded.cutoff") && values_.given(single)) {
                contradiction("nonbonded.cutoff", single);
            }
        }
        const std::optional<double> both = positive("nonbonded.cutoff");
        const std::optional<double> lj = positive("nonbonded.lj_cutoff");
        const std::optional<double> coulomb = positive("nonbonded.coulomb_cutoff");
        const bool lj_given =
            values_.given("nonbonded.cutoff") || values_.given("nonbonded.lj_cutoff");
        const bool coulomb_given =
            values_.given("nonbonded.cutoff") || values_.given("nonbonded.coulomb_cutoff");
        has_cutoff_ = lj_given || coulomb_given;
        if (!has_cutoff_) {
            if (deck_.system.periodic) {
                diagnostics_.error(
                    {values_.key_place("nonbonded.cutoff"),
                     "nonbonded.cutoff is missing (a periodic system needs a cut-off)", "",
                     "add cutoff = \"1.0 nm\" under [nonbonded], or set system.periodic = false"});
            }
            return;
        }
        if (both) {
            nonbonded.lj_cutoff = nonbonded.coulomb_cutoff = *both;
        }
        nonbonded.lj_cutoff = lj.value_or(nonbonded.lj_cutoff);
        nonbonded.coulomb_cutoff = coulomb.value_or(nonbonded.coulomb_cutoff);
        const bool no_coulomb = values_.word("nonbonded.electrostatics") == "none";
        if (!lj_given) {
            missing_half("nonbonded.coulomb_cutoff", "nonbonded.lj_cutoff");
        } else if (!coulomb_given && no_coulomb) {
            nonbonded.coulomb_cutoff = nonbonded.lj_cutoff;
        } else if (!coulomb_given) {
            missing_half("nonbonded.lj_cutoff", "nonbonded.coulomb_cutoff");
        }
    }
    void missing_half(const std::string& given, const std::string& missing)
    {
        diagnostics_.error(
            {values_.key_place(given),
             fmt::format("{} is given without {} (each needs its cut-off)", given, missing), "",
             "give both, or nonbonded.cutoff for the two"});
    }

    void nonbonded()
    {
        NonbondedSettings& nonbonded = deck_.nonbonded;
        static const std::map<std::string, LjModifier> modifiers = {
            {"", LjModifier::none},
            {"none", LjModifier::none},
            {"potential-shift", LjModifier::potential_shift},
            {"force-switch", LjModifier::force_switch},
            {"potential-switch", LjModifier::potential_switch}};
        nonbonded.lj_modifier = modifiers.at(values_.word("nonbonded.lj_modifier"));
        static const std::map<std::string, DispersionCorrection> corrections = {
            {"", DispersionCorrection::none},
            {"none", DispersionCorrection::none},
            {"energy", DispersionCorrection::energy},
            {"energy-and-pressure", DispersionCorrection::energy_and_pressure}};
        nonbonded.dispersion_correction =
            corrections.at(values_.word("nonbonded.dispersion_correction"));
        nonbonded.coulomb_potential_shift =
            values_.word("nonbonded.coulomb_modifier") == "potential-shift";
        electrostatics();
        set_positive(nonbonded.lj_switch, "nonbonded.lj_switch");
        lj_switch();
        if (const auto permittivity =
                values_.get<double>("nonbonded.reaction_field_permittivity")) {
            nonbonded.reaction_field_permittivity = *permittivity;
            if (*permittivity < 1) {
                fault("nonbonded.reaction_field_permittivity",
                      fmt::format(
                          "nonbonded.reaction_field_permittivity = {} is below 1 (a vacuum has 1)",
                          *permittivity),
                      "1 or more", "write inf for a conductor");
            }
        }
        idle("nonbonded.drift_tolerance", "the list is rebuilt before any pair can be missed");
        if (values_.word("nonbonded.drift_tolerance") == "exact") {
            deck_.exact_list = true;
        } else {
            set_positive(deck_.drift_tolerance, "nonbonded.drift_tolerance");
        }
        if (!deck_.system.periodic && !has_cutoff_) {
            without_cutoff();
        }
        if (!deck_.system.periodic &&
            nonbonded.dispersion_correction != DispersionCorrection::none) {
            fault("nonbonded.dispersion_correction",
                  "dispersion_correction needs a cell (it is an integral over the density, and "
                  "system.periodic = false)",
                  "", "set dispersion_correction = \"none\"");
        }
    }

    void electrostatics()
    {
        NonbondedSettings& nonbonded = deck_.nonbonded;
        static const std::map<std::string, Electrostatics> kinds = {
            {"", Electrostatics::none},         {"none", Electrostatics::none},
            {"cutoff", Electrostatics::cutoff}, {"reaction-field", Electrostatics::reaction_field},
            {"pme", Electrostatics::pme},       {"ewald", Electrostatics::ewald}};
        const std::string path = "nonbonded.electrostatics";
        nonbonded.electrostatics = kinds.at(values_.word(path));
        const bool lattice_sum = nonbonded.electrostatics == Electrostatics::pme ||
                                 nonbonded.electrostatics == Electrostatics::ewald;
        if (!deck_.system.periodic && lattice_sum) {
            if (values_.given(path)) {
                fault(path,
                      fmt::format("{} = {} needs a periodic system (system.periodic = false)", path,
                                  text_of(path)),
                      "sums over the images of a cell",
                      "choose \"cutoff\", \"reaction-field\" or \"none\"");
            }
            nonbonded.electrostatics = Electrostatics::cutoff;
        }
        if (nonbonded.electrostatics == Electrostatics::reaction_field && !has_cutoff_ &&
            !deck_.system.periodic) {
            fault(path,
                  "electrostatics = \"reaction-field\" needs a cut-off (the field acts beyond it)",
                  "", "give nonbonded.cutoff, or choose electrostatics = \"cutoff\"");
        }
        if (nonbonded.electrostatics != Electrostatics::reaction_field) {
            without_effect("nonbonded.reaction_field_permittivity",
                           "electrostatics is not \"reaction-field\"");
        }
    }

    void lj_switch()
    {
        const NonbondedSettings& nonbonded = deck_.nonbonded;
        const bool switched = nonbonded.lj_modifier == LjModifier::force_switch ||
                              nonbonded.lj_modifier == LjModifier::potential_switch;
        if (!switched) {
            without_effect("nonbonded.lj_switch",
                           "lj_modifier is not \"force-switch\" or \"potential-switch\"");
            return;
        }
        if (has_cutoff_ && !(nonbonded.lj_switch < nonbonded.lj_cutoff)) {
            const std::string given = values_.given("nonbonded.lj_switch") ? "" : ", the default,";
            fault(values_.given("nonbonded.lj_switch") ? "nonbonded.lj_switch"
                                                       : "nonbonded.lj_modifier",
                  fmt::format("nonbonded.lj_switch = {} nm{} is not below the cut-off ({} nm)",
                              nonbonded.lj_switch, given, nonbonded.lj_cutoff),
                  "the switch acts between lj_switch and the cut-off",
                  fmt::format("choose lj_switch below \"{} nm\"", nonbonded.lj_cutoff));
        }
    }

    void without_cutoff()
    {
        const char* why = "without a cut-off every pair counts";
        idle("nonbonded.lj_switch", why);
        for (const char* path : {"nonbonded.lj_modifier", "nonbonded.coulomb_modifier"}) {
            idle(path, why);
            if (values_.given(path) && values_.word(path) != "none") {
                warn(path, fmt::format("{} has no effect ({})", path, why),
                     "remove it, or give nonbonded.cutoff");
            }
        }
        deck_.nonbonded.lj_modifier = LjModifier::none;
        deck_.nonbonded.coulomb_potential_shift = false;
    }

    void mesh()
    {
        NonbondedSettings& nonbonded = deck_.nonbonded;
        PmeDeck& pme = deck_.pme;
        nonbonded.lj_pme = values_.get<bool>("pme.lj").value_or(false);
        const bool coulomb_mesh = nonbonded.electrostatics == Electrostatics::pme;
        const bool meshed = coulomb_mesh || nonbonded.lj_pme;
        const bool lattice_sum = coulomb_mesh || nonbonded.electrostatics == Electrostatics::ewald;
        for (const char* path : {"pme.spacing", "pme.grid", "pme.order"}) {
            if (!meshed) {
                without_effect(path, "nothing is summed on a mesh");
            }
        }
        for (const char* path : {"pme.tolerance", "pme.beta"}) {
            if (!lattice_sum) {
                without_effect(path, "electrostatics is neither \"pme\" nor \"ewald\"");
            }
        }
        if (values_.given("pme.spacing") && values_.given("pme.grid")) {
            contradiction("pme.spacing", "pme.grid");
        }
        if (values_.given("pme.tolerance") && values_.given("pme.beta")) {
            contradiction("pme.tolerance", "pme.beta");
        }
        pme.spacing = positive("pme.spacing");
        if (const auto grid = values_.get<std::array<int, 3>>("pme.grid")) {
            idle("pme.spacing", "pme.grid is given");
            nonbonded.pme_grid = *grid;
            pme.spacing.reset();
        }
        const std::int64_t order = count("pme.order", 4);
        if (order < 3 || order > 12) {
            fault("pme.order", fmt::format("pme.order = {} is out of range (3 to 12)", order),
                  "3 to 12", "4 is usual; more for a coarser mesh");
        } else {
            nonbonded.pme_order = static_cast<int>(order);
            grid_holds_order();
        }
        set_tolerance(pme.tolerance, "pme.tolerance");
        pme.beta = positive("pme.beta");
        if (pme.beta) {
            idle("pme.tolerance", "pme.beta is given");
        }
        set_tolerance(pme.lj_tolerance, "pme.lj_tolerance");
        lj_mesh();
        tuning(coulomb_mesh);
    }
    void tuning(bool coulomb_mesh)
    {
        deck_.pme.tune = values_.get<bool>("pme.tune").value_or(false);
        if (!deck_.pme.tune) {
            return;
        }
        if (deck_.nonbonded.lj_pme) {
            fault("pme.tune", "pme.tune = true cannot choose a mesh that LJ-PME uses too",
                  "errors of charges alone are compared",
                  "set one of pme.tune and pme.lj to false");
        } else if (!coulomb_mesh) {
            without_effect("pme.tune", "nothing is summed on a mesh");
            deck_.pme.tune = false;
        }
    }
    void grid_holds_order()
    {
        if (!values_.given("pme.grid")) {
            return;
        }
        for (const int points : deck_.nonbonded.pme_grid) {
            if (points > 0 && points < deck_.nonbonded.pme_order) {
                fault(
                    "pme.grid",
                    fmt::format("pme.grid has {} points along a vector, fewer than pme.order = {} "
                                "(a spline would overlap itself)",
                                points, deck_.nonbonded.pme_order),
                    "too few points", "choose more points or a lower order");
                return;
            }
        }
    }
    void lj_mesh()
    {
        if (!deck_.nonbonded.lj_pme) {
            for (const char* path : {"pme.lj_tolerance", "pme.lj_combination"}) {
                without_effect(path, "pme.lj is not true");
            }
            return;
        }
        if (!deck_.system.periodic) {
            fault("pme.lj", "pme.lj = true needs a periodic system (system.periodic = false)", "",
                  "remove one of the two");
        }
        const LjModifier modifier = deck_.nonbonded.lj_modifier;
        if (modifier == LjModifier::force_switch || modifier == LjModifier::potential_switch) {
            fault(values_.given("nonbonded.lj_modifier") ? "nonbonded.lj_modifier" : "pme.lj",
                  fmt::format("lj_modifier = {} contradicts {} (the mesh continues r^-6 beyond the "
                              "cut-off)",
                              text_of("nonbonded.lj_modifier"), with_place("pme.lj")),
                  "", "choose lj_modifier \"none\" or \"potential-shift\"");
        }
        if (deck_.nonbonded.dispersion_correction != DispersionCorrection::none) {
            warn(
                "nonbonded.dispersion_correction",
                "dispersion_correction beside pme.lj = true (the mesh already sums r^-6 beyond the "
                "cut-off)",
                "set dispersion_correction = \"none\"");
        }
    }
    bool has_cutoff_ = false;
};

} // namespace

void read_force_tables(const DeckValues& values, Deck& deck, Diagnostics& diagnostics)
{
    ForceTables(values, deck, diagnostics).read();
}

} // namespace tessera
