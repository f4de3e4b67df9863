#include "engine/base/error.hpp"
#include "engine/simulation/accuracy.hpp"
#include "engine/simulation/accuracy_check.hpp"
#include "engine/simulation/simulation.hpp"
#include "tests/support/salt_water.hpp"

#include <gtest/gtest.h>

namespace tessera
{
namespace
{

/// Salt water in mixed precision under thermostat and barostat: virial and cell take part.
struct CheckedRun {
    support::SaltWater system = support::salt_water(4);
    DynamicsSettings dynamics;
    NonbondedSettings checked;
    std::vector<AccuracyCheck::Finding> found;

    CheckedRun()
    {
        system.nonbonded.precision = Precision::mixed;
        const double edge = system.start.box.vectors()[0].x;
        system.nonbonded.lj_cutoff = system.nonbonded.coulomb_cutoff = 0.42 * edge;
        system.nonbonded.ewald_beta = 3.5 / system.nonbonded.coulomb_cutoff;
        checked = system.nonbonded;
        dynamics.generate_velocities = true;
        dynamics.thermostat = ThermostatKind::v_rescale;
        dynamics.barostat = BarostatKind::c_rescale;
        dynamics.couple_every = 2;
        dynamics.timestep = 0.001;
    }

    /// The state after `steps`, checked each `every` steps (0: never).
    State after(std::int64_t steps, std::int64_t every)
    {
        Simulation simulation(system.topology, system.nonbonded, dynamics, system.start, 1);
        AccuracyCheck check(system.topology, checked, dynamics, simulation.degrees_of_freedom(),
                            every, 1, [this](const auto& f) { found.push_back(f); });
        simulation.add_observer(check);
        simulation.run(steps);
        return simulation.state();
    }
};

TEST(AccuracyCheck, FindsARunInMixedPrecisionSoundAndNotFp64)
{
    CheckedRun run;

    run.after(8, 4);

    ASSERT_EQ(run.found.size(), 3U); // steps 0, 4, 8
    const AccuracyMargins margins = margins_of(Precision::mixed);
    for (const AccuracyCheck::Finding& f : run.found) {
        EXPECT_LE(f.force_rms, margins.pair_rms + margins.reciprocal_rms) << in_words(f);
        EXPECT_GE(f.force_rms, margins.least_difference);
        EXPECT_LE(f.force_max, margins.pair_max);
        EXPECT_LE(f.noise_power, margins.noise_power);
        EXPECT_LE(std::fabs(f.pressure), margins.pressure);
        // molecules turned at random: their energies nearly cancel
        EXPECT_LE(f.energy, 10 * margins.energy);
    }
    EXPECT_EQ(run.found[1].step, 4);
}

TEST(AccuracyCheck, FindsFp64WithinTheQuantumOfItsSums)
{
    CheckedRun run;
    run.system.nonbonded.precision = run.checked.precision = Precision::fp64;

    run.after(4, 2);

    for (const AccuracyCheck::Finding& f : run.found) {
        EXPECT_LE(f.force_rms, margins_of(Precision::fp64).pair_rms);
    }
}

TEST(AccuracyCheck, ChangesNoBitOfTheRun)
{
    CheckedRun unchecked, checked;

    const State without = unchecked.after(7, 0);
    const State with = checked.after(7, 3);

    EXPECT_TRUE(unchecked.found.empty());
    EXPECT_EQ(checked.found.size(), 3U);
    EXPECT_EQ(without.position, with.position);
    EXPECT_EQ(without.velocity, with.velocity);
    EXPECT_EQ(without.box, with.box);
}

/// Each kind of wrong forces is a run with other settings than the check is told.
void expect_stop(const std::function<void(NonbondedSettings&)>& spoil, const char* words)
{
    CheckedRun run;
    spoil(run.checked);
    try {
        run.after(2, 1);
        FAIL() << "not stopped; " << in_words(run.found.at(0));
    } catch (const PhysicsError& error) {
        EXPECT_NE(std::string(error.what()).find("step 0, time 0 ps: forces differ from FP64 by"),
                  std::string::npos)
            << error.what();
        EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
    EXPECT_EQ(run.found.size(), 1U); // told before it stops
}

TEST(AccuracyCheck, StopsARunThatMissesPairs)
{
    expect_stop([](NonbondedSettings& s) { s.lj_cutoff *= 1.1; }, "compute.check_every = 0");
}

TEST(AccuracyCheck, StopsARunOfAnotherMesh)
{
    expect_stop([](NonbondedSettings& s) { s.pme_grid = {18, 18, 18}; }, "the largest error is on");
}

TEST(AccuracyCheck, StopsARunOfWrongEnergies)
{
    // a shifted potential has the same forces
    expect_stop([](NonbondedSettings& s) { s.lj_modifier = LjModifier::none; }, "energy");
}

/// Forces cancel on every atom of a perfect crystal, their errors do not.
TEST(AccuracyCheck, LetsACrystalAtRestRun)
{
    constexpr int n = 6;
    constexpr double spacing = 0.28; // nm
    std::vector<double> charge;
    std::vector<std::int32_t> type;
    std::vector<Vec3> x;
    for (int k = 0; k < n * n * n; ++k) {
        const int i = k % n, j = k / n % n, l = k / (n * n);
        const bool is_anion = (i + j + l) % 2 == 1;
        charge.push_back(is_anion ? -1 : 1);
        type.push_back(is_anion ? 1 : 0);
        x.push_back(spacing *
                    Vec3{static_cast<double>(i), static_cast<double>(j), static_cast<double>(l)});
    }
    Topology t = support::free_atoms(charge, type, support::mixed_table({0.24, 0.43}, {0.4, 0.4}));
    t.mass.assign(t.mass.size(), 29.0);
    CheckedRun run;
    run.system.topology = finish(std::move(t));
    run.system.start = support::at_positions(x, {}, support::cube(n * spacing));
    run.system.nonbonded.lj_cutoff = run.system.nonbonded.coulomb_cutoff = 0.8;
    run.system.nonbonded.ewald_beta = 3.9;
    run.system.nonbonded.pme_grid = {20, 20, 20};
    run.checked = run.system.nonbonded;

    run.after(1, 1);

    ASSERT_EQ(run.found.size(), 2U);
    EXPECT_GT(run.found[0].noise_power, 0.0);
}

} // namespace
} // namespace tessera
