#include "engine/base/error.hpp"
#include "engine/simulation/simulation.hpp"
#include "tests/support/dynamics.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <limits>

namespace tessera
{
namespace
{

using support::at_positions;
using support::forces_of;
using support::massive_atoms;
using ::testing::HasSubstr;

DynamicsSettings descent(double tolerance)
{
    DynamicsSettings s;
    s.integrator = Integrator::steepest_descent;
    s.minimizer_tolerance = tolerance;
    return s;
}

/// Argon (A. Rahman, Phys. Rev. 136, A405 (1964)), in open space.
Simulation argon(const std::vector<Vec3>& positions)
{
    const std::vector<double> charge(positions.size(), 0);
    const std::vector<std::int32_t> type(positions.size(), 0);
    const auto topology =
        finish(support::free_atoms(charge, type, support::mixed_table({0.34}, {0.996})));
    NonbondedSettings open;
    open.electrostatics = Electrostatics::none;
    open.lj_modifier = LjModifier::none;
    return Simulation(topology, open, descent(1e-3), at_positions(positions, {}), 1);
}

/// The same force on every atom at any place, and the same energy.
class Constant : public ForceProvider {
public:
    Constant(double force, double energy) : force_(force), energy_(energy) {}
    [[nodiscard]] std::string_view phase() const override { return "constant"; }
    void add_forces(const Box&, std::span<const Vec3> x, Wanted, int, ForceSums& forces,
                    EnergySums& sums) override
    {
        for (std::size_t a = 0; a < x.size(); ++a) {
            forces.add(a, {force_ * static_cast<double>(a + 1), 0, 0});
        }
        sums.add(EnergyKind::position_restraint, energy_);
    }

private:
    double force_, energy_;
};

class OverlappingAtoms : public ::testing::TestWithParam<double> {};

// Down to the grid of positions, where energies are 1e160 kJ/mol, and to one place.
TEST_P(OverlappingAtoms, ArePulledApartToTheMinimum)
{
    Simulation simulation = argon({{1, 1, 1}, {1 + GetParam(), 1, 1}});

    simulation.run(5000);

    const State& end = simulation.state();
    const double d = norm(to_nm(end.position[0]) - to_nm(end.position[1]));
    EXPECT_NEAR(d, std::pow(2, 1.0 / 6) * 0.34, 1e-5); // the minimum of the potential
    EXPECT_TRUE(simulation.minimised());
    EXPECT_NEAR(simulation.observables().potential, -0.996, 1e-6);
    EXPECT_LT(end.step, 1000);
}

INSTANTIATE_TEST_SUITE_P(AtDistances, OverlappingAtoms,
                         ::testing::Values(0.03, 1e-3, 1e-6, 1e-10, 1e-14, 0.0));

TEST(CoincidentAtoms, AreMovedAsideAlikeInEveryRunAndNamed)
{
    const std::vector<Vec3> three{{1, 1, 1}, {2, 1, 1}, {1, 1, 1}};
    Simulation one = argon(three), two = argon(three);

    one.begin();
    two.begin();

    ASSERT_EQ(one.notes().size(), 1U);
    EXPECT_THAT(one.notes()[0], HasSubstr("on atom 1"));
    EXPECT_THAT(one.notes()[0], HasSubstr(", atom 3"));
    EXPECT_THAT(one.notes()[0], ::testing::Not(HasSubstr("atom 2")));
    EXPECT_EQ(one.state().position, two.state().position);
    EXPECT_EQ(one.state().position[1], to_grid(three[1]));
    EXPECT_TRUE(std::isfinite(one.observables().potential));
}

TEST(CoincidentAtoms, StopDynamicsByName)
{
    const auto topology =
        finish(support::free_atoms({0, 0}, {0, 0}, support::mixed_table({0.34}, {0.996})));
    NonbondedSettings open;
    open.electrostatics = Electrostatics::none;
    Simulation simulation(topology, open, {}, at_positions({{1, 1, 1}, {1, 1, 1}}, {}), 1);

    try {
        simulation.begin();
        FAIL();
    } catch (const PhysicsError& error) {
        EXPECT_THAT(error.what(), HasSubstr("the force on atom "));
    }
}

TEST(SteepestDescent, SaysThatItIsStuckWhereNoStepLowersTheEnergy)
{
    Simulation simulation(finish(massive_atoms({1, 1})), descent(3),
                          at_positions({{0, 0, 0}, {1, 0, 0}}, {}), 1,
                          forces_of(std::make_unique<Constant>(4, 1)));

    simulation.run(1000);

    EXPECT_LT(simulation.state().step, 100);
    EXPECT_TRUE(simulation.is_stuck());
    EXPECT_FALSE(simulation.minimised());
    EXPECT_EQ(simulation.largest_force().force, 8);
    EXPECT_EQ(simulation.largest_force().atom, 1);
    EXPECT_EQ(simulation.observables().largest_force, 8);
    EXPECT_EQ(simulation.observables().largest_force_atom, 1);
    EXPECT_EQ(to_nm(simulation.state().position[1]), Vec3(1, 0, 0));
}

TEST(SteepestDescent, RefusesAnEnergyThatStaysNotFinite)
{
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    for (const auto& [force, energy] : {std::pair{nan, 0.0}, {1.0, nan}, {nan, nan}}) {
        Simulation simulation(finish(massive_atoms({1})), descent(3), at_positions({{}}, {}), 1,
                              forces_of(std::make_unique<Constant>(force, energy)));

        EXPECT_THROW(simulation.begin(), PhysicsError) << force << ' ' << energy;
    }
}

} // namespace
} // namespace tessera
