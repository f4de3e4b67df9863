#include "engine/app/load.hpp"
#include "engine/app/start_state.hpp"
#include "engine/simulation/accuracy.hpp"
#include "engine/simulation/reference_pairs.hpp"
#include "engine/simulation/simulation.hpp"
#include "engine/simulation/single_point.hpp"
#include "tests/oracle/evaluate.hpp"
#include "tests/support/dynamics.hpp"
#include "tests/support/salt_water.hpp"
#include "tests/support/waters.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace tessera
{
namespace
{

const Mat3 tilted{{{2.6, 0, 0}, {0.9, 2.5, 0}, {-0.8, 0.7, 2.4}}};

/// A system, its settings in mixed precision, and a state that meets its constraints.
struct Case {
    std::shared_ptr<const Topology> topology;
    NonbondedSettings nonbonded;
    DynamicsSettings dynamics;
    std::vector<State> states;
    double ndf = 0;
};

/// The start of a simulation, and the state after some steps.
Case moved(std::shared_ptr<const Topology> topology, NonbondedSettings nonbonded,
           DynamicsSettings dynamics, State start, std::int64_t steps)
{
    nonbonded.precision = Precision::mixed;
    Case out{topology, nonbonded, dynamics, {}, 0};
    Simulation simulation(topology, nonbonded, dynamics, std::move(start), 1);
    simulation.begin();
    out.states.push_back(simulation.state());
    simulation.run(steps);
    if (steps > 0) {
        out.states.push_back(simulation.state());
    }
    out.ndf = simulation.degrees_of_freedom();
    return out;
}

Case from_deck(const std::string& name, std::int64_t steps)
{
    DeckOptions options;
    options.deck = std::string(TESSERA_SOURCE_DIR "/inputs/") + name + "/run.toml";
    const LoadedSystem system = load_system(options, false, Voice::silent);
    Diagnostics diagnostics;
    return moved(system.assembly.topology, system.assembly.nonbonded, system.deck.dynamics,
                 start_state(system.deck, system.assembly, diagnostics), steps);
}

/// Four-site waters and sodium ions in a tilted cell: virtual sites, a net charge.
Case tilted_waters(int waters = 60)
{
    support::System s = support::waters_and_ions(waters, 4, tilted, 11);
    NonbondedSettings nonbonded;
    nonbonded.lj_cutoff = nonbonded.coulomb_cutoff = 1.0;
    nonbonded.ewald_beta = 3.1;
    nonbonded.pme_grid = {24, 24, 24};
    nonbonded.pme_order = 5;
    return moved(finish(std::move(s.topology)), nonbonded, {},
                 support::at_positions(s.positions, {}, Box(tilted)), 0);
}

AccuracyStudy study_of(const Case& c)
{
    return {c.topology, c.nonbonded, c.ndf, c.dynamics.timestep, 300, 1};
}

void expect_within(const AccuracyStudy& study)
{
    for (const AccuracyRow& row : study.rows()) {
        EXPECT_TRUE(row.within()) << row.text << ": " << row.value << " against " << row.margin;
    }
}

const AccuracyRow& row_of(const std::vector<AccuracyRow>& rows, const std::string& key)
{
    for (const AccuracyRow& row : rows) {
        if (row.key == key) {
            return row;
        }
    }
    throw std::out_of_range(key);
}

std::vector<Vec3> in_nm(const State& state)
{
    std::vector<Vec3> x;
    for (const GridPosition& g : state.position) {
        x.push_back(to_nm(g));
    }
    return x;
}

/// FP64 agrees with the plain path to the quantum of its sums, whatever the system.
void expect_fp64_agrees(Case c)
{
    c.nonbonded.precision = Precision::fp64;
    AccuracyStudy study = study_of(c);

    study.add(c.states.front());

    expect_within(study);
}

TEST(AccuracyStudy, FindsFp64WithinTheQuantumOfItsSumsInSaltWater)
{
    support::SaltWater s = support::salt_water(4);
    expect_fp64_agrees(moved(s.topology, s.nonbonded, {}, s.start, 0));
}

TEST(AccuracyStudy, FindsFp64WithinTheQuantumOfItsSumsInATiltedCellWithSites)
{
    expect_fp64_agrees(tilted_waters());
}

TEST(AccuracyStudy, FindsFp64WithinTheQuantumOfItsSumsInLiquidArgon)
{
    expect_fp64_agrees(from_deck("argon", 20));
}

TEST(AccuracyStudy, FindsMixedWithinItsMarginsAndNotFp64InASolvatedPeptide)
{
    const Case c = from_deck("alanine-prmtop", 10);
    AccuracyStudy study = study_of(c);

    for (const State& state : c.states) {
        study.add(state);
    }

    EXPECT_TRUE(study.has_fp32_pairs());
    EXPECT_EQ(row_of(study.rows(), "pair_difference").sense, AccuracyRow::Sense::at_least);
    expect_within(study);
}

TEST(AccuracyStudy, FindsMixedWithinItsMarginsInATiltedCellWithSites)
{
    const Case c = tilted_waters();
    AccuracyStudy study = study_of(c);

    study.add(c.states.front());

    EXPECT_TRUE(study.has_fp32_pairs());
    expect_within(study);
}

TEST(AccuracyStudy, FindsMixedWithinItsMarginsInArgonThatMelts)
{
    const Case c = from_deck("argon", 50);
    AccuracyStudy study = study_of(c);

    study.add(c.states.back());

    expect_within(study);
}

/// A shorter cut-off plays a mode that is too coarse: the study must say so.
TEST(AccuracyStudy, FindsForcesOfAnotherCutOffBeyondTheMargins)
{
    const Case c = tilted_waters();
    NonbondedSettings shorter = c.nonbonded;
    shorter.lj_cutoff = 0.9;
    AccuracyStudy study = study_of(c);
    ForceClasses other(c.topology, shorter, PairPath::production);
    ForceClasses reference(c.topology, c.nonbonded, PairPath::reference);
    const std::vector<Vec3> x = in_nm(c.states.front());

    const FrameAccuracy found =
        study.compare(c.states.front(), other.evaluate(c.states.front().box, x, 1),
                      reference.evaluate(c.states.front().box, x, 1));

    const double force = found.force_rms();
    EXPECT_GT(found.error[0].rms() / force, margins_of(Precision::mixed).pair_rms);
    EXPECT_GT(found.noise_power, margins_of(Precision::mixed).noise_power);
}

/// Noise of 1e-5, 1e-4, 1e-3 of the rms force, each found by both tests at its size.
void expect_controls_found(const Case& c)
{
    AccuracyStudy study = study_of(c);
    study.add(c.states.front());
    const AccuracyMargins margins = margins_of(Precision::mixed);

    for (const double relative : {1e-5, 1e-4, 1e-3}) {
        const PositiveControl control = study.inject_noise(relative, 17);

        ASSERT_TRUE(control.expected);
        EXPECT_TRUE(control.is_found())
            << relative << ": T1 found " << control.found << ", T2 " << control.power << " where "
            << control.expected->power << " +- " << control.expected->deviation << " was expected";
        EXPECT_GT(control.found, margins.pair_rms);
        EXPECT_LT(control.expected->deviation, 0.2 * control.expected->power) << "tells nothing";
    }
}

TEST(AccuracyStudy, FindsInjectedNoiseInASolvatedPeptideWithConstraints)
{
    const Case c = from_deck("alanine-prmtop", 0);
    expect_controls_found(c);

    AccuracyStudy study = study_of(c);
    study.add(c.states.front());
    EXPECT_GT(study.inject_noise(1e-5, 17).power, margins_of(Precision::mixed).noise_power);
}

TEST(AccuracyStudy, FindsInjectedNoiseInATiltedCellWithSites)
{
    expect_controls_found(tilted_waters());
}

TEST(AccuracyStudy, FindsInjectedNoiseInArgonThatMelts)
{
    Case c = from_deck("argon", 50);
    c.states.erase(c.states.begin());
    expect_controls_found(c);
}

TEST(AccuracyStudy, JoinsFramesByTheirLargestAndTheirMean)
{
    const Case c = from_deck("argon", 30);
    AccuracyStudy study = study_of(c);

    const double first = study.add(c.states.front()).noise_power;
    const double second = study.add(c.states.back()).noise_power;

    const FrameAccuracy all = study.joined();
    const auto& frames = study.frames();
    EXPECT_DOUBLE_EQ(all.noise_power, 0.5 * (first + second));
    EXPECT_EQ(all.error[0].atoms, 2 * c.topology->atoms());
    EXPECT_EQ(all.error[0].largest,
              std::max(frames[0].error[0].largest, frames[1].error[0].largest));
    EXPECT_DOUBLE_EQ(all.force_square, frames[0].force_square + frames[1].force_square);
}

TEST(AccuracyStudy, TellsErrorsOfEachElement)
{
    const Case c = from_deck("alanine-prmtop", 0);
    AccuracyStudy study = study_of(c);

    const FrameAccuracy& frame = study.add(c.states.front());

    std::int64_t atoms = 0;
    double square = 0;
    for (const auto& [element, errors] : frame.element_error) {
        atoms += errors[0].atoms;
        square += errors[0].square;
    }
    EXPECT_EQ(frame.element_error.size(), 4U); // C, H, N, O
    EXPECT_EQ(atoms, c.topology->atoms());
    EXPECT_NEAR(square, frame.error[0].square, 1e-12 * square); // order of summation
}

/// The forces that the study judges by are themselves right: against the oracle, which shares no
/// formula with the engine.
TEST(ForceClasses, OfTheReferencePathEqualTheOracle)
{
    for (const auto electrostatics : {Electrostatics::ewald, Electrostatics::reaction_field}) {
        for (const auto modifier : {LjModifier::potential_shift, LjModifier::force_switch,
                                    LjModifier::potential_switch, LjModifier::none}) {
            Case c = tilted_waters(12);
            c.nonbonded.precision = Precision::fp64;
            c.nonbonded.electrostatics = electrostatics;
            c.nonbonded.lj_modifier = modifier;
            c.nonbonded.lj_cutoff = 0.95;
            const std::vector<Vec3> x = in_nm(c.states.front());
            ForceClasses classes(c.topology, c.nonbonded, PairPath::reference);

            const ForcesByClass found = classes.evaluate(c.states.front().box, x, 2);

            const oracle::Answer expected = oracle::evaluate(
                *c.topology, c.nonbonded, oracle::Cell(c.states.front().box.vectors()), x);
            std::vector<Vec3> forces;
            for (std::size_t a = 0; a < x.size(); ++a) {
                forces.push_back(expected.force(a));
            }
            constexpr double double_sums = 1e-11; // two FP64 sums in different orders
            EXPECT_LT(support::relative_rms(found.of(ForceClass::total), forces), double_sums);
            EXPECT_NEAR(found.sums.potential(), expected.total(),
                        double_sums * std::fabs(expected.total()));
            EXPECT_LT(support::largest_element(found.sums.virial() - expected.virial),
                      double_sums * support::largest_element(expected.virial));
        }
    }
}

/// A cell that is only three bricks wide in one direction and many in another.
TEST(ReferencePairs, FindsEveryPairOfALongThinCell)
{
    const Mat3 cell{{{9.0, 0, 0}, {0.8, 1.7, 0}, {-2.0, 0.3, 1.65}}};
    const std::vector<Vec3> x = support::scattered(400, cell, 0.1, 5);
    const Topology t =
        support::free_atoms(std::vector<double>(400, 0.0), std::vector<std::int32_t>(400, 0),
                            support::mixed_table({0.2}, {0.1}));
    NonbondedSettings s;
    s.lj_cutoff = s.coulomb_cutoff = 0.8;
    s.electrostatics = Electrostatics::none;
    s.lj_modifier = LjModifier::none;

    ForceSums forces(x.size(), SumMode::exact);
    EnergySums sums;
    add_reference_pairs(t, s, Box(cell), x, 2, forces, sums);

    oracle::Answer expected(x.size());
    oracle::add_pairs(expected, t, s, oracle::Cell(cell), x);
    EXPECT_NEAR(sums.energy(EnergyKind::lj), expected.of(EnergyKind::lj),
                1e-11 * std::fabs(expected.of(EnergyKind::lj)));
}

TEST(ForceClasses, SumToTheForcesOfASinglePoint)
{
    for (const Case& c : {tilted_waters(), from_deck("alanine-prmtop", 5)}) {
        const State& state = c.states.back();
        const std::vector<Vec3> x = in_nm(state);
        ForceClasses classes(c.topology, c.nonbonded, PairPath::production);

        const ForcesByClass found = classes.evaluate(state.box, x, 2);

        const SinglePoint whole = single_point(c.topology, c.nonbonded, state.box, x, 1);
        EXPECT_EQ(found.of(ForceClass::total), whole.forces);
        EXPECT_EQ(found.sums, whole.sums);
    }
}

TEST(NoisePower, OfFreeAtomsIsTheSumOverThem)
{
    const Topology t = support::massive_atoms({2.0, 5.0});
    NoisePower power(t, 3, 0.002, 300);
    const std::vector<GridPosition> x(2);

    const double found = power.of({}, x, std::vector<Vec3>{{1, 0, 0}, {0, 3, 4}}, 1).power;

    // (dt/2) (1/2 + 25/5)/(3 kT), times 1000 ps/ns
    EXPECT_NEAR(found, 1000 * 0.001 * 5.5 / (3 * 0.00831446261815324 * 300), 1e-12);
}

TEST(NoisePower, KnowsThatConstraintsBearWhatActsAlongThem)
{
    Topology t = support::massive_atoms({2.0, 5.0});
    t.constraints.push_back({0, 1, 0.1});
    NoisePower power(t, 2, 0.002, 300);
    const std::vector<GridPosition> x{to_grid({0, 0, 0}), to_grid({0.1, 0, 0})};

    const auto along = power.of({}, x, std::vector<Vec3>{{7, 0, 0}, {-7, 0, 0}}, 1);
    const auto across = power.of({}, x, std::vector<Vec3>{{0, 7, 0}, {0, -7, 0}}, 1);

    EXPECT_NEAR(along.power, 0, 1e-20);
    // -1/2 r F = -1/2 (0.1) (7): what the constraint answers is +7 on the right atom
    EXPECT_NEAR(along.constraint_virial[0].x, -0.35, 1e-10);
    EXPECT_NEAR(across.power,
                1000 * 0.001 * (49 / 2.0 + 49 / 5.0) / (2 * 0.00831446261815324 * 300), 1e-10);
}

/// A chain of forty atoms of different masses in one network: prediction and solver agree.
TEST(NoisePower, FindsWhiteNoiseOfALongChainAsPredicted)
{
    std::vector<double> mass;
    std::vector<GridPosition> x;
    for (std::uint32_t a = 0; a < 40; ++a) {
        mass.push_back(a % 3 == 0 ? 1 : 12 + a);
        x.push_back(to_grid(Vec3{0.1 * a, 0, 0} + 0.03 * support::scattered(a)));
    }
    Topology t = support::massive_atoms(mass);
    for (std::int32_t a = 0; a + 1 < 40; ++a) {
        t.constraints.push_back({a, a + 1,
                                 norm(nearest_side({}, x[static_cast<std::size_t>(a)],
                                                   x[static_cast<std::size_t>(a + 1)]))});
    }
    NoisePower power(t, 80, 0.002, 300);

    const auto expected = power.of_white_noise({}, x, 2.0);
    constexpr int samples = 400;
    double sum = 0;
    for (int s = 0; s < samples; ++s) {
        std::vector<Vec3> noise;
        for (std::uint32_t a = 0; a < 40; ++a) {
            RandomStream random(7, a, s, RandomPurpose::test);
            const auto xy = random.normal2();
            noise.push_back(2.0 * Vec3{xy[0], xy[1], random.normal2()[0]});
        }
        sum += power.of({}, x, noise, 1).power;
    }

    ASSERT_TRUE(expected);
    EXPECT_NEAR(sum / samples, expected->power, 4 * expected->deviation / std::sqrt(samples));
    EXPECT_LT(4 * expected->deviation / std::sqrt(samples), 0.1 * expected->power)
        << "tells nothing";
}

/// One degree of freedom of five of a dumb-bell is frozen: tr(Q M^-1) by hand. Along the bond the
/// centre of mass alone moves: 1/(m1 + m2) instead of 1/m1 + 1/m2.
TEST(NoisePower, PredictsWhiteNoiseOfADumbBell)
{
    Topology t = support::massive_atoms({2.0, 5.0});
    t.constraints.push_back({0, 1, 0.1});
    NoisePower power(t, 2, 0.002, 300);
    const std::vector<GridPosition> x{to_grid({0, 0, 0}), to_grid({0.06, 0.08, 0})};

    const auto expected = power.of_white_noise({}, x, 3.0);

    ASSERT_TRUE(expected);
    const double first = 2 * (1 / 2.0 + 1 / 5.0) + 2 / 7.0;
    const double second = 2 * (1 / 4.0 + 1 / 25.0) + 4 / 49.0;
    const double scale = 1000 * 0.001 * 9 / (2 * 0.00831446261815324 * 300);
    EXPECT_NEAR(expected->power, scale * first, 1e-10);
    EXPECT_NEAR(expected->deviation, scale * std::sqrt(2 * second), 1e-10);
}

} // namespace
} // namespace tessera
