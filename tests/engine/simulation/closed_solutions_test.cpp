#include "engine/base/error.hpp"
#include "engine/math/constants.hpp"
#include "engine/simulation/simulation.hpp"
#include "tests/support/dynamics.hpp"

#include <gmock/gmock.h>

namespace tessera
{
namespace
{

using support::at_positions;
using support::forces_of;
using support::HarmonicWells;
using support::massive_atoms;
using support::SoftPairs;

DynamicsSettings bare(Integrator integrator, double dt)
{
    DynamicsSettings s;
    s.integrator = integrator;
    s.timestep = dt;
    s.remove_com_every = 0;
    return s;
}

std::shared_ptr<const Topology> shared(Topology topology)
{
    return finish(std::move(topology));
}

constexpr double spring = 1000, mass = 10; // omega = 10 /ps

Simulation oscillator(Integrator integrator, double dt)
{
    State start = at_positions({{0.1, 0, 0}}, {{0, 0, 0}});
    return Simulation(shared(massive_atoms({mass})), bare(integrator, dt), start, 1,
                      forces_of(std::make_unique<HarmonicWells>(spring)));
}

// Leap-frog and velocity Verlet sample x(t) = x0 cos(w' t) exactly, with sin(w' dt/2) = w dt/2.
class Oscillator : public ::testing::TestWithParam<Integrator> {};

TEST_P(Oscillator, FollowsTheClosedSolutionOfTheDiscreteStep)
{
    const double dt = 0.01;
    Simulation simulation = oscillator(GetParam(), dt);

    simulation.run(1000);

    const double w = 2 / dt * std::asin(0.5 * dt * std::sqrt(spring / mass));
    // forces are rounded to 1.5e-11 kJ/mol/nm: a random walk of 1e3 steps stays below 1e-12 nm
    EXPECT_NEAR(to_nm(simulation.state().position[0]).x, 0.1 * std::cos(w * 1000 * dt), 1e-11);
}

TEST_P(Oscillator, KeepsItsEnergyOverTwentyThousandSteps)
{
    Simulation simulation = oscillator(GetParam(), 0.01);
    const double start = simulation.observables().total;

    simulation.run(20000);

    EXPECT_NEAR(simulation.observables().total / start, 1, 0.003); // (w dt)^2 / 4 at most
}

INSTANTIATE_TEST_SUITE_P(Symplectic, Oscillator,
                         ::testing::Values(Integrator::leap_frog, Integrator::velocity_verlet));

/// Largest deviation of the total energy over 2 ps.
double energy_ripple(Integrator integrator, double dt)
{
    Simulation simulation = oscillator(integrator, dt);
    const double start = simulation.observables().total;
    double largest = 0;
    while (simulation.state().time < 2) {
        simulation.step();
        largest = std::fmax(largest, std::fabs(simulation.observables().total - start));
    }
    return largest;
}

TEST(VelocityVerlet, IsOfSecondOrder)
{
    const double ratio = energy_ripple(Integrator::velocity_verlet, 0.02) /
                         energy_ripple(Integrator::velocity_verlet, 0.01);

    EXPECT_NEAR(ratio, 4, 0.2); // the margin of Merz and Shirts, PLoS ONE 13, e0202764 (2018)
}

TEST(VelocityVerlet, RunsBackToItsStart)
{
    Simulation there = oscillator(Integrator::velocity_verlet, 0.01);
    there.run(500);
    State turned = there.state();
    turned.velocity[0] *= -1;
    Simulation back(shared(massive_atoms({mass})), bare(Integrator::velocity_verlet, 0.01), turned,
                    1, forces_of(std::make_unique<HarmonicWells>(spring)));

    back.run(1000);

    EXPECT_NEAR(to_nm(back.state().position[0]).x, 0.1, 1e-12);
    EXPECT_NEAR(back.state().velocity[0].x, 0, 1e-10);
}

/// U = k/2 (|x_0 - x_1| - length)^2
class Spring : public ForceProvider {
public:
    [[nodiscard]] std::string_view phase() const override { return "spring"; }
    void add_forces(const Box& box, std::span<const Vec3> x, Wanted, int, ForceSums& forces,
                    EnergySums& sums) override
    {
        const Vec3 d = box.shortest(x[0] - x[1]);
        const double stretch = norm(d) - 0.2;
        const Vec3 f = (-500 * stretch / norm(d)) * d;
        forces.add(0, f);
        forces.add(1, -f);
        sums.add(EnergyKind::bond, 250 * stretch * stretch);
        sums.add_virial(-0.5 * outer(d, f));
    }
};

TEST(TwoBodies, KeepMomentumToTheBitAndAngularMomentum)
{
    const State start =
        at_positions({{0, 0, 0}, {0.25, 0, 0}}, {{0.1, 0.5, 0}, {0, -0.5, 0.2}}, support::cube(3));
    Simulation simulation(shared(massive_atoms({8, 16})), bare(Integrator::velocity_verlet, 0.005),
                          start, 1, forces_of(std::make_unique<Spring>()));
    const auto angular = [](const State& s) {
        const Vec3 d = to_nm(s.position[0]) - to_nm(s.position[1]);
        return cross(d, s.velocity[0] - s.velocity[1]);
    };

    simulation.run(2000);

    const State& end = simulation.state();
    const Vec3 p = 8 * end.velocity[0] + 16 * end.velocity[1];
    EXPECT_LT(norm(p - Vec3{0.8, -4, 3.2}), 1e-13); // powers of two: rounding of v alone
    EXPECT_LT(norm(angular(end) - angular(start)), 1e-10);
}

TEST(TwoBodies, CrossTheBoundaryUnnoticed)
{
    const auto run_from = [](const Vec3& shift) {
        const Box box = support::cube(3);
        const State start = at_positions({box.wrap(shift), box.wrap(shift + Vec3{0.25, 0, 0})},
                                         {{0.1, 0.5, 0}, {0, -0.5, 0.2}}, box);
        Simulation simulation(shared(massive_atoms({8, 16})), bare(Integrator::leap_frog, 0.005),
                              start, 1, forces_of(std::make_unique<Spring>()));
        simulation.run(500);
        return std::pair{simulation.state().velocity, simulation.observables().pressure_tensor};
    };

    const auto middle = run_from({1.5, 1.5, 1.5});
    const auto corner = run_from({2.875, 2.9375, 2.96875}); // on the grid: the same bits

    EXPECT_EQ(middle.first, corner.first);
    EXPECT_EQ(middle.second, corner.second);
}

// Two atoms on a rigid rod turn as in the textbook: no force, omega = v_rel / length.
TEST(RigidRotor, TurnsUniformly)
{
    Topology t = massive_atoms({2, 6});
    t.constraints = {{0, 1, 0.1}};
    for (const Integrator integrator : {Integrator::leap_frog, Integrator::velocity_verlet}) {
        // about the resting centre of mass: v0 = 0.75 v, v1 = -0.25 v
        State start = at_positions({{0.075, 0, 0}, {-0.025, 0, 0}}, {{0, 0.75, 0}, {0, -0.25, 0}});
        Simulation simulation(shared(t), bare(integrator, 0.001), start, 1, forces_of());

        simulation.run(10000);

        const Vec3 d =
            to_nm(simulation.state().position[0]) - to_nm(simulation.state().position[1]);
        EXPECT_NEAR(norm(d), 0.1, 1e-13);
        EXPECT_NEAR(simulation.observables().kinetic, 0.5 * 1.5 * 1.0, 1e-4);
        // corrections lie along the old rod: sin of the turn = w dt, (w dt)^2/6 more than w dt
        EXPECT_NEAR(std::atan2(d.y, d.x), std::remainder(100.0 * (1 + 1e-4 / 6), 2 * constants::pi),
                    1e-5);
    }
}

// A rod in rotation pulls with m_red w^2 r: its constraint virial cancels the kinetic energy.
TEST(RigidRotor, ExertsNoPressureOfItsOwn)
{
    Topology t = massive_atoms({2, 6});
    t.constraints = {{0, 1, 0.1}};
    for (const Integrator integrator : {Integrator::leap_frog, Integrator::velocity_verlet}) {
        State start = at_positions({{0.075, 0, 0}, {2.975, 0, 0}}, {{0, 0.75, 0}, {0, -0.25, 0}},
                                   support::cube(3));
        Simulation simulation(shared(t), bare(integrator, 0.001), start, 1, forces_of());

        simulation.run(10);

        const Observables& o = simulation.observables();
        // exact for velocities on step; (w dt)^2/4 relative for the mean of half steps
        EXPECT_NEAR(trace(o.virial) / o.kinetic, 1,
                    integrator == Integrator::leap_frog ? 1e-4 : 1e-9);
        EXPECT_NEAR(o.pressure, 0, 1e-5);
    }
}

// B18: the diamond of five constraints in motion.
TEST(Diamond, StaysRigidInAHundredThousandSteps)
{
    Topology t = massive_atoms({50, 50, 50, 50});
    t.constraints = {
        {0, 1, 0.4904}, {0, 2, 0.6019}, {1, 2, 0.2719}, {3, 1, 0.7237}, {3, 2, 0.5376}};
    DynamicsSettings settings = bare(Integrator::velocity_verlet, 0.002);
    settings.generate_velocities = true;
    Simulation simulation(shared(t), settings,
                          at_positions({{5.566, 7.728, 3.213},
                                        {5.494, 7.973, 3.631},
                                        {5.354, 7.788, 3.773},
                                        {5.295, 7.811, 4.307}},
                                       {}),
                          1, forces_of());
    const double kinetic = simulation.observables().kinetic;

    simulation.run(100000);

    const State& end = simulation.state();
    for (const DistanceConstraint& c : t.constraints) {
        const double d = norm(to_nm(end.position[static_cast<std::size_t>(c.i)]) -
                              to_nm(end.position[static_cast<std::size_t>(c.j)]));
        EXPECT_NEAR(d / c.length, 1, 1e-11); // the case asks for 1e-6
    }
    EXPECT_NEAR(simulation.observables().kinetic / kinetic, 1, 1e-4); // (w dt)^2 of slow tumbling
}

TEST(Instability, NamesStepAtomAndRemedy)
{
    Simulation simulation(shared(massive_atoms({10})), bare(Integrator::velocity_verlet, 0.5),
                          at_positions({{0.1, 0, 0}}, {{0, 0, 0}}), 1,
                          forces_of(std::make_unique<HarmonicWells>(1000)));

    try {
        simulation.run(100);
        FAIL() << "an oscillator with omega dt = 5 must fly apart";
    } catch (const PhysicsError& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr("step "));
        EXPECT_THAT(error.what(), ::testing::HasSubstr("atom 1 (A of RES 1)"));
        EXPECT_THAT(error.what(), ::testing::HasSubstr("shorten run.timestep"));
    }
}

TEST(Instability, NamesTheConstraintThatBroke)
{
    Topology t = massive_atoms({2, 6});
    t.constraints = {{0, 1, 0.1}};
    Simulation simulation(shared(t), bare(Integrator::leap_frog, 0.01),
                          at_positions({{0.075, 0, 0}, {-0.025, 0, 0}}, {{0, 15, 0}, {0, -5, 0}}),
                          1, forces_of());

    try {
        simulation.run(10); // a turn of 2 rad a step
        FAIL();
    } catch (const PhysicsError& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr("step 0, time 0 ps: "));
        EXPECT_THAT(error.what(), ::testing::HasSubstr("atom 1 (A of RES 1) and atom 2"));
        EXPECT_THAT(error.what(), ::testing::HasSubstr("constrained to 0.1 nm"));
    }
}

TEST(Start, RefusesAnAtomWithoutMass)
{
    try {
        Simulation(shared(massive_atoms({10, 0})), bare(Integrator::leap_frog, 0.001),
                   at_positions({{0, 0, 0}, {1, 0, 0}}, {}), 1, forces_of());
        FAIL();
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr("atom 2 (A of RES 1) has mass 0 u"));
    }
}

/// A force that is not a number on one atom.
class Poison : public ForceProvider {
public:
    [[nodiscard]] std::string_view phase() const override { return "poison"; }
    void add_forces(const Box&, std::span<const Vec3>, Wanted, int, ForceSums& forces,
                    EnergySums&) override
    {
        forces.add(1, {0, std::nan(""), 0});
    }
};

TEST(Instability, StopsAtAForceThatIsNotANumber)
{
    Simulation simulation(shared(massive_atoms({10, 10})), bare(Integrator::leap_frog, 0.001),
                          at_positions({{0, 0, 0}, {1, 1, 1}}, {}), 1,
                          forces_of(std::make_unique<Poison>()));

    try {
        simulation.begin();
        FAIL();
    } catch (const PhysicsError& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr("the force on atom 2"));
    }
}

TEST(SteepestDescent, FindsTheBottomOfTheWells)
{
    DynamicsSettings settings = bare(Integrator::steepest_descent, 0.001);
    settings.minimizer_tolerance = 1e-3;
    Topology t = massive_atoms({10, 1, 1});
    t.constraints = {{1, 2, 0.1}};
    Simulation simulation(shared(t), settings,
                          at_positions({{0.3, 0.2, 0.1}, {0.5, 0, 0}, {0.6, 0, 0}}, {}), 1,
                          forces_of(std::make_unique<HarmonicWells>(1000)));

    simulation.run(100000);

    EXPECT_LT(norm(to_nm(simulation.state().position[0])), 1e-5);
    // the rod's middle rests at the origin: U = 2 k/2 0.05^2
    EXPECT_NEAR(simulation.observables().potential, 1000 * 0.05 * 0.05, 1e-6);
    EXPECT_TRUE(simulation.minimised());
}

// B39: the limit is half the shortest height, not half an edge.
TEST(CutOff, IsRefusedBeyondHalfTheShortestHeight)
{
    const Box box(Mat3{{{3.39, 0, 0}, {0, 3.39, 0}, {1.695, 1.695, 2.397092}}});
    NonbondedSettings nonbonded;
    nonbonded.electrostatics = Electrostatics::none;
    nonbonded.lj_cutoff = 1.2;
    nonbonded.coulomb_cutoff = 1.2;

    try {
        Simulation(shared(massive_atoms({10})), nonbonded, bare(Integrator::leap_frog, 0.001),
                   at_positions({{0, 0, 0}}, {}, box), 1);
        FAIL();
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr("1.19855 nm"));
    }
}

} // namespace
} // namespace tessera
