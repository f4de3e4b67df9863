#include "engine/base/error.hpp"
#include "engine/cpu/pme.hpp"
#include "engine/parallel/loopback_transport.hpp"
#include "tests/support/geometries.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mutex>
#include <optional>

// A mesh that ranks share: the bits of one rank, and the bytes of the plan.
namespace tessera
{
namespace
{

const Box cell(Mat3{{{1.8, 0, 0}, {0.5, 1.75, 0}, {-0.6, 0.6, 2.4}}});
constexpr std::size_t atoms = 200;

struct Case {
    std::array<int, 3> grid;
    int order;
    std::size_t sets;
    bool is_scattered = false; ///< owners at random, else by x
};

std::vector<Vec3> positions()
{
    support::Dice dice(7);
    std::vector<Vec3> out;
    for (std::size_t a = 0; a < atoms; ++a) { // none in the upper half of x: ranks without atoms
        out.push_back({dice.between(0, 0.9), dice.between(0, 1.75), dice.between(0, 2.4)});
    }
    return out;
}

std::vector<std::vector<double>> coefficients(std::size_t sets)
{
    support::Dice dice(8);
    std::vector<std::vector<double>> out(sets, std::vector<double>(atoms));
    for (std::vector<double>& set : out) {
        for (std::size_t a = 0; a < atoms; ++a) {
            set[a] = a % 9 == 0 ? 0.0 : dice.between(-1, 1);
        }
    }
    return out;
}

template <class R>
BasicPme<R> mesh(const Case& c)
{
    const Waves waves = c.sets == 1 ? Waves(CoulombWaves{138.9, 3.1}) : Waves(DispersionWaves{3.1});
    return {c.grid, c.order, waves, coefficients(c.sets), EnergyKind::coulomb_reciprocal};
}

struct Result {
    std::vector<std::array<std::int64_t, 3>> forces;
    EnergySums sums;
};

template <class R>
Result alone(const Case& c, Wanted wanted)
{
    Result out;
    ForceSums forces(atoms, SumMode::exact);
    mesh<R>(c).add_forces(cell, CanonicalPositions(positions()), wanted, 2, forces, out.sums);
    out.forces = forces.fixed();
    return out;
}

constexpr double drift = 0.05;

std::vector<std::int32_t> part_of(const Case& c, const std::vector<Vec3>& x, int rank, int ranks)
{
    support::Dice dice(9);
    std::vector<std::int32_t> part(x.size(), -1);
    for (std::size_t a = 0; a < x.size(); ++a) {
        const double where = c.is_scattered ? dice.between(0, 1) : x[a].x / 1.8;
        if (static_cast<int>(where * ranks) == rank) {
            part[a] = static_cast<std::int32_t>(a);
        }
    }
    return part;
}

template <class R>
void expect_the_bits_and_bytes(const Case& c, int ranks, const std::optional<PencilGrid>& pencils,
                               Wanted wanted)
{
    Result shared;
    shared.forces.assign(atoms, {0, 0, 0});
    std::vector<MeshBrick> bricks(static_cast<std::size_t>(ranks));
    std::vector<MeshPlan::Traffic> traffic(static_cast<std::size_t>(ranks));
    const std::vector<Vec3> x = positions();
    std::mutex mutex;

    run_loopback(ranks, [&](Transport& transport) {
        BasicPme<R> pme = mesh<R>(c);
        pme.restrict_to(part_of(c, x, transport.rank(), ranks), transport, drift, pencils);
        ForceSums forces(atoms, SumMode::exact);
        EnergySums sums;
        pme.add_forces(cell, CanonicalPositions(x), wanted, 1, forces, sums);

        const std::lock_guard lock(mutex);
        const auto r = static_cast<std::size_t>(transport.rank());
        bricks[r] = pme.shared()->brick();
        traffic[r] = pme.shared()->traffic();
        shared.sums.merge(sums);
        for (std::size_t a = 0; a < atoms; ++a) {
            for (std::size_t k = 0; k < 3; ++k) {
                shared.forces[a][k] += forces.fixed()[a][k];
            }
        }
    });

    const Result one = alone<R>(c, wanted);
    const MeshPlan plan = pencils ? MeshPlan(c.grid, ranks, *pencils) : MeshPlan(c.grid, ranks);
    const std::string which =
        fmt::format("{} ranks, {} x {}", ranks, plan.pencils().rows, plan.pencils().columns);
    EXPECT_TRUE(shared.forces == one.forces) << which;
    EXPECT_TRUE(shared.sums == one.sums) << which;
    EXPECT_NE(one.forces[1][0], 0);
    for (int r = 0; r < ranks; ++r) {
        EXPECT_EQ(traffic[static_cast<std::size_t>(r)], plan.traffic(r, bricks, c.sets, sizeof(R)))
            << which;
    }
}

template <class R>
void expect_them_in_every_table(const Case& c, int ranks, Wanted wanted)
{
    for (int rows = 1; rows <= ranks; ++rows) {
        if (ranks % rows == 0) {
            expect_the_bits_and_bytes<R>(c, ranks, PencilGrid{rows, ranks / rows}, wanted);
        }
    }
}

template <class R>
class SharedMeshOf : public testing::Test {
};
using Numbers = testing::Types<float, double>;
TYPED_TEST_SUITE(SharedMeshOf, Numbers);

TYPED_TEST(SharedMeshOf, HasTheBitsOfOneRankAndTheBytesOfThePlanInEveryTable)
{
    for (const Case& c : {Case{{20, 20, 24}, 4, 1}, Case{{15, 9, 13}, 5, 1, true}}) {
        for (const int ranks : {1, 2, 3, 4, 5, 6, 8, 12, 27}) {
            expect_them_in_every_table<TypeParam>(c, ranks, {true, true});
        }
        for (const int ranks : {4, 6}) { // filter in one sweep
            expect_them_in_every_table<TypeParam>(c, ranks, {});
        }
    }
}

TYPED_TEST(SharedMeshOf, MayLeaveRanksWithoutAPart)
{
    const Case c{{15, 9, 14}, 5, 1, true};
    expect_the_bits_and_bytes<TypeParam>(c, 7, PencilGrid{2, 3}, {true, true});
    expect_the_bits_and_bytes<TypeParam>(c, 5, PencilGrid{1, 1}, {});
}

TYPED_TEST(SharedMeshOf, MayHaveMoreRanksThanPlanesAndLines)
{
    const Case c{{9, 8, 5}, 4, 1};
    for (const PencilGrid& table : {PencilGrid{19, 1}, PencilGrid{1, 19}, PencilGrid{3, 6}}) {
        expect_the_bits_and_bytes<TypeParam>(c, 19, table, {true, true});
    }
    expect_the_bits_and_bytes<TypeParam>(c, 27, {}, {true, true});
}

TYPED_TEST(SharedMeshOf, SharesSevenSetsAtOnce)
{
    for (const Wanted wanted : {Wanted{true, true}, Wanted{}}) {
        expect_them_in_every_table<TypeParam>({{12, 15, 16}, 4, 7}, 4, wanted);
    }
}

/// Ranks cut the cell along z, and all atoms are `way` farther along it in the second evaluation.
template <class R>
void expect_the_bits_of_the_second(const Case& c, int ranks, double way)
{
    const std::vector<Vec3> x = positions();
    std::vector<Vec3> later = x;
    for (Vec3& one : later) {
        one.z += way;
    }
    std::vector<std::array<std::int64_t, 3>> shared(atoms, {0, 0, 0});
    std::mutex mutex;
    run_loopback(ranks, [&](Transport& transport) {
        BasicPme<R> pme = mesh<R>(c);
        std::vector<std::int32_t> part(atoms, -1);
        for (std::size_t a = 0; a < atoms; ++a) {
            if (static_cast<int>(x[a].z / 2.4 * ranks) == transport.rank()) {
                part[a] = static_cast<std::int32_t>(a);
            }
        }
        pme.restrict_to(part, transport, drift);
        ForceSums forces(atoms, SumMode::exact), before(atoms, SumMode::exact);
        EnergySums sums;
        pme.add_forces(cell, CanonicalPositions(x), {}, 1, before, sums);
        pme.add_forces(cell, CanonicalPositions(later), {}, 1, forces, sums);
        const std::lock_guard lock(mutex);
        for (std::size_t a = 0; a < atoms; ++a) {
            for (std::size_t k = 0; k < 3; ++k) {
                shared[a][k] += forces.fixed()[a][k];
            }
        }
    });
    EnergySums sums;
    ForceSums forces(atoms, SumMode::exact);
    mesh<R>(c).add_forces(cell, CanonicalPositions(later), {}, 1, forces, sums);
    EXPECT_TRUE(forces.fixed() == shared) << way;
}

TYPED_TEST(SharedMeshOf, StaysTrueWhileAtomsDriftAsFarAsTheyMay)
{
    const Case c{{20, 20, 24}, 4, 1}; // a cell along z is 0.1 nm
    expect_the_bits_of_the_second<TypeParam>(c, 4, drift);
    expect_the_bits_of_the_second<TypeParam>(c, 4, -drift);
}

TYPED_TEST(SharedMeshOf, TellsOfAtomsThatHaveGoneFarther)
{
    const Case c{{20, 20, 24}, 4, 1};
    try {
        expect_the_bits_of_the_second<TypeParam>(c, 4, drift + 0.1 + 0.01);
        FAIL() << "nothing was said";
    } catch (const PhysicsError& error) {
        EXPECT_NE(std::string(error.what()).find("more than 0.05 nm"), std::string::npos)
            << error.what();
    }
}

TEST(SharedMesh, EndsOnAllRanksWhereChargesCrowd)
{
    // four times as many charges on one place as the mesh has room for, of one rank
    std::vector<Vec3> x(64, Vec3{});
    const auto run = [&] {
        run_loopback(3, [&](Transport& transport) {
            std::vector<std::int32_t> part(x.size(), -1);
            for (std::size_t a = 0; a < x.size() && transport.rank() == 1; ++a) {
                part[a] = static_cast<std::int32_t>(a);
            }
            MixedPme pme({20, 20, 24}, 4, CoulombWaves{138.9, 3.1}, {std::vector<double>(64, 40.0)},
                         EnergyKind::coulomb_reciprocal);
            pme.restrict_to(part, transport, drift);
            ForceSums forces(x.size(), SumMode::exact);
            EnergySums sums;
            pme.add_forces(cell, CanonicalPositions(x), {}, 1, forces, sums);
        });
    };

    EXPECT_THROW(run(), PhysicsError);
}

} // namespace
} // namespace tessera
