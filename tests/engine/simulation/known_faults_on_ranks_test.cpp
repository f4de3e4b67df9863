// Faults that users met with ranks in other engines (tests/known_faults.md): B27 ranks without
// work, B28 momentum over ranks, B29 domains thinner than what is bonded.
#include "tests/support/dynamics.hpp"
#include "tests/support/ranks.hpp"
#include "tests/support/salt_water.hpp"
#include "tests/support/systems.hpp"

namespace tessera
{
namespace
{

using support::RunSetup;

/// Argon (0.34 nm, 0.996 kJ/mol) at these places.
RunSetup argon(const std::vector<Vec3>& x, double edge, const Vec3& drift)
{
    Topology t = support::free_atoms(std::vector<double>(x.size(), 0.0),
                                     std::vector<std::int32_t>(x.size(), 0),
                                     support::mixed_table({0.34}, {0.996}));
    t.mass.assign(x.size(), 39.948);
    std::vector<Vec3> v;
    for (std::size_t a = 0; a < x.size(); ++a) {
        v.push_back(drift + 0.2 * support::scattered(static_cast<std::uint32_t>(a)));
    }
    RunSetup setup;
    setup.topology = finish(std::move(t));
    setup.nonbonded.lj_cutoff = setup.nonbonded.coulomb_cutoff = 1.0;
    setup.nonbonded.electrostatics = Electrostatics::none;
    setup.dynamics.remove_com_every = 0;
    setup.start = support::at_positions(x, v, support::cube(edge));
    return setup;
}

void expect_the_bits_of_one_rank(const RunSetup& setup, std::int64_t steps,
                                 const std::vector<std::array<int, 3>>& counts)
{
    Simulation one(setup.topology, setup.nonbonded, setup.dynamics, setup.start, 1);
    one.run(steps);
    const support::Arrays expected = support::arrays_of(one);
    for (const std::array<int, 3>& count : counts) {
        const support::Arrays many = support::on_ranks(setup, count, 1, steps, false).front();
        EXPECT_EQ(support::differences(expected, many), "")
            << count[0] << " x " << count[1] << " x " << count[2];
    }
}

TEST(RanksWithoutWork, DoNotHangTheTwoAtomsOfEightRanks)
{
    expect_the_bits_of_one_rank(argon({{1, 1, 1}, {1.4, 1, 1}}, 20, {}), 100,
                                {{2, 2, 2}, {8, 1, 1}});
}

TEST(RanksWithoutWork, TakeOverWhatDriftsIntoTheirDomain)
{
    std::vector<Vec3> slab; // a quarter of the cell, 0.38 nm apart
    for (int i = 0; i < 8 * 8 * 8; ++i) {
        slab.push_back(0.38 * Vec3{i % 8 + 0.5, i / 8 % 8 + 0.5, i / 64 + 0.5});
    }
    // 5 nm/ps: 2.5 nm in 250 steps of 2 fs, across the boundaries of four domains
    expect_the_bits_of_one_rank(argon(slab, 6, {5, 0, 0}), 250, {{4, 1, 1}, {2, 2, 2}});
}

TEST(RanksWithoutWork, HandOverConstraintsWithTheirAtoms)
{
    std::vector<Vec3> x;
    for (int d = 0; d < 20; ++d) {
        const Vec3 at{0.5 + 0.5 * (d % 5), 0.6 + 0.9 * (d / 5), 3};
        x.insert(x.end(), {at, at + Vec3{0.1, 0, 0}});
    }
    RunSetup setup = argon(x, 6, {10, 0, 0}); // 3 nm in 150 steps: from one half to the other
    Topology t = *setup.topology;
    std::vector<std::array<std::int32_t, 2>> excluded;
    for (std::int32_t a = 0; a < 40; a += 2) {
        t.constraints.push_back({a, a + 1, 0.1});
        excluded.push_back({a, a + 1});
    }
    support::exclude(t, excluded);
    setup.topology = finish(std::move(t));
    for (std::size_t a = 0; a < 40; a += 2) {
        setup.start.velocity[a + 1] = setup.start.velocity[a];
    }
    expect_the_bits_of_one_rank(setup, 160, {{2, 1, 1}, {4, 1, 1}});
}

TEST(MomentumOverRanks, StaysZeroToTheBitOfItsSum)
{
    const support::SaltWater water = support::salt_water(6);
    RunSetup setup{water.topology, water.nonbonded, {}, water.start};
    setup.nonbonded.electrostatics = Electrostatics::none; // the mesh alone breaks the third law
    setup.dynamics.remove_com_every = 0;
    const int ranks = 8;
    run_loopback(ranks, [&](Transport& transport) {
        Simulation simulation(setup.topology, setup.nonbonded, setup.dynamics, setup.start, 1,
                              StartKind::fresh, &transport);
        for (int step = 0; step < 50; ++step) {
            simulation.step();
            const std::vector<Vec3> forces = simulation.forces();
            simulation.collect();
            if (transport.rank() > 0) {
                continue;
            }
            Vec3 force, momentum;
            for (std::size_t a = 0; a < forces.size(); ++a) {
                force += forces[a];
                momentum += setup.topology->mass[a] * simulation.state().velocity[a];
            }
            EXPECT_LT(norm(force), 1e-9) << step;    // sums of multiples of 2^-36, in FP64
            EXPECT_LT(norm(momentum), 1e-9) << step; // u nm/ps
        }
    });
}

/// Chains of four with bonds, angles and a dihedral; no pair forces beyond 1-4, as they overlap.
RunSetup chains()
{
    std::vector<Vec3> x;
    for (int c = 0; c < 64; ++c) {
        const Vec3 at = 0.75 * Vec3{c % 4 + 0.1, c / 4 % 4 + 0.1, c / 16 + 0.1};
        x.insert(x.end(),
                 {at, at + Vec3{0.15, 0, 0}, at + Vec3{0.2, 0.14, 0}, at + Vec3{0.34, 0.15, 0.05}});
    }
    RunSetup setup = argon(x, 3, {});
    Topology t = *setup.topology;
    std::vector<std::array<std::int32_t, 2>> excluded;
    for (std::int32_t a = 0; a < 256; a += 4) {
        for (std::int32_t k = 0; k < 3; ++k) {
            t.table<HarmonicBond>().add({a + k, a + k + 1}, HarmonicBond::typical());
        }
        t.table<PeriodicDihedral>().add({a, a + 1, a + 2, a + 3}, PeriodicDihedral::typical());
        for (std::int32_t i = 0; i < 4; ++i) {
            for (std::int32_t j = 0; j < i; ++j) {
                excluded.push_back({a + j, a + i});
            }
        }
    }
    support::exclude(t, excluded);
    setup.topology = finish(std::move(t));
    setup.nonbonded.lj_cutoff = setup.nonbonded.coulomb_cutoff = 0.9;
    setup.nonbonded.list_buffer = 0.1;
    setup.dynamics.timestep = 0.0005;
    setup.start = support::at_positions(x, std::vector<Vec3>(x.size()), support::cube(3));
    return setup;
}

TEST(ThinDomains, KnowAllThatIsBonded)
{
    expect_the_bits_of_one_rank(
        chains(), 20, {{1, 1, 2}, {3, 1, 1}, {2, 2, 2}, {3, 3, 3}, {27, 1, 1}, {4, 4, 4}});
}

} // namespace
} // namespace tessera
