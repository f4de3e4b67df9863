#include "engine/base/error.hpp"
#include "engine/cpu/position_grid.hpp"
#include "engine/cpu/update_groups.hpp"
#include "engine/cpu/virtual_sites.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace tessera
{
namespace
{

/// Four atoms across the faces of a tilted cell, one site of every kind, and a site on sites.
class AllKindsOfSites : public ::testing::Test {
protected:
    Box box{Mat3{{{1.4, 0, 0}, {0.5, 1.3, 0}, {-0.6, 0.4, 1.5}}}};
    Topology topology;
    std::vector<Vec3> positions = {
        {0.02, 0.01, 0.03}, {0.11, 0.04, -0.02}, {-0.03, 0.12, 0.01}, {0.04, -0.05, 0.12}};
    std::vector<Vec3> pulls; ///< a constant force on every atom and site

    AllKindsOfSites()
    {
        topology.virtual_sites = {{VirtualSiteKind::site2, 4, {0, 1}, {0.3}},
                                  {VirtualSiteKind::site2fd, 5, {0, 2}, {0.07}},
                                  {VirtualSiteKind::site3, 6, {1, 2, 3}, {0.3, 0.4}},
                                  {VirtualSiteKind::site3fd, 7, {0, 1, 3}, {0.4, 0.11}},
                                  {VirtualSiteKind::site3fad, 8, {0, 1, 2}, {0.09, 1.3}},
                                  {VirtualSiteKind::site3out, 9, {3, 0, 2}, {0.2, 0.3, 5.0}},
                                  {VirtualSiteKind::site4fdn, 10, {0, 1, 2, 3}, {1.1, 0.9, 0.06}},
                                  {VirtualSiteKind::siten, 11, {3, 1, 0}, {0.5, 0.3, 0.2}},
                                  {VirtualSiteKind::site3out, 12, {10, 7, 0}, {0.3, 0.1, -3.0}}};
        positions.resize(13);
        positions[1] += box.shift(1, 0, -1); // parents need not be neighbours in the file
        positions[3] += box.shift(0, -1, 1);
        for (int a = 0; a < 13; ++a) {
            pulls.push_back({90.0 - 13 * a, 40.0 + 7 * a * (a % 3), -60.0 + 11 * a});
        }
    }

    /// U = -sum F.x over atoms and sites, at nearest images of atom 0.
    double energy(std::vector<Vec3> x) const
    {
        VirtualSites(topology).construct(box, x);
        double u = 0;
        for (std::size_t a = 0; a < x.size(); ++a) {
            u -= dot(pulls[a], box.shortest(x[a] - positions[0]));
        }
        return u;
    }

    ForceSums pulled() const
    {
        ForceSums forces(positions.size(), SumMode::exact);
        for (std::size_t a = 0; a < positions.size(); ++a) {
            forces.add(a, pulls[a]);
        }
        return forces;
    }
};

TEST_F(AllKindsOfSites, SpreadForcesAreMinusTheGradient)
{
    const VirtualSites sites(topology);
    auto x = positions;
    sites.construct(box, x);
    ForceSums forces = pulled();
    EnergySums sums;

    sites.spread(box, x, {true, true}, forces, sums);

    for (std::size_t a = 0; a < 4; ++a) {
        for (int k = 0; k < 3; ++k) {
            auto ahead = positions, behind = positions;
            ahead[a][k] += 1e-6;
            behind[a][k] -= 1e-6;
            // central differences over 1e-6 nm of some 100 kJ/mol/nm
            EXPECT_NEAR(forces.force(a)[k], -(energy(ahead) - energy(behind)) / 2e-6, 1e-5)
                << a << ' ' << k;
        }
    }
    for (std::size_t a = 4; a < 13; ++a) {
        EXPECT_EQ(forces.force(a), Vec3{});
    }
}

TEST_F(AllKindsOfSites, SpreadKeepsTheTotalForce)
{
    const VirtualSites sites(topology);
    auto x = positions;
    sites.construct(box, x);
    ForceSums forces = pulled();
    Vec3 before;
    for (const Vec3& f : pulls) {
        before += f;
    }
    EnergySums sums;

    sites.spread(box, x, {false, false}, forces, sums);

    Vec3 after;
    for (std::size_t a = 0; a < 4; ++a) {
        after += forces.force(a);
    }
    EXPECT_LE(norm(after - before), 1e-9); // some 30 roundings to 2^-36 kJ/mol/nm
}

TEST_F(AllKindsOfSites, DoNotDependOnTheImagesOfTheirParents)
{
    const VirtualSites sites(topology);
    auto near = positions;
    for (std::size_t a = 1; a < 4; ++a) {
        near[a] = near[0] + box.shortest(near[a] - near[0]);
    }
    auto far = positions;

    sites.construct(box, near);
    sites.construct(box, far);

    for (std::size_t a = 4; a < 13; ++a) {
        EXPECT_LE(norm(box.shortest(near[a] - far[a])), 1e-14) << a;
    }
}

TEST_F(AllKindsOfSites, VelocitiesAreTheTimeDerivativesOfThePlaces)
{
    const VirtualSites sites(topology);
    auto x = positions;
    sites.construct(box, x);
    std::vector<Vec3> v = {{0.3, -0.2, 0.5}, {-0.1, 0.4, 0.2}, {0.6, 0.1, -0.3}, {-0.2, -0.5, 0.1}};
    v.resize(13);
    auto ahead = positions, behind = positions;
    for (std::size_t a = 0; a < 4; ++a) {
        ahead[a] += 1e-6 * v[a];
        behind[a] -= 1e-6 * v[a];
    }
    sites.construct(box, ahead);
    sites.construct(box, behind);

    sites.construct_velocities(box, x, v);

    for (std::size_t a = 4; a < 13; ++a) {
        EXPECT_LE(norm(v[a] - (1 / 2e-6) * (ahead[a] - behind[a])), 1e-8) << a;
    }
}

TEST_F(AllKindsOfSites, StandBesideTheirParentsToTheBitInEveryImage)
{
    const Box on_grid = PositionGrid(box).box();
    const auto placed = [&](const Vec3& moved) {
        std::vector<Vec3> x;
        for (const Vec3& p : positions) {
            x.push_back(to_nm(to_grid(p)) + moved);
        }
        VirtualSites(topology).construct(on_grid, x);
        return x;
    };
    const std::vector<Vec3> here = placed({});
    for (const auto& k : {std::array{1, 0, 0}, {0, -1, 2}, {-5, 7, 3}}) {
        const Vec3 shift = on_grid.shift(k[0], k[1], k[2]);
        const std::vector<Vec3> there = placed(shift);
        for (std::size_t a = 0; a < here.size(); ++a) {
            EXPECT_EQ(there[a] - shift, here[a]) << a;
        }
    }
}

TEST(VirtualSites, NameTheSiteWhoseParentsAreInLine)
{
    Topology topology;
    topology.mass = {1, 1, 1, 0};
    topology.atom_name = {"O", "H1", "H2", "MW"};
    topology.residues = {{"SOL", "7", 0}};
    topology.residue = {0, 0, 0, 0};
    topology.virtual_sites = {{VirtualSiteKind::site3fad, 3, {0, 1, 2}, {0.1, 1.0}}};
    std::vector<Vec3> x = {{0, 0, 0}, {0.1, 0, 0}, {0.2, 0, 0}, {}};

    try {
        VirtualSites(topology).construct(Box(), x);
        FAIL() << "no error";
    } catch (const PhysicsError& error) {
        EXPECT_THAT(error.what(), ::testing::HasSubstr("virtual site 4 (MW, SOL 7)"));
        EXPECT_THAT(error.what(), ::testing::HasSubstr("3 (H2, SOL 7)"));
    }
}

} // namespace
} // namespace tessera
