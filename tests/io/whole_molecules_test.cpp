#include "io/whole_molecules.hpp"
#include "tests/io/small_systems.hpp"

#include <gtest/gtest.h>

namespace tessera::test
{
namespace
{

const Box tilted(Mat3{{{3, 0, 0}, {1.2, 4, 0}, {-1.4, 1.9, 5}}});

std::vector<Vec3> moved(const Box& box, std::vector<Vec3> x, const std::vector<CellShift>& shifts)
{
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] += box.shift(shifts[i][0], shifts[i][1], shifts[i][2]);
    }
    return x;
}

TEST(WholeMolecules, JoinsAChainThatWasWrappedAtomByAtomInATiltedCell)
{
    const auto topology = finish(chain(40));
    std::vector<Vec3> straight, wrapped;
    for (int i = 0; i < 40; ++i) { // 5.9 nm long: beyond every edge
        straight.push_back({2.9 + 0.1 * i, 3.9 + 0.09 * i, 4.9 + 0.07 * i});
        wrapped.push_back(tilted.wrap(straight.back()));
    }

    const auto shifts = whole_molecule_shifts(molecule_walk(*topology), tilted, wrapped);

    const std::vector<Vec3> whole = moved(tilted, wrapped, shifts);
    Vec3 centre;
    for (std::size_t i = 0; i + 1 < whole.size(); ++i) {
        // rounding of sums of cell vectors, each below 10 nm
        EXPECT_NEAR(norm((whole[i + 1] - whole[i]) - (straight[i + 1] - straight[i])), 0, 1e-14);
    }
    for (const Vec3& x : whole) {
        centre += 1.0 / 40 * x;
    }
    const Vec3 fraction = tilted.to_fraction(centre);
    for (int k = 0; k < 3; ++k) {
        EXPECT_GE(fraction[k], 0);
        EXPECT_LT(fraction[k], 1);
    }
}

TEST(WholeMolecules, DoNotDependOnTheImagesThatAreGiven)
{
    const auto topology = finish(chain(3));
    const std::vector<Vec3> near = {{2.95, 0.1, 0.1}, {3.05, 0.1, 0.1}, {3.15, 0.1, 0.1}};
    std::vector<Vec3> far = near;
    far[0] += tilted.shift(2, -3, 1);
    far[2] += tilted.shift(-7, 0, 4);
    const MoleculeWalk walk = molecule_walk(*topology);

    const auto of_near = moved(tilted, near, whole_molecule_shifts(walk, tilted, near));
    const auto of_far = moved(tilted, far, whole_molecule_shifts(walk, tilted, far));

    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NEAR(norm(of_near[i] - of_far[i]), 0, 1e-13); // rounding of 30 nm
    }
}

TEST(WholeMolecules, FollowConstraintsRigidWatersAndVirtualSites)
{
    Topology t = argon(6);
    t.rigid_waters = {{0, 1, 2, 0.1, 0.16}};
    t.kind[3] = ParticleKind::virtual_site;
    t.mass[3] = 0;
    t.virtual_sites = {{VirtualSiteKind::site3, 3, {0, 1, 2}, {0.1, 0.1}}};
    t.constraints = {{4, 5, 0.1}};
    const auto topology = finish(std::move(t));
    const std::vector<Vec3> x = {{0.02, 1, 1},  {2.95, 1, 1}, {0.1, 1.05, 1},
                                 {-0.01, 1, 1}, {2.99, 2, 2}, {0.03, 2, 2}};

    const auto shifts = whole_molecule_shifts(molecule_walk(*topology), tilted, x);

    EXPECT_EQ(shifts[0], (CellShift{0, 0, 0}));
    EXPECT_EQ(shifts[1], (CellShift{-1, 0, 0}));
    EXPECT_EQ(shifts[2], (CellShift{0, 0, 0}));
    EXPECT_EQ(shifts[3], (CellShift{0, 0, 0}));
    EXPECT_EQ(shifts[5][0] - shifts[4][0], 1);
}

TEST(WholeMolecules, StayWhereTheyAreInOpenSpace)
{
    const auto topology = finish(chain(2));
    const std::vector<Vec3> x = {{-100, 0, 0}, {100, 0, 0}};

    const auto shifts = whole_molecule_shifts(molecule_walk(*topology), Box(), x);

    EXPECT_EQ(shifts, (std::vector<CellShift>{{0, 0, 0}, {0, 0, 0}}));
}

} // namespace
} // namespace tessera::test
