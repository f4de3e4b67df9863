#include "engine/math/units.hpp"
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

/// How the state moves, what is written, and where it is computed.
class MotionTables : public DeckTables {
public:
    using DeckTables::DeckTables;

    void read()
    {
        run();
        thermostat();
        barostat();
        output();
        compute();
    }

private:
    void run()
    {
        DynamicsSettings& dynamics = deck_.dynamics;
        timestep_ = positive("run.timestep");
        dynamics.timestep = timestep_.value_or(dynamics.timestep);
        if (timestep_ && *timestep_ > 0.005000001) {
            warn("run.timestep",
                 fmt::format("run.timestep = {} fs is long (bonds and angles need 5 fs or less)",
                             *timestep_ * 1e3),
                 "2 fs with constraints = \"h-bonds\", 4 fs with heavier hydrogens");
        }
        if (values_.given("run.steps") && values_.given("run.duration")) {
            contradiction("run.steps", "run.duration");
        }
        dynamics.steps = count("run.steps", dynamics.steps);
        if (static_cast<double>(dynamics.steps) > most_steps) {
            fault("run.steps",
                  fmt::format("run.steps = {} is too many steps ({:.3g})", dynamics.steps,
                              static_cast<double>(dynamics.steps)),
                  "too many", fmt::format("choose {:.0e} at most", most_steps));
        }
        if (values_.given("run.duration")) {
            idle("run.steps", "run.duration is given");
            dynamics.steps = in_steps("run.duration").value_or(dynamics.steps);
        }
        dynamics.seed = static_cast<std::uint64_t>(count("run.seed", 42));
        dynamics.remove_com_every = count("run.remove_com_motion", 100);
        set_positive(dynamics.minimizer_step, "run.minimizer_step");
        set_positive(dynamics.minimizer_tolerance, "run.minimizer_tolerance");
        static const std::map<std::string, Integrator> integrators = {
            {"", Integrator::leap_frog},
            {"leap-frog", Integrator::leap_frog},
            {"velocity-verlet", Integrator::velocity_verlet},
            {"langevin", Integrator::langevin},
            {"steepest-descent", Integrator::steepest_descent}};
        dynamics.integrator = integrators.at(values_.word("run.integrator"));
        if (deck_.dynamics.minimises()) {
            idle("run.velocities", "a minimiser has no velocities");
            idle("run.remove_com_motion", "a minimiser has no velocities");
        } else {
            without_effect("run.minimizer_step", "the integrator is not \"steepest-descent\"");
            without_effect("run.minimizer_tolerance", "the integrator is not \"steepest-descent\"");
        }
        constraints();
        velocities();
    }

    void constraints()
    {
        static const std::map<std::string, ConstraintChoice> choices = {
            {"", ConstraintChoice::none},
            {"none", ConstraintChoice::none},
            {"h-bonds", ConstraintChoice::h_bonds},
            {"all-bonds", ConstraintChoice::all_bonds}};
        deck_.run.constraints = choices.at(values_.word("run.constraints"));
        deck_.run.rigid_water = values_.get<bool>("run.rigid_water").value_or(true);
        const auto& define = deck_.system.define;
        const bool flexible = std::find(define.begin(), define.end(), "FLEXIBLE") != define.end();
        if (flexible && values_.given("run.rigid_water") && deck_.run.rigid_water) {
            fault("run.rigid_water",
                  fmt::format("run.rigid_water = true contradicts FLEXIBLE in {} (FLEXIBLE makes "
                              "water flexible)",
                              with_place("system.define")),
                  "one of the two too many", "remove one of them");
        }
        if (values_.word("run.hydrogen_mass") != "from-topology") {
            deck_.run.hydrogen_mass = positive("run.hydrogen_mass");
        }
    }

    void velocities()
    {
        DynamicsSettings& dynamics = deck_.dynamics;
        dynamics.generate_velocities = values_.word("run.velocities") == "maxwell-boltzmann";
        if (!dynamics.generate_velocities) {
            without_effect("run.temperature", "velocities is not \"maxwell-boltzmann\"");
            return;
        }
        if (!values_.given("run.temperature")) {
            fault(
                "run.velocities",
                "run.temperature is missing (velocities = \"maxwell-boltzmann\" draws them at it)",
                "", "add temperature = \"300 K\" under [run]");
        }
        set_temperature(dynamics.velocity_temperature, "run.temperature");
    }

    void thermostat()
    {
        DynamicsSettings& dynamics = deck_.dynamics;
        static const std::map<std::string, ThermostatKind> kinds = {
            {"", ThermostatKind::none},
            {"none", ThermostatKind::none},
            {"v-rescale", ThermostatKind::v_rescale},
            {"langevin", ThermostatKind::langevin}};
        const std::string word = values_.word("thermostat.kind");
        dynamics.thermostat = kinds.at(word);
        set_temperature(dynamics.temperature, "thermostat.temperature");
        set_positive(dynamics.temperature_time, "thermostat.time_constant");
        dynamics.thermostat_seed = static_cast<std::uint64_t>(
            count("thermostat.seed", static_cast<std::int64_t>(dynamics.seed)));
        langevin();
        if (!dynamics.generate_velocities &&
            (dynamics.thermostat == ThermostatKind::none || values_.given("thermostat.seed"))) {
            idle("run.seed", "no random number is drawn from it");
        }
        if (dynamics.thermostat == ThermostatKind::none) {
            idle_table("thermostat");
            return;
        }
        needs_temperature();
        if (deck_.dynamics.minimises()) {
            fault("thermostat.kind",
                  fmt::format("thermostat.kind = {} contradicts run.integrator = "
                              "\"steepest-descent\" (a minimiser has no temperature)",
                              text_of("thermostat.kind")),
                  "", "set thermostat.kind = \"none\"");
        }
        if (timestep_ && dynamics.temperature_time < 10 * *timestep_ * (1 - 1e-9)) {
            warn("thermostat.time_constant",
                 fmt::format("thermostat.time_constant = {} ps is below ten steps ({} ps)",
                             dynamics.temperature_time, 10 * *timestep_),
                 "0.1 ps to 2 ps are usual");
        }
    }
    void needs_temperature()
    {
        if (!values_.given("thermostat.temperature")) {
            fault("thermostat.kind",
                  fmt::format("thermostat.temperature is missing (thermostat.kind = {} holds it)",
                              text_of("thermostat.kind")),
                  "", "add temperature = \"300 K\" under [thermostat]");
        }
    }
    void langevin()
    {
        DynamicsSettings& dynamics = deck_.dynamics;
        const bool asked = dynamics.thermostat == ThermostatKind::langevin;
        const bool given = values_.given("run.integrator");
        const std::string integrator = values_.word("run.integrator");
        if (asked && given && !integrator.empty() && integrator != "langevin") {
            fault("thermostat.kind",
                  fmt::format("thermostat.kind = \"langevin\" contradicts {} = \"{}\" (Langevin "
                              "dynamics is an integrator of its own)",
                              with_place("run.integrator"), integrator),
                  "one of the two too many", "remove run.integrator, or choose \"v-rescale\"");
        }
        if (asked) {
            dynamics.integrator = Integrator::langevin;
        }
        if (!asked && integrator == "langevin" && !values_.word("thermostat.kind").empty()) {
            fault("run.integrator",
                  fmt::format("run.integrator = \"langevin\" needs thermostat.kind = \"langevin\" "
                              "(it is \"{}\")",
                              values_.word("thermostat.kind")),
                  "", "add kind = \"langevin\" and temperature = \"300 K\" under [thermostat]");
        }
    }

    void barostat()
    {
        DynamicsSettings& dynamics = deck_.dynamics;
        const std::string word = values_.word("barostat.kind");
        dynamics.barostat = word == "c-rescale" ? BarostatKind::c_rescale : BarostatKind::none;
        dynamics.pressure = values_.get<double>("barostat.pressure").value_or(dynamics.pressure);
        set_positive(dynamics.pressure_time, "barostat.time_constant");
        set_positive(dynamics.compressibility, "barostat.compressibility");
        if (dynamics.barostat == BarostatKind::none) {
            idle_table("barostat");
            return;
        }
        const std::string kind = fmt::format("barostat.kind = \"{}\"", word);
        if (!values_.given("barostat.pressure")) {
            fault("barostat.kind", fmt::format("barostat.pressure is missing ({} holds it)", kind),
                  "", "add pressure = \"1 bar\" under [barostat]");
        }
        plausible_pressure();
        if (!deck_.system.periodic) {
            fault("barostat.kind",
                  fmt::format("{} needs a periodic system (system.periodic = false)", kind), "",
                  "set barostat.kind = \"none\"");
        }
        if (dynamics.thermostat == ThermostatKind::none &&
            !values_.word("thermostat.kind").empty()) {
            fault("barostat.kind",
                  fmt::format("{} needs a temperature (its noise is drawn at the thermostat's)",
                              kind),
                  "", "add a thermostat, such as kind = \"v-rescale\" under [thermostat]");
        }
        if (deck_.dynamics.minimises()) {
            fault("barostat.kind",
                  fmt::format("{} contradicts run.integrator = \"steepest-descent\"", kind), "",
                  "set barostat.kind = \"none\"");
        }
    }

    void plausible_pressure()
    {
        constexpr double most = 1e6, usual = 1e4; // bar: the middle of planets; presses
        const double bar = std::fabs(deck_.dynamics.pressure / units::bar);
        if (bar > most * (1 + 1e-9)) {
            fault("barostat.pressure",
                  fmt::format("barostat.pressure = {} is out of range (beyond {:g} bar, at which "
                              "no liquid or solid of atoms is one)",
                              text_of("barostat.pressure"), most),
                  "too large", "check its unit; \"1 bar\" is usual");
        } else if (bar > usual * (1 + 1e-9)) {
            warn("barostat.pressure",
                 fmt::format("barostat.pressure is {:.4g} bar, beyond what force fields are made "
                             "for",
                             deck_.dynamics.pressure / units::bar),
                 "check its unit; \"1 bar\" is usual");
        }
    }

    /// Links followed, since checkpoints and trajectories are renamed into place: a link to a file
    /// on another disk stays one.
    std::optional<fs::path> output_file(const std::string& path) const
    {
        const auto name = values_.get<std::string>(path);
        if (!name || *name == "none") {
            return std::nullopt;
        }
        fs::path file = beside_deck(*name);
        std::error_code fault;
        for (int links = 0; links < 40 && fs::is_symlink(file, fault); ++links) {
            file = file.parent_path() / fs::read_symlink(file, fault);
        }
        return file;
    }
    /// true, false or an own stride; in steps, 0: not written.
    std::int64_t stride_of(const std::string& path)
    {
        if (const auto flag = values_.get<bool>(path)) {
            return *flag ? deck_.output.every : 0;
        }
        return values_.find(path) == nullptr ? 0 : in_steps(path).value_or(0);
    }

    /// A power of two, so that rounded positions end in zeros; nm.
    double rounding()
    {
        const std::string path = "output.position_rounding";
        if (values_.find(path) == nullptr || !values_.word(path).empty()) {
            return 0;
        }
        constexpr double least = 1e-6, most = 0.01; // nm: float32 at 10 nm; a tenth of a bond
        const double length = values_.get<double>(path).value_or(least);
        if (length < least * (1 - 1e-9) || length > most * (1 + 1e-9)) {
            fault(path,
                  fmt::format("output.position_rounding = {} is out of range ({:g} nm to {:g} nm)",
                              text_of(path), least, most),
                  length > most ? "bonds would be lost"
                  : length > 0  ? "as good as nothing is rounded"
                                : "must be above zero",
                  "\"0.001 nm\" is usual, \"none\" for none");
        }
        return length > 0 ? std::exp2(std::floor(std::log2(length))) : 0;
    }

    void output()
    {
        OutputDeck& output = deck_.output;
        output.trajectory = output_file("output.trajectory");
        const fs::path trajectory = values_.get<std::string>("output.trajectory").value_or("");
        if (output.trajectory && trajectory.extension() != ".h5md") {
            fault("output.trajectory",
                  fmt::format("output.trajectory = {} does not end with .h5md (trajectories are "
                              "written as H5MD)",
                              text_of("output.trajectory")),
                  "must end with .h5md",
                  fmt::format("choose \"{}.h5md\"", trajectory.stem().string()));
        }
        output.log = output_file("output.log");
        output.checkpoint = output_file("output.checkpoint");
        output.every = in_steps("output.every").value_or(output.every);
        output.energies_every = in_steps("output.energies_every").value_or(output.energies_every);
        output.double_positions = values_.word("output.position_precision") == "float64";
        output.position_grid = rounding();
        const std::string packing = values_.word("output.compression");
        output.deflate_level = packing.rfind("deflate-", 0) == 0 ? packing.back() - '0' : 0;
        output.velocities_every = stride_of("output.velocities");
        output.forces_every = stride_of("output.forces");
        set_positive(output.checkpoint_every, "output.checkpoint_every");
        output.time_limit_of_slurm = values_.word("output.time_limit") == "slurm";
        if (values_.find("output.time_limit") != nullptr &&
            values_.word("output.time_limit").empty()) {
            output.time_limit = positive("output.time_limit");
        }
        if ((output.time_limit || output.time_limit_of_slurm) && !output.checkpoint) {
            fault("output.time_limit",
                  "output.time_limit needs a checkpoint (output.checkpoint = \"none\")", "",
                  "name a checkpoint file, or set time_limit = \"none\"");
        }
        output.hash_every = count("output.hash_every", 0);
        if (output.hash_every > 0 && !output.log) {
            fault("output.hash_every",
                  "output.hash_every needs a log to write to (output.log = \"none\")", "",
                  "name a log file, or set hash_every = 0");
        }
        same_file();
        idle_outputs();
    }
    void idle_outputs()
    {
        const OutputDeck& output = deck_.output;
        if (!output.trajectory) {
            for (const char* path :
                 {"output.every", "output.position_precision", "output.position_rounding",
                  "output.compression", "output.velocities", "output.forces"}) {
                idle(path, "there is no trajectory");
            }
        }
        if (!output.trajectory && !output.log) {
            idle("output.energies_every", "there is neither trajectory nor log");
        }
        if (!output.checkpoint) {
            idle("output.checkpoint_every", "there is no checkpoint");
        }
    }
    void same_file()
    {
        const std::vector<std::string> names = {"output.trajectory", "output.log",
                                                "output.checkpoint"};
        for (std::size_t a = 0; a < names.size(); ++a) {
            for (std::size_t b = a + 1; b < names.size(); ++b) {
                const auto first = output_file(names[a]);
                if (first && first == output_file(names[b])) {
                    fault(values_.given(names[b]) ? names[b] : names[a],
                          fmt::format("{} and {} name the same file ({})", names[a], names[b],
                                      first->string()),
                          "", "choose different names");
                }
            }
        }
    }

    void compute()
    {
        ComputeDeck& compute = deck_.compute;
        compute.device = values_.word("compute.device") == "cpu" ? Device::cpu : Device::automatic;
        deck_.nonbonded.precision =
            values_.word("compute.precision") == "mixed" ? Precision::mixed : Precision::fp64;
        if (deck_.nonbonded.precision == Precision::mixed) {
            deck_.nonbonded.list_buffer =
                0.2; // a long list is cheap where tiles are chosen from it
        }
        const std::int64_t threads = count("compute.threads", 0);
        if (threads > 4096) {
            fault("compute.threads",
                  fmt::format("compute.threads = {} is too many (at most 4096)", threads), "",
                  "0 takes all cores given to the rank");
        } else {
            compute.threads = static_cast<int>(threads);
        }
        compute.check_every = count("compute.check_every", 5000);
        if (deck_.dynamics.minimises()) {
            idle("compute.check_every", "minimisers compute in FP64");
        }
        idle("compute.reproducible", "the bits are reproducible at either value");
        deck_.nonbonded.shuffle_seed = static_cast<std::uint64_t>(count("compute.shuffle_seed", 0));
        if (values_.get<bool>("compute.portable").value_or(false)) {
            fault("compute.portable", "compute.portable = true is not built yet", "not built yet",
                  "set portable = false");
        }
    }
};

} // namespace

void read_motion_tables(const DeckValues& values, Deck& deck, Diagnostics& diagnostics)
{
    MotionTables(values, deck, diagnostics).read();
}

} // namespace tessera
