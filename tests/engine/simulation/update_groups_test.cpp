#include "engine/base/error.hpp"
#include "engine/cpu/position_grid.hpp"
#include "engine/cpu/update_groups.hpp"
#include "engine/simulation/simulation.hpp"
#include "tests/support/dynamics.hpp"

#include <gtest/gtest.h>

namespace tessera
{
namespace
{

using support::SoftPairs;

struct Fluid {
    support::WaterLattice lattice = support::water_lattice(3, 0.31);
    ConstraintPlan plan = make_constraint_plan(lattice.topology);
    SoftPairs forces{20, 0.3, lattice.topology};
    State state = support::at_positions(lattice.positions,
                                        std::vector<Vec3>(lattice.positions.size()), lattice.box);

    Fluid() { state.box = PositionGrid(state.box).box(); }

    EnergySums evaluate(const State& at, ForceSums& sums)
    {
        std::vector<Vec3> x;
        for (const GridPosition& g : at.position) {
            x.push_back(to_nm(g));
        }
        EnergySums energies;
        sums = ForceSums(x.size(), SumMode::exact);
        forces.add_forces(at.box, x, {true, true}, 1, sums, energies);
        return energies;
    }
    [[nodiscard]] State scaled(double stretch) const
    {
        State out = state;
        out.box = PositionGrid(Box(stretch * state.box.vectors())).box();
        scale_groups(*plan.update_groups, lattice.topology.mass, state.box, out.box, 1 / stretch,
                     out.position, out.velocity, 1);
        return out;
    }
};

TEST(UpdateGroups, KeepTheirInnerDistancesToTheBit)
{
    Fluid fluid;

    const State after = fluid.scaled(1.01);

    for (std::size_t o = 0; o < after.position.size(); o += 3) {
        for (const std::size_t h : {o + 1, o + 2}) {
            EXPECT_EQ(after.position[h].x - after.position[o].x,
                      fluid.state.position[h].x - fluid.state.position[o].x);
        }
    }
}

TEST(UpdateGroups, ScaleAlikeInEveryImage)
{
    Fluid fluid;
    Fluid far;
    const GridPosition a = to_grid(far.state.box.vectors()[0]);
    for (GridPosition& x : far.state.position) {
        x.x -= 5 * a.x;
    }

    const State here = fluid.scaled(1.01), there = far.scaled(1.01);

    const GridPosition b = to_grid(there.box.vectors()[0]);
    for (std::size_t k = 0; k < here.position.size(); ++k) {
        EXPECT_EQ(here.position[k].x, there.position[k].x + 5 * b.x);
    }
}

TEST(UpdateGroups, AreMadeWholeAcrossTheBoundary)
{
    Fluid fluid;
    State broken = fluid.state;
    for (GridPosition& x : broken.position) {
        x = to_grid(broken.box.wrap(to_nm(x) + Vec3{0.15, 0.1, 0.05}));
    }

    make_groups_whole(fluid.lattice.topology, fluid.plan, broken.box, broken.position);

    for (std::size_t o = 0; o < broken.position.size(); o += 3) {
        for (const std::size_t h : {o + 1, o + 2}) {
            EXPECT_NEAR(norm(to_nm(broken.position[h]) - to_nm(broken.position[o])),
                        support::water_oh, 1e-12);
        }
    }
}

// Rigid bodies: what constraint forces do to the atoms' pressure is what turning does to their
// kinetic energy, so both ways of counting agree at every instant.
TEST(UpdateGroups, OfRigidWatersHaveTheAtomsPressure)
{
    Fluid fluid;
    DynamicsSettings settings;
    settings.integrator = Integrator::velocity_verlet;
    settings.timestep = 0.001;
    settings.generate_velocities = true;
    auto topology = finish(fluid.lattice.topology);
    Simulation simulation(topology, settings, fluid.state, 1,
                          support::forces_of(std::make_unique<SoftPairs>(fluid.forces)));
    simulation.run(20);
    ForceSums forces;
    const EnergySums energies = fluid.evaluate(simulation.state(), forces);

    const GroupMotion groups =
        measure_groups(*fluid.plan.update_groups, topology->mass, simulation.state().position,
                       simulation.state().velocity, forces, 1);
    const Observables& o = simulation.observables();
    const double by_groups =
        trace(groups.kinetic) - trace(energies.virial() + groups.virial_correction);

    EXPECT_NEAR(by_groups / (o.kinetic - trace(o.virial)), 1, 1e-9);
}

} // namespace
} // namespace tessera
