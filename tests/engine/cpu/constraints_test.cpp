#include "engine/base/error.hpp"
#include "engine/cpu/constraints.hpp"
#include "engine/cpu/simd/simd_choice.hpp"
#include "tests/support/dynamics.hpp"

#include <gmock/gmock.h>

namespace tessera
{
namespace
{

using support::scattered;

struct Projected {
    std::vector<GridPosition> positions;
    std::vector<Vec3> correction;
    std::optional<BrokenConstraint> broken;
};

Projected project(Constraints& constraints, const State& state, const std::vector<Vec3>& moved,
                  int threads = 1)
{
    Projected out{state.position, std::vector<Vec3>(moved.size()), {}};
    out.broken =
        constraints.constrain_positions(state.box, state.position, moved, out.correction, threads);
    for (std::size_t a = 0; a < moved.size(); ++a) {
        const GridPosition d = to_grid(moved[a] + out.correction[a]);
        out.positions[a].x += d.x;
        out.positions[a].y += d.y;
        out.positions[a].z += d.z;
    }
    return out;
}

Constraints constraints_of(const Topology& topology)
{
    return Constraints(topology, make_constraint_plan(topology));
}

std::vector<Vec3> jolts(std::size_t atoms, double size)
{
    std::vector<Vec3> out;
    for (std::size_t a = 0; a < atoms; ++a) {
        out.push_back(size * scattered(static_cast<std::uint32_t>(a), 77));
    }
    return out;
}

// a step of 2 fs at 300 K moves hydrogens by 0.005 nm
constexpr double thermal_jolt = 0.005;
// the grid of positions is 3.6e-15 nm: lengths of 0.1 nm hold to 1e-13 relative
constexpr double of_the_grid = 2e-12;

TEST(Settle, RestoresTheShapeOfEveryWater)
{
    auto water = support::water_lattice(4, 0.31);
    Constraints constraints = constraints_of(water.topology);
    const State state = support::at_positions(water.positions, {}, water.box);

    const Projected done = project(constraints, state, jolts(water.positions.size(), thermal_jolt));

    EXPECT_FALSE(done.broken);
    EXPECT_LT(constraints.largest_deviation(water.box, done.positions), of_the_grid);
}

/// Every water a network of three constraints.
ConstraintPlan as_networks(const std::vector<RigidWater>& waters)
{
    ConstraintPlan plan;
    for (const RigidWater& w : waters) {
        plan.network_atoms.add_row({w.o, w.h1, w.h2});
        plan.bonds.insert(plan.bonds.end(), {{0, 1, w.d_oh}, {0, 2, w.d_oh}, {1, 2, w.d_hh}});
        plan.first_bond.push_back(static_cast<std::int64_t>(plan.bonds.size()));
    }
    return plan;
}

TEST(Settle, AgreesWithTheGeneralSolver)
{
    auto water = support::water_lattice(3, 0.31);
    Constraints settle = constraints_of(water.topology);
    Constraints newton(water.topology, as_networks(water.topology.rigid_waters));
    const State state = support::at_positions(water.positions, {}, water.box);
    const auto moved = jolts(water.positions.size(), thermal_jolt);

    const Projected a = project(settle, state, moved), b = project(newton, state, moved);
    std::vector<Vec3> velocity = jolts(moved.size(), 1.0);
    std::vector<Vec3> dv_a(moved.size()), dv_b(moved.size()), da_a(moved.size()),
        da_b(moved.size());
    settle.constrain_velocities(water.box, state.position, velocity, dv_a, 1);
    newton.constrain_velocities(water.box, state.position, velocity, dv_b, 1);
    settle.constrain_accelerations(water.box, state.position, velocity, moved, da_a, 1);
    newton.constrain_accelerations(water.box, state.position, velocity, moved, da_b, 1);

    // the general solver stops at 1e-12 of 0.1 nm
    for (std::size_t k = 0; k < moved.size(); ++k) {
        EXPECT_LT(norm(a.correction[k] - b.correction[k]), 1e-12);
        EXPECT_LT(norm(dv_a[k] - dv_b[k]), 1e-12);
        EXPECT_LT(norm(da_a[k] - da_b[k]), 1e-10);
    }
}

TEST(Settle, LeavesNoVelocityAlongTheSides)
{
    auto water = support::water_lattice(2, 0.31);
    Constraints constraints = constraints_of(water.topology);
    const State state = support::at_positions(water.positions, {}, water.box);
    std::vector<Vec3> v = jolts(water.positions.size(), 2.0), dv(v.size());

    constraints.constrain_velocities(water.box, state.position, v, dv, 1);

    for (std::size_t o = 0; o < v.size(); o += 3) {
        for (const auto& [i, j] : {std::pair{o, o + 1}, {o, o + 2}, {o + 1, o + 2}}) {
            const Vec3 side = water.positions[i] - water.positions[j];
            EXPECT_NEAR(dot(side, (v[i] + dv[i]) - (v[j] + dv[j])), 0,
                        1e-13); // 2 nm/ps times 0.1 nm, rounded
        }
    }
}

TEST(Settle, RefusesAMoleculeThatTurnedTooFar)
{
    auto water = support::water_lattice(1, 1.0);
    Constraints constraints = constraints_of(water.topology);
    const State state = support::at_positions(water.positions, {}, water.box);

    const Projected done = project(constraints, state, {{}, {0.3, 0, 0}, {-0.3, 0.3, 0}});

    ASSERT_TRUE(done.broken);
    EXPECT_EQ(done.broken->i, 0);
}

// B18: a sterol bead model; positions and lengths are those of the report, openmm#3603.
Topology diamond()
{
    Topology t = support::massive_atoms({50, 50, 50, 50});
    t.constraints = {
        {0, 1, 0.4904}, {0, 2, 0.6019}, {1, 2, 0.2719}, {3, 1, 0.7237}, {3, 2, 0.5376}};
    return t;
}
const std::vector<Vec3> diamond_positions = {
    {5.566, 7.728, 3.213}, {5.494, 7.973, 3.631}, {5.354, 7.788, 3.773}, {5.295, 7.811, 4.307}};

TEST(SmallNetwork, SolvesTheDiamondOfFiveConstraints)
{
    const Topology topology = diamond();
    Constraints constraints = constraints_of(topology);
    const State state = support::at_positions(diamond_positions, {});

    const Projected done = project(constraints, state, std::vector<Vec3>(4));

    EXPECT_FALSE(done.broken);
    EXPECT_LT(constraints.largest_deviation({}, done.positions), of_the_grid);
    Vec3 centre;
    for (const Vec3& d : done.correction) {
        centre += d;
        EXPECT_LT(norm(d), 0.002);
    }
    EXPECT_LT(norm(centre), 1e-12);
}

TEST(SmallNetwork, NamesAConstraintThatCannotHold)
{
    Topology topology = support::massive_atoms({12, 12, 12, 12});
    // four bonds, since triangles are refused before
    topology.constraints = {{0, 1, 0.1}, {1, 2, 0.1}, {2, 3, 0.1}, {0, 3, 0.4}};
    Constraints constraints = constraints_of(topology);
    const State state =
        support::at_positions({{0, 0, 0}, {0.1, 0, 0}, {0.15, 0.08, 0}, {0.25, 0.08, 0}}, {});

    EXPECT_TRUE(project(constraints, state, std::vector<Vec3>(4)).broken);
}

/// A zigzag chain of carbons with two hydrogens each, all bonds constrained.
struct Chain {
    Topology topology;
    std::vector<Vec3> positions;
};
Chain chain(int carbons)
{
    std::vector<double> mass;
    std::vector<DistanceConstraint> constraints;
    std::vector<Vec3> x;
    for (int c = 0; c < carbons; ++c) {
        const auto at = static_cast<std::int32_t>(3 * c);
        const Vec3 here{0.127 * c, c % 2 == 0 ? 0.0 : 0.083, 0.3};
        const double up = c % 2 == 0 ? -1 : 1;
        x.insert(x.end(),
                 {here, here + Vec3{0, 0.063 * up, 0.089}, here + Vec3{0, 0.063 * up, -0.089}});
        mass.insert(mass.end(), {12.011, 1.008, 1.008});
        constraints.push_back({at, at + 1, 0.109});
        constraints.push_back({at, at + 2, 0.109});
        if (c > 0) {
            constraints.push_back({at - 3, at, 0.153});
        }
    }
    Chain out{support::massive_atoms(mass), x};
    out.topology.constraints = constraints;
    return out;
}

TEST(ConstraintNetwork, SolvesALongChain)
{
    const Chain c = chain(200);
    Constraints constraints = constraints_of(c.topology);
    State state = support::at_positions(c.positions, {});
    state.position = project(constraints, state, std::vector<Vec3>(c.positions.size())).positions;

    const Projected done = project(constraints, state, jolts(c.positions.size(), thermal_jolt));
    std::vector<Vec3> v = jolts(c.positions.size(), 1.0), dv(v.size());
    const auto broken = constraints.constrain_velocities({}, state.position, v, dv, 1);

    EXPECT_FALSE(done.broken);
    EXPECT_FALSE(broken);
    EXPECT_LT(constraints.largest_deviation({}, done.positions), of_the_grid);
    for (const DistanceConstraint& k : c.topology.constraints) {
        const auto i = static_cast<std::size_t>(k.i), j = static_cast<std::size_t>(k.j);
        const Vec3 side = to_nm(state.position[i]) - to_nm(state.position[j]);
        EXPECT_NEAR(dot(side, (v[i] + dv[i]) - (v[j] + dv[j])), 0, 1e-12);
    }
}

TEST(ConstraintNetwork, FollowsTurnsOfHalfARadian)
{
    const Chain c = chain(20);
    Constraints constraints = constraints_of(c.topology);
    State state = support::at_positions(c.positions, {});
    state.position = project(constraints, state, std::vector<Vec3>(c.positions.size())).positions;

    const Projected done = project(constraints, state, jolts(c.positions.size(), 0.035));

    EXPECT_FALSE(done.broken);
    EXPECT_LT(constraints.largest_deviation({}, done.positions), of_the_grid);
}

TEST(ConstraintNetwork, AgreesWithTheSmallSolverOnTheSameNetwork)
{
    const Chain longer = chain(3);
    ASSERT_EQ(longer.topology.constraints.size(), 8U);
    const auto moved = jolts(longer.positions.size(), thermal_jolt);
    Constraints dense = constraints_of(longer.topology);
    State state = support::at_positions(longer.positions, {});
    state.position = project(dense, state, std::vector<Vec3>(moved.size())).positions;
    const ConstraintPlan plan = make_constraint_plan(longer.topology);
    std::vector<double> inverse_mass;
    for (const double m : longer.topology.mass) {
        inverse_mass.push_back(1 / m);
    }
    ConstraintNetwork sparse(inverse_mass, plan.bonds);
    std::vector<Vec3> direction, correction(moved.size());
    for (const ConstraintPlan::Bond& b : plan.bonds) {
        direction.push_back(nearest_side({}, state.position[static_cast<std::size_t>(b.i)],
                                         state.position[static_cast<std::size_t>(b.j)]));
    }
    std::size_t worst = 0;

    const Projected done = project(dense, state, moved);
    ASSERT_TRUE(sparse.constrain_positions(direction, moved, correction, 1e-13, worst));

    for (std::size_t a = 0; a < moved.size(); ++a) {
        EXPECT_LT(norm(correction[a] - done.correction[a]), 1e-11);
    }
}

TEST(Constraints, KeepTheirBitsOnAnyNumberOfThreads)
{
    auto water = support::water_lattice(4, 0.31);
    for (std::int32_t o = 0; o < 30 * 3; o += 3) { // some waters as networks
        water.topology.constraints.push_back({o, o + 1, support::water_oh});
    }
    Constraints constraints = constraints_of(water.topology);
    const State state = support::at_positions(water.positions, {}, water.box);
    const auto moved = jolts(water.positions.size(), thermal_jolt);

    const Projected one = project(constraints, state, moved, 1);
    const Projected three = project(constraints, state, moved, 3);

    EXPECT_EQ(one.correction, three.correction);
    EXPECT_EQ(constraints.virial(water.box, state.position, one.correction, 1e6, 1),
              constraints.virial(water.box, state.position, one.correction, 1e6, 3));
}

TEST(Settle, HasTheSameBitsOnEveryInstructionSet)
{
    auto water = support::water_lattice(5, 0.31); // 125: some lanes of the last eight are empty
    water.topology.rigid_waters[40].d_hh *= 1.01; // another shape among the eight
    Constraints constraints = constraints_of(water.topology);
    std::vector<Vec3> wrapped;
    for (const Vec3& x : water.positions) {
        wrapped.push_back(water.box.wrap(x + Vec3{0.1, 0.2, 0.15})); // some are cut by the faces
    }
    const State state = support::at_positions(wrapped, {}, water.box);
    const auto moved = jolts(wrapped.size(), thermal_jolt);
    auto far = moved;
    far[3 * 50 + 1] += Vec3{0.3, 0, 0};
    far[3 * 50 + 2] += Vec3{-0.3, 0.3, 0};
    far[3 * 53] += Vec3{1, 1, 1};
    use_simd_level(SimdLevel::baseline);
    const Projected truth = project(constraints, state, moved);
    ASSERT_FALSE(truth.broken);

    for (const SimdLevel level : supported_simd_levels()) {
        SCOPED_TRACE(name_of(level));
        use_simd_level(level);
        const Projected same = project(constraints, state, moved);
        EXPECT_FALSE(same.broken);
        EXPECT_EQ(same.correction, truth.correction);
        const Projected broken = project(constraints, state, far);
        ASSERT_TRUE(broken.broken);
        EXPECT_EQ(broken.broken->i, 3 * 50);
    }
}

// B14 (b, c): molecules wrapped atom by atom must not move.
TEST(Constraints, HoldAcrossTheBoundaryOfTiltedCells)
{
    auto water = support::water_lattice(3, 0.31);
    const Box tilted(Mat3{{{0.93, 0, 0}, {0.31, 0.93, 0}, {-0.2, 0.4, 0.93}}});
    Topology& t = water.topology;
    t.rigid_waters.resize(20); // the rest as networks
    for (std::int32_t o = 60; o < 81; o += 3) {
        t.constraints.push_back({o, o + 1, support::water_oh});
        t.constraints.push_back({o, o + 2, support::water_oh});
        t.constraints.push_back({o + 1, o + 2, support::water_hh});
    }
    Constraints constraints = constraints_of(t);
    std::vector<Vec3> wrapped;
    for (std::size_t a = 0; a < water.positions.size(); ++a) {
        wrapped.push_back(tilted.wrap(water.positions[a] + Vec3{0.1, 0.2, 0.15}));
    }
    const State state = support::at_positions(wrapped, {}, tilted);

    const Projected done = project(constraints, state, std::vector<Vec3>(wrapped.size()));

    EXPECT_FALSE(done.broken);
    for (const Vec3& d : done.correction) {
        EXPECT_LT(norm(d), 1e-9); // the case's own tolerance
    }
}

TEST(ConstraintPlan, TakesTrianglesOfConstraintsForRigidWaters)
{
    const auto water = support::water_lattice(2, 0.31);
    Topology topology = support::with_constraints_for_waters(water.topology);
    topology.mass[1] = 2.014; // one hydrogen of the first is heavy: no closed form
    topology.constraints.push_back({5, 6, 0.2}); // the second and third hang together

    const ConstraintPlan plan = make_constraint_plan(topology);

    ASSERT_EQ(plan.waters->size(), 5U);
    EXPECT_EQ(plan.waters->front(), water.topology.rigid_waters[3]);
    EXPECT_EQ(plan.waters->back(), water.topology.rigid_waters[7]);
    EXPECT_EQ(plan.networks(), 2U);
    EXPECT_EQ(plan.bonds.size(), 3U + 7U);
    EXPECT_EQ(plan.update_groups->rows(), 7U);
}

TEST(ConstraintPlan, RefusesConstraintsOfParticlesWithoutMass)
{
    Topology topology = support::massive_atoms({12, 0});
    topology.constraints = {{0, 1, 0.1}};

    EXPECT_THROW(make_constraint_plan(topology), InputError);
}

TEST(Constraints, HoldWhatTheTopologyHoldsOnlyWhereItDiffers)
{
    const std::shared_ptr<const Topology> same =
        finish(Topology(support::water_lattice(2, 0.31).topology));
    Topology heavy = *same;
    heavy.mass[1] = 2.014; // no closed form
    const auto other = std::make_shared<const Topology>(heavy);

    const Constraints shared(same, make_constraint_plan(*same));
    const Constraints own(other, make_constraint_plan(*other));

    EXPECT_EQ(shared.plan().waters.get(), &same->rigid_waters);
    EXPECT_EQ(shared.plan().update_groups.get(), &same->molecules);
    EXPECT_EQ(own.plan().waters->size(), same->rigid_waters.size() - 1);
}

// B22: (a) 216 rigid waters with the centre of mass at rest; (b) one water, nothing removed.
TEST(DegreesOfFreedom, CountConstraintsAndTheCentreOfMassOnce)
{
    auto many = support::water_lattice(6, 0.31);
    auto one = support::water_lattice(1, 1.0);

    EXPECT_EQ(degrees_of_freedom(many.topology, make_constraint_plan(many.topology), true), 1293);
    EXPECT_EQ(degrees_of_freedom(one.topology, make_constraint_plan(one.topology), false), 6);
}

TEST(DegreesOfFreedom, IgnoreVirtualSites)
{
    auto water = support::water_lattice(1, 1.0);
    Topology t = support::massive_atoms({15.9994, 1.008, 1.008, 0});
    t.kind[3] = ParticleKind::virtual_site;
    t.rigid_waters = water.topology.rigid_waters;
    t.virtual_sites = {{VirtualSiteKind::site3, 3, {0, 1, 2}, {0.1, 0.1}}};
    const ConstraintPlan plan = make_constraint_plan(t);

    EXPECT_EQ(degrees_of_freedom(t, plan, false), 6);
    EXPECT_EQ(plan.update_groups->rows(), 1U);
}

} // namespace
} // namespace tessera
