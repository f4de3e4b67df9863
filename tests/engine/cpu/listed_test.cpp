#include "engine/base/error.hpp"
#include "engine/cpu/listed.hpp"
#include "engine/cpu/position_grid.hpp"
#include "engine/cpu/simd/simd_choice.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace tessera
{
namespace
{

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr Wanted everything{true, true};

/// A long zigzag with bonds, angles and dihedrals: enough entries for several threads.
struct Zigzag {
    static constexpr std::int32_t atoms = 3001;
    Topology topology;
    std::vector<Vec3> positions;
    Box box{Mat3{{{3.1, 0, 0}, {0.4, 2.9, 0}, {-0.7, 0.3, 3.3}}}};

    Zigzag()
    {
        for (std::int32_t a = 0; a < atoms; ++a) {
            positions.push_back({0.11 * a, a % 2 == 0 ? 0.0 : 0.07, 0.03 * std::sin(a)});
            if (a >= 1) {
                topology.table<HarmonicBond>().add({a - 1, a}, {250000, 0.1});
            }
            if (a >= 2) {
                topology.table<HarmonicAngle>().add({a - 2, a - 1, a}, {400, 1.9});
            }
            if (a >= 3) {
                topology.table<PeriodicDihedral>().add({a - 3, a - 2, a - 1, a}, {5, 0.7, 3});
            }
        }
    }
};

TEST(Listed, GivesTheSameBitsForAnyNumberOfThreads)
{
    const Zigzag system;
    Listed listed(system.topology);
    ForceSums one(Zigzag::atoms, SumMode::exact);
    EnergySums sums_of_one;
    listed.add_forces(system.box, system.positions, everything, 1, one, sums_of_one);

    for (const int threads : {2, 3, 5}) {
        ForceSums many(Zigzag::atoms, SumMode::exact);
        EnergySums sums_of_many;
        listed.add_forces(system.box, system.positions, everything, threads, many, sums_of_many);

        EXPECT_EQ(many.fixed(), one.fixed()) << threads;
        EXPECT_TRUE(sums_of_many == sums_of_one) << threads;
    }
}

/// Of all kinds of internal coordinates, some of them degenerate or with forces beyond the quick
/// way to integers.
Zigzag zigzag_of_many_terms()
{
    Zigzag system;
    for (std::int32_t a = 4; a < 304; ++a) {
        system.topology.table<Coulomb14>().add({a - 3, a}, {5.0 + a});
        system.topology.table<LennardJones14>().add({a - 3, a}, {0.001, 1e-6});
        system.topology.table<UreyBradley>().add({a - 2, a - 1, a}, {400, 1.9, 20000, 0.17});
        system.topology.table<RyckaertBellemans>().add({a - 3, a - 2, a - 1, a},
                                                       {9, 12, -13, -3, 26, -31});
        system.topology.table<G96Angle>().add({a - 2, a - 1, a}, {400, -0.3});
    }
    for (const std::int32_t a : {100, 101, 102}) { // four atoms on a line
        system.positions[static_cast<std::size_t>(a)] = {0.11 * a, 0.07, 0.2};
    }
    system.topology.table<HarmonicBond>().add({10, 20}, {250000, 0.1});
    system.topology.table<HarmonicBond>().add({10, 19}, {2.5e7, 0.1});
    return system;
}

TEST(Listed, GivesTheSameBitsOnEveryInstructionSet)
{
    const Zigzag system = zigzag_of_many_terms();
    const SimdLevel before = simd_level();
    use_simd_level(SimdLevel::baseline);
    ForceSums plain(Zigzag::atoms, SumMode::exact);
    EnergySums sums_of_plain;
    Listed(system.topology)
        .add_forces(system.box, system.positions, everything, 1, plain, sums_of_plain);

    for (const SimdLevel level : supported_simd_levels()) {
        use_simd_level(level);
        ForceSums forces(Zigzag::atoms, SumMode::exact);
        EnergySums sums;
        Listed(system.topology)
            .add_forces(system.box, system.positions, everything, 2, forces, sums);

        EXPECT_EQ(forces.fixed(), plain.fixed()) << name_of(level);
        EXPECT_TRUE(sums == sums_of_plain) << name_of(level);
    }
    use_simd_level(before);
}

TEST(Listed, LeavesNoNetForceInTheExactSums)
{
    const Zigzag system;
    ForceSums forces(Zigzag::atoms, SumMode::exact);
    EnergySums sums;

    Listed(system.topology).add_forces(system.box, system.positions, everything, 2, forces, sums);

    std::array<std::int64_t, 3> total{};
    for (const auto& f : forces.fixed()) {
        for (std::size_t k = 0; k < 3; ++k) {
            total[k] += f[k];
        }
    }
    EXPECT_EQ(total, (std::array<std::int64_t, 3>{}));
}

TEST(Listed, AddsToWhatIsThereAndOnlyWhatIsWanted)
{
    Topology topology;
    topology.table<HarmonicBond>().add({0, 1}, {1000, 0.1});
    const std::vector<Vec3> x = {{0, 0, 0}, {0.12, 0, 0}};
    ForceSums forces(2, SumMode::exact);
    forces.add(0, {1, 2, 3});
    EnergySums sums;

    Listed(topology).add_forces(Box(), x, {false, false}, 1, forces, sums);

    EXPECT_NEAR(forces.force(0).x, 21, 1e-9); // 1000 * 0.02 towards the other atom, on a 2^-36 grid
    EXPECT_NEAR(forces.force(1).x, -20, 1e-9);
    EXPECT_EQ(sums.potential(), 0.0);
    EXPECT_EQ(sums.virial(), Mat3{});
}

TEST(Listed, BooksEachEnergyAtItsKind)
{
    Topology topology;
    topology.table<HarmonicBond>().add({0, 1}, {1000, 0.1});
    topology.table<PositionRestraint>().add({0}, {100, 100, 100, 0.1, 0, 0});
    const std::vector<Vec3> x = {{0, 0, 0}, {0.12, 0, 0}};
    ForceSums forces(2, SumMode::exact);
    EnergySums sums;

    Listed(topology).add_forces(Box(), x, everything, 1, forces, sums);

    EXPECT_NEAR(sums.energy(EnergyKind::bond), 0.2, 1e-11);
    EXPECT_NEAR(sums.energy(EnergyKind::position_restraint), 0.5, 1e-11);
}

Topology named_pair()
{
    Topology topology;
    topology.mass = {12, 12};
    topology.atom_name = {"CA", "CB"};
    topology.residues = {{"ALA", "52A", 0}};
    topology.residue = {0, 0};
    return topology;
}

std::string message_of(const Topology& topology, const std::vector<Vec3>& x)
{
    ForceSums forces(x.size(), SumMode::exact);
    EnergySums sums;
    try {
        Listed(topology).add_forces(Box(), x, {false, false}, 1, forces, sums);
    } catch (const PhysicsError& error) {
        return error.what();
    }
    return "no error";
}

TEST(Listed, NamesTermAtomsAndParametersOfAnOverstretchedBond)
{
    Topology topology = named_pair();
    topology.table<FeneBond>().add({0, 1}, {20000, 0.25});

    const std::string message = message_of(topology, {{0, 0, 0}, {0.3, 0, 0}});

    EXPECT_THAT(message, AllOf(HasSubstr("fene_bond of atoms 1 (CA, ALA 52A), 2 (CB, ALA 52A)"),
                               HasSubstr("distance must stay below r_max, distance = 0.3 nm"),
                               HasSubstr("r_max = 0.25 nm"), HasSubstr("Check the")));
}

TEST(Listed, NamesAtomsThatCoincideUnderARepulsion)
{
    Topology topology = named_pair();
    topology.table<LennardJones14>().add({0, 1}, {0.001, 1e-6});

    EXPECT_THAT(message_of(topology, {{0.1, 0, 0}, {0.1, 0, 0}}),
                AllOf(HasSubstr("lennard_jones_14 of atoms 1"), HasSubstr("must not coincide")));
}

TEST(Listed, NamesAtomsWhosePositionIsNotANumber)
{
    Topology topology = named_pair();
    topology.table<HarmonicBond>().add({0, 1}, {1000, 0.1});

    EXPECT_THAT(message_of(topology, {{0.1, 0, 0}, {std::nan(""), 0, 0}}),
                AllOf(HasSubstr("harmonic_bond of atoms 1"), HasSubstr("2 (CB, ALA 52A)")));
}

// A bond over the face of a cell of 3 nm: 0.10 nm instead of 2.90 nm, so 100000 * 0.05^2 = 250
// kJ/mol and a push of 200000 * 0.05 = 10000 kJ/mol/nm apart.
TEST(Listed, TakesTheNearestImageOfABondOverTheFaceOfTheCell)
{
    Topology topology;
    topology.table<HarmonicBond>().add({0, 1}, {200000, 0.15});
    const std::vector<Vec3> x = {{0.05, 1, 1}, {2.95, 1, 1}};
    ForceSums forces(2, SumMode::exact);
    EnergySums sums;

    Listed(topology).add_forces(Box(Mat3{{{3, 0, 0}, {0, 3, 0}, {0, 0, 3}}}), x, everything, 1,
                                forces, sums);

    EXPECT_NEAR(sums.energy(EnergyKind::bond), 250, 1e-9);
    EXPECT_NEAR(forces.force(0).x, 10000, 1e-7);
    EXPECT_NEAR(forces.force(1).x, -10000, 1e-7);
    EXPECT_NEAR(sums.virial()[0].x, -500, 1e-8); // -1/2 * 0.1 * 10000
}

TEST(Listed, HoldsAnAtomToAPointAlikeInEveryImage)
{
    const PositionGrid cell(Box(Mat3{{{3.1, 0, 0}, {0.4, 2.9, 0}, {-0.7, 0.3, 3.3}}}));
    Topology topology;
    topology.table<PositionRestraint>().add({0},
                                            {1e5, 2e5, 3e5, 3.0 + 1e-16, -1.0 / 7, 9.87654321});
    Listed listed(topology);
    const GridPosition x = to_grid({-0.1 / 3, 2.61, 0.004});
    std::vector<std::array<std::int64_t, 3>> first;

    for (int n = 0; n < 27; ++n) {
        const GridPosition s = cell.shift({n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1});
        const std::vector<Vec3> image{to_nm({x.x + s.x, x.y + s.y, x.z + s.z})};
        ForceSums forces(1, SumMode::exact);
        EnergySums sums;
        listed.add_forces(cell.box(), image, everything, 1, forces, sums);

        first = n == 0 ? forces.fixed() : first;
        EXPECT_EQ(forces.fixed(), first) << n;
    }
    EXPECT_NE(first[0][1], 0);
}

TEST(Listed, RefusesACellInWhichTheImageOfABondIsNotCertain)
{
    Topology topology = named_pair();
    topology.table<HarmonicBond>().add({0, 1}, {1000, 0.6});
    const std::vector<Vec3> x = {{0.1, 0, 0}, {0.7, 0, 0}};
    ForceSums forces(2, SumMode::exact);
    EnergySums sums;
    Listed listed(topology);

    try {
        listed.add_forces(Box(Mat3{{{2, 0, 0}, {0, 1.1, 0}, {0, 0, 2}}}), x, everything, 1, forces,
                          sums);
        FAIL() << "no error";
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), AllOf(HasSubstr("harmonic_bond of atoms 1 (CA, ALA 52A), 2 (CB"),
                                        HasSubstr("0.6 nm"), HasSubstr("1.1 nm")));
    }
    EXPECT_NO_THROW(listed.add_forces(Box(Mat3{{{2, 0, 0}, {0, 1.3, 0}, {0, 0, 2}}}), x, everything,
                                      1, forces, sums));
}

} // namespace
} // namespace tessera
