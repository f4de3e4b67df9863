#include "engine/math/units.hpp"
#include "io/deck.hpp"
#include "io/deck_keys.hpp"
#include "io/quantity.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace tessera
{
namespace
{

const std::string good = TESSERA_SOURCE_DIR "/tests/inputs/good/";

Deck read_good(const std::string& name, const std::vector<std::string>& sets = {})
{
    Diagnostics diagnostics;
    Deck deck = read_deck(good + name, sets, diagnostics);
    diagnostics.throw_if_any();
    return deck;
}

std::string faults_of(const std::string& text, const std::vector<std::string>& sets = {})
{
    Diagnostics diagnostics;
    parse_deck(text, good + "deck.toml", sets, diagnostics);
    try {
        diagnostics.throw_if_any();
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

const std::string system_table =
    "[system]\ntopology = \"water.top\"\ncoordinates = \"water.gro\"\n";
const std::string fp64 = "[compute]\nprecision = \"fp64\"\n";

/// Two roundings of a factor and a number as text.
double two_roundings(double value)
{
    return 4e-16 * value;
}

TEST(Deck, TakesDefaultsFromTheTableOfKeys)
{
    const Deck deck = read_good("minimal.toml");

    EXPECT_EQ(deck.nonbonded.lj_modifier, LjModifier::potential_shift);
    EXPECT_EQ(deck.nonbonded.electrostatics, Electrostatics::pme);
    EXPECT_EQ(deck.dynamics.integrator, Integrator::leap_frog);
    EXPECT_EQ(deck.dynamics.timestep, 0.002);
    EXPECT_EQ(deck.dynamics.steps, 5000);
    EXPECT_EQ(deck.dynamics.thermostat, ThermostatKind::none);
    EXPECT_EQ(deck.output.every, 5000);
    EXPECT_EQ(deck.output.energies_every, 500);
    EXPECT_EQ(deck.output.checkpoint_every, 900);
    EXPECT_FALSE(deck.output.time_limit.has_value());
    EXPECT_TRUE(deck.run.rigid_water);
    EXPECT_EQ(*deck.pme.spacing, 0.12);
}

TEST(Deck, ReadsEveryKey)
{
    const Deck deck = read_good("all-keys.toml");

    EXPECT_EQ(deck.system.coulomb_constant, CoulombConstant::codata);
    EXPECT_THAT(deck.system.define, testing::ElementsAre("POSRES", "POSRES_FC=1000"));
    EXPECT_EQ(deck.nonbonded.lj_cutoff, 0.9);
    EXPECT_EQ(deck.nonbonded.coulomb_cutoff, 1.0);
    EXPECT_EQ(deck.nonbonded.lj_modifier, LjModifier::force_switch);
    EXPECT_NEAR(deck.nonbonded.lj_switch, 0.8, two_roundings(0.8));
    EXPECT_EQ(deck.nonbonded.dispersion_correction, DispersionCorrection::energy_and_pressure);
    EXPECT_TRUE(deck.nonbonded.coulomb_potential_shift);
    EXPECT_TRUE(deck.exact_list);
    EXPECT_EQ(deck.nonbonded.pme_grid, (std::array<int, 3>{24, 24, 24}));
    EXPECT_FALSE(deck.pme.spacing.has_value());
    EXPECT_EQ(deck.nonbonded.pme_order, 5);
    EXPECT_EQ(deck.pme.tolerance, 1e-6);
    EXPECT_EQ(deck.dynamics.integrator, Integrator::velocity_verlet);
    EXPECT_EQ(deck.dynamics.steps, 10000);
    EXPECT_EQ(deck.dynamics.seed, 7U);
    EXPECT_EQ(deck.run.constraints, ConstraintChoice::all_bonds);
    EXPECT_TRUE(deck.dynamics.generate_velocities);
    EXPECT_EQ(deck.dynamics.velocity_temperature, 290);
    EXPECT_EQ(deck.dynamics.remove_com_every, 0);
    EXPECT_EQ(deck.dynamics.thermostat, ThermostatKind::v_rescale);
    EXPECT_EQ(deck.dynamics.temperature, 310);
    EXPECT_EQ(deck.dynamics.temperature_time, 0.5);
    EXPECT_EQ(deck.dynamics.thermostat_seed, 8U);
    EXPECT_EQ(deck.dynamics.barostat, BarostatKind::c_rescale);
    EXPECT_NEAR(deck.dynamics.pressure, 2.0265 * units::bar, two_roundings(2.0265 * units::bar));
    EXPECT_NEAR(deck.dynamics.compressibility, 5e-5 / units::bar, two_roundings(1e-3));
    EXPECT_EQ(deck.output.every, 100);
    EXPECT_TRUE(deck.output.double_positions);
    EXPECT_EQ(deck.output.position_grid, 0x1p-10); // the power of two below 0.001 nm
    EXPECT_EQ(deck.output.deflate_level, 4);
    EXPECT_EQ(deck.output.velocities_every, 100);
    EXPECT_EQ(deck.output.forces_every, 100);
    EXPECT_FALSE(deck.output.trajectory.has_value());
    EXPECT_EQ(*deck.output.time_limit, 1800);
    EXPECT_EQ(deck.output.hash_every, 7);
    EXPECT_EQ(deck.compute.threads, 2);
    EXPECT_EQ(deck.nonbonded.shuffle_seed, 3U);
}

TEST(Deck, TellsNoWarningsOfAGoodDeck)
{
    Diagnostics diagnostics;
    read_deck(good + "all-keys.toml", {}, diagnostics);

    EXPECT_THAT(diagnostics.warnings(), testing::IsEmpty());
}

TEST(Deck, FindsPathsBesideItself)
{
    const Deck deck = read_good("minimal.toml");

    EXPECT_EQ(deck.system.topology.string(), good + "water.top");
    EXPECT_EQ(deck.output.trajectory->string(), good + "traj.h5md");
}

TEST(Deck, TakesEveryPairInOpenSpaceWithoutCutoff)
{
    const Deck deck = read_good("open-space.toml");

    EXPECT_TRUE(std::isinf(deck.nonbonded.lj_cutoff));
    EXPECT_EQ(deck.nonbonded.electrostatics, Electrostatics::cutoff);
    EXPECT_EQ(deck.nonbonded.lj_modifier, LjModifier::none);
}

TEST(Deck, TakesAnInfinitePermittivity)
{
    EXPECT_TRUE(std::isinf(read_good("flexible-water.toml").nonbonded.reaction_field_permittivity));
}

TEST(Deck, MakesTheIntegratorLangevinWithItsThermostat)
{
    const Deck deck =
        read_good("minimal.toml", {"thermostat.kind=langevin", "thermostat.temperature=300 K"});

    EXPECT_EQ(deck.dynamics.integrator, Integrator::langevin);
}

TEST(Deck, FollowsTheRunsSeedInTheThermostat)
{
    EXPECT_EQ(read_good("minimal.toml", {"run.seed=5"}).dynamics.thermostat_seed, 5U);
}

TEST(Deck, RoundsDefaultStridesToTheStep)
{
    const Deck deck = read_good("minimal.toml", {"run.timestep=3 fs"});

    EXPECT_EQ(deck.output.every, 3333);
}

TEST(Deck, TakesTheStrideOfFramesForVelocitiesWrittenAsATime)
{
    const OutputDeck output = read_good("minimal.toml", {"output.velocities=10 ps"}).output;

    EXPECT_EQ(output.velocities_every, output.every);
}

TEST(Deck, TakesStridesOfTheirOwnForVelocitiesAndForces)
{
    const OutputDeck output =
        read_good("minimal.toml", {"output.velocities=20 ps", "output.forces=4 fs"}).output;

    EXPECT_EQ(output.every, 5000);
    EXPECT_EQ(output.velocities_every, 10000);
    EXPECT_EQ(output.forces_every, 2);
}

TEST(Deck, EchoesEveryValueUsed)
{
    const Deck deck = read_good("minimal.toml");
    std::map<std::string, std::string> echo(deck.values.begin(), deck.values.end());

    EXPECT_EQ(echo["nonbonded.cutoff"], "\"1.0 nm\"");
    EXPECT_EQ(echo["run.steps"], "5000");
}

TEST(Deck, KnowsThePlaceOfAKey)
{
    const Deck deck = read_good("minimal.toml", {"run.steps=3"});

    EXPECT_EQ(deck.place_of("nonbonded.cutoff").line, 6);
    EXPECT_EQ(deck.place_of("nonbonded.cutoff").column, 10);
    EXPECT_EQ(deck.place_of("run.steps").file, "--set run.steps=3");
    EXPECT_EQ(deck.place_of("run.timestep").line, 0);
}

TEST(Deck, ReportsAllFaultsAtOnceInTheGrammarOfMessages)
{
    const std::string text =
        faults_of(system_table + "[nonbonded]\ncutoff = 0.9\n[run]\nstep = 5\n" + fp64);

    EXPECT_EQ(text, good +
                        "deck.toml:7:1: unknown key run.step\n"
                        "    7 | step = 5\n"
                        "      | ^^^^ unknown\n"
                        " hint: did you mean steps?\n" +
                        good +
                        "deck.toml:5:10: nonbonded.cutoff = 0.9 has no unit (a length needs one)\n"
                        "    5 | cutoff = 0.9\n"
                        "      |          ^^^ \"nm\", \"Å\" or \"pm\" would do\n"
                        " hint: write \"0.9 nm\", \"0.9 Å\" or \"0.9 pm\"");
}

TEST(Deck, GuessesAUnitByItsLettersAlone)
{
    const std::string run = system_table + fp64 + "[run]\ntimestep = ";

    EXPECT_THAT(faults_of(run + "\"0.002 PS\"\n"),
                testing::HasSubstr("did you mean \"0.002 ps\"?"));
    EXPECT_THAT(faults_of(run + "\"2 rs\"\n"), testing::Not(testing::HasSubstr("did you mean")));
}

TEST(Deck, TellsOneFaultOfGrammarAlone)
{
    const std::string text = faults_of("[system\n");

    EXPECT_THAT(text, testing::HasSubstr("the deck is not valid TOML"));
    EXPECT_THAT(text, testing::Not(testing::HasSubstr("missing")));
}

TEST(DeckKeys, HaveReadableDefaultsAndNoDuplicates)
{
    std::set<std::string_view> seen;
    for (const DeckKey& key : deck_keys()) {
        EXPECT_TRUE(seen.insert(key.path).second) << key.path;
        EXPECT_FALSE(key.doc.empty()) << key.path;
    }
    // a default that cannot be read would throw or be told as a fault
    EXPECT_EQ(faults_of(system_table + "[nonbonded]\ncutoff = \"1 nm\"\n" + fp64), "");
}

TEST(Quantity, ReadsEverySpellingOfEveryUnit)
{
    for (int k = 1; k <= static_cast<int>(Dimension::force); ++k) {
        const auto dimension = static_cast<Dimension>(k);
        for (const UnitName& unit : units_of(dimension)) {
            for (const char* blank : {"", " ", "  "}) {
                if (unit.name.front() == '1' && *blank == '\0') {
                    continue; // "2.51/nm" is 2.51 a nanometre
                }
                const QuantityReading reading =
                    read_quantity("2.5" + std::string(blank) + std::string(unit.name), dimension);
                EXPECT_TRUE(reading.valid) << unit.name;
                EXPECT_EQ(reading.value, 2.5 * unit.factor) << unit.name;
            }
        }
    }
}

TEST(Quantity, ConvertsPressuresByTheirDefinitions)
{
    EXPECT_NEAR(read_quantity("1 atm", Dimension::pressure).value,
                read_quantity("101325 Pa", Dimension::pressure).value, two_roundings(0.07));
    EXPECT_NEAR(read_quantity("0.1 MPa", Dimension::pressure).value,
                read_quantity("1 bar", Dimension::pressure).value, two_roundings(0.07));
}

TEST(Quantity, TakesSignsAndExponents)
{
    EXPECT_EQ(read_quantity("+1e-3 nm", Dimension::length).value, 1e-3);
    EXPECT_EQ(read_quantity("-1.5 bar", Dimension::pressure).value, -1.5 * units::bar);
}

} // namespace
} // namespace tessera
