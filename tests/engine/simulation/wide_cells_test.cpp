// Cells so wide that doubles do not hold the master grid of positions: the bits are the same all
// the same (ADR 0025). Small drops, which stand across the faces of their cells.
#include "engine/cpu/position_grid.hpp"
#include "engine/simulation/single_point.hpp"
#include "tests/support/ranks.hpp"
#include "tests/support/relaxed.hpp"
#include "tests/support/salt_water.hpp"

namespace tessera
{
namespace
{

using support::Arrays;
using support::RunSetup;

const Mat3 tower{{{1.9, 0, 0}, {0, 1.9, 0}, {0, 0, 37.2}}};
const Mat3 tilted{{{34.3, 0, 0}, {11.2, 41.7, 0}, {-16.1, 20.3, 38.9}}};
const Mat3 mixed_edges{{{200.3, 0, 0}, {0, 31.3, 0}, {0, 0, 1000.7}}};

NonbondedSettings cut(Precision precision)
{
    NonbondedSettings s;
    s.lj_cutoff = s.coulomb_cutoff = 0.7;
    s.list_buffer = 0.05;
    s.electrostatics = Electrostatics::reaction_field;
    s.precision = precision;
    return s;
}

/// Flexible waters with virtual sites, and ions, their middle at the corner of the cell; the first
/// oxygens are held where they are.
RunSetup flexible_drop(const Mat3& cell, Precision precision)
{
    const double d = 1.6;
    support::System system =
        support::waters_and_ions(42, 2, {{{d, 0, 0}, {0, d, 0}, {0, 0, d}}}, 3);
    for (Vec3& x : system.positions) {
        x -= 0.5 * Vec3{d, d, d};
    }
    for (std::int32_t w = 0; w < 5; ++w) {
        const Vec3& x = system.positions[static_cast<std::size_t>(4 * w)];
        system.topology.table<PositionRestraint>().add({4 * w}, {500, 500, 500, x.x, x.y, x.z});
    }
    DynamicsSettings dynamics =
        support::femtosecond(Integrator::langevin, ThermostatKind::langevin);
    dynamics.timestep = 0.0005;
    return support::relaxed(std::move(system.topology), cut(precision),
                            support::at_positions(system.positions, {}, Box(cell)), dynamics);
}

/// Rigid waters and ions in the middle of the far face.
RunSetup rigid_drop(const Mat3& cell, Precision precision, DynamicsSettings dynamics)
{
    support::SaltWater water = support::salt_water(4);
    const double d = water.start.box.vectors()[0].x;
    const Vec3 face{0.5 * cell[0].x, 0.5 * cell[1].y, cell[2].z};
    const GridPosition shift = to_grid(face - 0.5 * Vec3{d, d, d});
    for (GridPosition& x : water.start.position) {
        x = {x.x + shift.x, x.y + shift.y, x.z + shift.z};
    }
    water.start.box = Box(cell);
    return support::relaxed(*water.topology, cut(precision), water.start, dynamics);
}

DynamicsSettings at_constant_pressure()
{
    DynamicsSettings s = support::femtosecond(Integrator::leap_frog, ThermostatKind::v_rescale);
    s.barostat = BarostatKind::c_rescale;
    return s;
}

void expect_the_same_bits_everywhere(const RunSetup& setup, std::int64_t steps,
                                     const std::vector<std::array<int, 3>>& counts)
{
    const support::Outcome one = support::outcome(setup, {1, 0}, steps);
    for (const support::Circumstances how : {support::Circumstances{2, 1}, {3, 2}}) {
        EXPECT_TRUE(support::has_bits_of(one, support::outcome(setup, how, steps))) << how.text();
    }
    for (const std::array<int, 3>& count : counts) {
        const int threads = count[0];
        const Arrays many = support::on_ranks(setup, count, threads, steps).front();
        EXPECT_EQ(support::differences(one.arrays, many), "")
            << count[0] << " x " << count[1] << " x " << count[2];
    }
}

TEST(WideCells, SameBitsOfFlexibleWatersWithSitesAndRestraints)
{
    for (const Precision precision : {Precision::fp64, Precision::mixed}) {
        expect_the_same_bits_everywhere(flexible_drop(tower, precision), 60,
                                        {{1, 1, 2}, {1, 1, 3}});
        expect_the_same_bits_everywhere(flexible_drop(tilted, precision), 60,
                                        {{2, 1, 1}, {1, 3, 1}, {1, 2, 2}});
        expect_the_same_bits_everywhere(flexible_drop(mixed_edges, precision), 60,
                                        {{2, 1, 1}, {1, 1, 4}});
    }
}

TEST(WideCells, SameBitsOfRigidWatersAtConstantEnergy)
{
    const DynamicsSettings still =
        support::femtosecond(Integrator::velocity_verlet, ThermostatKind::none);
    for (const Precision precision : {Precision::fp64, Precision::mixed}) {
        expect_the_same_bits_everywhere(rigid_drop(tilted, precision, still), 40,
                                        {{1, 1, 2}, {2, 2, 1}});
        expect_the_same_bits_everywhere(rigid_drop(mixed_edges, precision, still), 40,
                                        {{2, 1, 1}, {1, 1, 3}});
    }
}

TEST(WideCells, SameBitsOfRigidWatersAtConstantPressure)
{
    for (const Precision precision : {Precision::fp64, Precision::mixed}) {
        expect_the_same_bits_everywhere(rigid_drop(tower, precision, at_constant_pressure()), 40,
                                        {{1, 1, 2}, {1, 1, 4}});
        expect_the_same_bits_everywhere(rigid_drop(mixed_edges, precision, at_constant_pressure()),
                                        40, {{1, 1, 2}, {3, 1, 1}});
    }
}

TEST(WideCells, SameBitsAtConstantPressureOfAMeshInATower)
{
    RunSetup setup = rigid_drop(tower, Precision::mixed, at_constant_pressure());
    setup.nonbonded.electrostatics = Electrostatics::pme;
    setup.nonbonded.ewald_beta = 5;
    setup.nonbonded.pme_grid = {16, 16, 288};

    for (const Precision precision : {Precision::fp64, Precision::mixed}) {
        setup.nonbonded.precision = precision;
        expect_the_same_bits_everywhere(setup, 20, {{1, 1, 2}, {1, 1, 3}});
    }
}

/// A barostat stretches the cell past the limit up to which doubles hold the master grid.
TEST(WideCells, SameBitsWhereTheGridOfPlacesChanges)
{
    constexpr double limit = 32 - 1 - 0.75; // nm: less a step, and the radius of the list
    DynamicsSettings dynamics = at_constant_pressure();
    dynamics.pressure = -300; // kJ/mol/nm^3
    Mat3 cell = tower;
    cell[2].z = limit - 1e-5;
    for (const Precision precision : {Precision::fp64, Precision::mixed}) {
        const RunSetup setup = rigid_drop(cell, precision, dynamics);
        Simulation simulation(setup.topology, setup.nonbonded, setup.dynamics, setup.start, 1);
        simulation.run(40);
        EXPECT_GT(simulation.state().box.vectors()[2].z, limit);
        expect_the_same_bits_everywhere(setup, 40, {{1, 1, 2}, {1, 1, 3}});
    }
}

/// Atoms two by two, so sparse that neighbours in the list's clusters stand hundreds of nm apart:
/// mixed precision, whose positions are modulo 512 nm, misses no pair and makes none up.
TEST(WideCells, MixedPrecisionSeesThePairsOfAThinGas)
{
    const Box cell = support::cube(1000.7);
    for (std::uint32_t gas = 0; gas < 60; ++gas) {
        const int pairs = 2 + static_cast<int>(gas) % 9;
        std::vector<Vec3> x;
        for (int p = 0; p < pairs; ++p) {
            const auto n = static_cast<std::uint32_t>(p);
            Vec3 at = support::scattered(n, gas), off = support::scattered(n, 1000 + gas);
            if (pairs == 2) { // 256 nm on either side of their cluster's middle
                at = {0.2 + 1.024 * p, 0.1, 0.1};
                off = {1, 0, 0};
            }
            x.push_back(500.0 * at);
            x.push_back(500.0 * at + (0.45 / norm(off)) * off);
        }
        const auto topology = finish(support::free_atoms(std::vector<double>(x.size(), 0.1),
                                                         std::vector<std::int32_t>(x.size(), 0),
                                                         support::mixed_table({0.34}, {1.0})));

        const SinglePoint exact = single_point(topology, cut(Precision::fp64), cell, x, 1);
        const SinglePoint mixed = single_point(topology, cut(Precision::mixed), cell, x, 1);

        EXPECT_LT(support::relative_rms(mixed.forces, exact.forces), 1e-4)
            << gas; // 2^-14 kJ/mol/nm of some kJ/mol/nm
        for (const Vec3& f : exact.forces) {
            EXPECT_GT(norm(f), 0.1) << gas;
        }
    }
}

/// The same run with every molecule in another image moves alike.
TEST(WideCells, WhichImageIsGivenDoesNotReachTheBits)
{
    for (const Mat3& cell : {tower, tilted, mixed_edges}) {
        for (const Precision precision : {Precision::fp64, Precision::mixed}) {
            const RunSetup here = flexible_drop(cell, precision);
            RunSetup there = here;
            const PositionGrid grid(here.start.box);
            for (std::size_t a = 0; a < there.start.position.size(); ++a) {
                const auto n = static_cast<int>(a / 4);
                const GridPosition s = grid.shift({n % 5 - 2, n % 3 - 1, n % 7 - 3});
                GridPosition& x = there.start.position[a];
                x = {x.x + s.x, x.y + s.y, x.z + s.z};
            }

            const Arrays one = support::outcome(here, {1, 0}, 40).arrays;
            EXPECT_EQ(support::differences(one, support::outcome(there, {1, 0}, 40).arrays),
                      "position");
            EXPECT_EQ(support::differences(one, support::on_ranks(there, {1, 1, 2}, 1, 40).front()),
                      "position");
        }
    }
}

} // namespace
} // namespace tessera
