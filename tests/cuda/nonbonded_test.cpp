#include "cuda/nonbonded.hpp"
#include "engine/cpu/exclusion_corrections.hpp"
#include "engine/cpu/nonbonded.hpp"
#include "tests/cuda/device.hpp"
#include "tests/oracle/nonbonded.hpp"
#include "tests/support/systems.hpp"

namespace tessera
{
namespace
{

const Mat3 cell = {{{2.0, 0, 0}, {0.6, 1.9, 0}, {-0.7, 0.5, 2.1}}};

/// How pairs are cut, and whether both sides evaluate them in units (ADR 0015).
struct Way {
    NonbondedSettings settings;
    bool in_units;
};

NonbondedSettings settings(LjModifier modifier, Electrostatics electrostatics,
                           double coulomb_cutoff = 0.8)
{
    NonbondedSettings s;
    s.lj_cutoff = 0.8;
    s.coulomb_cutoff = coulomb_cutoff;
    s.lj_modifier = modifier;
    s.electrostatics = electrostatics;
    s.ewald_beta = 3.9;
    return s;
}

std::vector<Way> ways_to_cut()
{
    const auto none = LjModifier::none, shift = LjModifier::potential_shift;
    std::vector<Way> ways = {
        {settings(none, Electrostatics::none), true},
        {settings(shift, Electrostatics::ewald), true},
        {settings(none, Electrostatics::pme), true},
        {settings(none, Electrostatics::reaction_field), true},
        {settings(shift, Electrostatics::cutoff), true},
        {settings(shift, Electrostatics::ewald, 0.75), false},
        {settings(none, Electrostatics::reaction_field, 0.75), false},
        {settings(shift, Electrostatics::ewald), false},
    };
    ways[2].settings.coulomb_potential_shift = true;
    ways[4].settings.coulomb_potential_shift = true;
    ways.back().settings.ewald_beta = 6.0; // the cut-off is 4.8/beta
    return ways;
}

/// Molecules of three atoms, of three types whose pairs follow no rule; the third has no
/// Lennard-Jones. Positions canonical.
struct Mixture {
    Topology topology;
    std::vector<Vec3> positions;
    Box box{cell};

    explicit Mixture(int atoms, double apart = 0.2, double sigma = 0.25)
    {
        auto table = support::mixed_table({0.9 * sigma, 1.1 * sigma, 0.0}, {0.6, 0.3, 0.0});
        table.c6[1] = table.c6[3] *= 1.25;
        topology = support::mixture(atoms, table);
        const PositionGrid grid(box);
        for (const Vec3& x : support::scattered(static_cast<std::size_t>(atoms), cell, apart, 7)) {
            positions.push_back(to_nm(grid.canonical(x)));
        }
    }
};

/// A lump across the corner of a cell so large that FP64 rounds what has been moved by a shift.
Mixture lump_in_a_large_cell(int atoms)
{
    Mixture mixture(atoms);
    mixture.box = Box(Mat3{{{75, 0, 0}, {11, 73, 0}, {-9, 5, 71}}});
    const PositionGrid grid(mixture.box);
    for (Vec3& x : mixture.positions) {
        x = to_nm(grid.canonical(x - Vec3{1, 1, 1}));
    }
    return mixture;
}

/// The ions of 12-6-4 have no units.
Mixture mixture_of_ions(int atoms)
{
    Mixture mixture(atoms);
    mixture.topology.pairs.c4.assign(mixture.topology.pairs.c6.size(), 0.0);
    mixture.topology.pairs.c4[0] = 1e-3;
    return mixture;
}

struct Result {
    ForceSums forces;
    EnergySums energies;
    friend bool operator==(const Result& a, const Result& b)
    {
        return a.forces.fixed() == b.forces.fixed() && a.energies == b.energies;
    }
};

/// Forces and energies of the GPU on the list that the CPU made.
Result evaluate(CudaNonbonded& gpu, const Mixture& mixture, const ClusterPairList& list,
                Wanted wanted = {true, false})
{
    const PositionGrid grid(mixture.box);
    std::vector<Vec3> shifts;
    for (const auto& k : list.shifts) {
        shifts.push_back(to_nm(grid.shift(k)));
    }
    Result r{ForceSums(mixture.positions.size(), SumMode::exact), {}};
    gpu.load(list);
    gpu.add_forces(mixture.positions, shifts, wanted, r.forces, r.energies);
    return r;
}
Result evaluate(const Mixture& mixture, const NonbondedSettings& s)
{
    Nonbonded cpu(mixture.topology, s);
    CudaNonbonded gpu(mixture.topology, s);
    cpu.search(mixture.box, mixture.positions);
    return evaluate(gpu, mixture, cpu.pair_list());
}

/// Adds what the CPU adds for excluded pairs and single atoms.
void add_corrections(const Mixture& mixture, const NonbondedSettings& s, Result& r)
{
    const ExclusionCorrections corrections(
        std::make_shared<const Topology>(mixture.topology),
        make_pair_form(s, mixture.topology.coulomb_constant),
        std::vector<double>(mixture.topology.pairs.c6.size(), 0.0));
    corrections.add_forces(PositionGrid(mixture.box), mixture.positions, {true, false}, 1, r.forces,
                           r.energies);
}

/// Both sides on one list; atoms have moved since it was made. Every order of threads.
void expect_equal_bits(Mixture mixture, const NonbondedSettings& s, bool in_units,
                       void (*shuffle_threads)(unsigned))
{
    Nonbonded cpu(mixture.topology, s);
    CudaNonbonded gpu(mixture.topology, s);
    cpu.search(mixture.box, mixture.positions);
    support::Dice dice(11);
    for (Vec3& x : mixture.positions) {
        const auto way = [&] { return dice.between(-0.002, 0.002); };
        x = to_nm(to_grid(x + Vec3{way(), way(), way()}));
    }
    ASSERT_FALSE(cpu.needs_search(mixture.box, mixture.positions));
    EXPECT_EQ(cpu.has_doubles(), in_units);
    Result on_cpu{ForceSums(mixture.positions.size(), SumMode::exact), {}};
    cpu.add_forces(mixture.box, mixture.positions, {true, false}, 1, on_cpu.forces,
                   on_cpu.energies);

    for (const unsigned seed : {0u, 1u, 2u}) {
        shuffle_threads(seed);
        Result on_gpu = evaluate(gpu, mixture, cpu.pair_list());
        const Result forces_alone = evaluate(gpu, mixture, cpu.pair_list(), {false, false});
        EXPECT_EQ(forces_alone.forces.fixed(), on_gpu.forces.fixed());
        add_corrections(mixture, s, on_gpu);
        EXPECT_EQ(on_gpu.forces.fixed(), on_cpu.forces.fixed()) << seed;
        EXPECT_EQ(on_gpu.energies, on_cpu.energies) << seed;
    }
}

class CudaNonbondedTest : public OnDevice {};

TEST_F(CudaNonbondedTest, EqualsTheOracle)
{
    for (const int atoms : {1, 3, 5, 63, 64, 65}) {
        const Mixture mixture(atoms);
        for (const Way& way : ways_to_cut()) {
            oracle::Answer expected(mixture.positions.size());
            oracle::add_pairs(expected, mixture.topology, way.settings, cell, mixture.positions);
            Result r = evaluate(mixture, way.settings);
            add_corrections(mixture, way.settings, r);

            EXPECT_TRUE(agree(to_vectors(r.forces), expected)) << atoms;
            for (const EnergyKind kind : {EnergyKind::lj, EnergyKind::coulomb_real}) {
                // each pair is rounded to 2^-40 kJ/mol, and its energy in FP64 errs by less than
                // 1e-12
                EXPECT_NEAR(r.energies.energy(kind), expected.of(kind),
                            1e-9 + 1e-12 * std::fabs(expected.of(kind)));
            }
        }
    }
}

TEST_F(CudaNonbondedTest, EqualsTheCpuToTheBit)
{
    for (const int atoms : {5, 64, 301}) {
        for (const Way& way : ways_to_cut()) {
            expect_equal_bits(Mixture(atoms), way.settings, way.in_units, shuffle_threads);
        }
        expect_equal_bits(mixture_of_ions(atoms), ways_to_cut()[1].settings, false,
                          shuffle_threads);
    }
}

TEST_F(CudaNonbondedTest, EqualsTheCpuToTheBitWhereRowsAreLong)
{
    // more units an atom than a list of them holds
    expect_equal_bits(Mixture(1205, 0.1, 0.1), ways_to_cut()[1].settings, true, shuffle_threads);
}

TEST_F(CudaNonbondedTest, EqualsTheCpuToTheBitWhereShiftsAreRounded)
{
    for (const Way& way : ways_to_cut()) {
        expect_equal_bits(lump_in_a_large_cell(301), way.settings, way.in_units, shuffle_threads);
    }
}

/// Atoms 0.1 nm apart have a force that units cannot tell, but that fits the grids.
TEST_F(CudaNonbondedTest, EqualsTheCpuToTheBitWhereAPairIsBeyondTheRangeOfUnits)
{
    Mixture mixture(301);
    mixture.positions[3] = to_nm(to_grid(mixture.positions[0] + Vec3{0.105, 0, 0}));
    for (const Way& way : ways_to_cut()) {
        expect_equal_bits(mixture, way.settings, way.in_units, shuffle_threads);
    }
    EXPECT_GT(norm(evaluate(mixture, ways_to_cut()[1].settings).forces.force(0)), 1e6);
}

TEST_F(CudaNonbondedTest, ForcesSumToZeroExactly)
{
    for (const Way& way : ways_to_cut()) {
        const Result r = evaluate(Mixture(65), way.settings);

        std::array<std::int64_t, 3> total{};
        for (const auto& f : r.forces.fixed()) {
            for (std::size_t c = 0; c < 3; ++c) {
                total[c] += f[c];
            }
        }
        EXPECT_EQ(total, (std::array<std::int64_t, 3>{0, 0, 0}));
    }
}

TEST_F(CudaNonbondedTest, NegativeControlSeesForcesOffByOneInTenThousand)
{
    const Mixture mixture(64);
    for (const Way& way : ways_to_cut()) {
        oracle::Answer expected(64);
        oracle::add_pairs(expected, mixture.topology, way.settings, cell, mixture.positions);
        Result r = evaluate(mixture, way.settings);
        add_corrections(mixture, way.settings, r);

        EXPECT_FALSE(agree(scaled_by(1 + 1e-4, to_vectors(r.forces)), expected));
    }
}

TEST_F(CudaNonbondedTest, RefusesByNameWhatHasNoKernel)
{
    const Mixture mixture(3);

    try {
        CudaNonbonded gpu(mixture.topology,
                          settings(LjModifier::force_switch, Electrostatics::ewald));
        FAIL() << "a force switch was accepted";
    } catch (const NotBuilt& error) {
        EXPECT_NE(std::string(error.what()).find("force switch"), std::string::npos);
    }
}

TEST_F(CudaNonbondedTest, NamesAnAtomOfAnOverlappingPair)
{
    Mixture mixture(65);
    mixture.positions[12] = mixture.positions[40];

    for (const Way& way : ways_to_cut()) {
        try {
            evaluate(mixture, way.settings);
            FAIL() << "two atoms in one place were accepted";
        } catch (const PhysicsError& error) {
            const std::string text = error.what();
            EXPECT_TRUE(text.find("atom 13,") != text.npos || text.find("atom 41,") != text.npos)
                << text;
        }
    }
}

} // namespace
} // namespace tessera
