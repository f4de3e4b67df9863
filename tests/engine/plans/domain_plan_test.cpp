#include "engine/plans/local_topology.hpp"
#include "tests/support/dynamics.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <iostream>
#include <numeric>
#include <random>

// Plans are data: who knows and who computes is counted, without a message.
namespace tessera
{
namespace
{

struct Drop {
    Topology topology;
    std::vector<Vec3> x; ///< in the brick
};

/// Free atoms at random: each is a group by itself.
Drop random_atoms(const Box& box, int atoms)
{
    Drop out{support::massive_atoms(std::vector<double>(static_cast<std::size_t>(atoms), 1.0)), {}};
    std::mt19937 random(5);
    std::uniform_real_distribution<> even(0, 1);
    for (int a = 0; a < atoms; ++a) {
        out.x.push_back(box.wrap(box.to_cartesian({even(random), even(random), even(random)})));
    }
    return out;
}

/// Every rank's part of them.
std::vector<LocalTopology> parts_of(const Drop& drop, const DomainCut& cut)
{
    const TopologyIndex index(drop.topology);
    std::vector<std::vector<std::int32_t>> known(static_cast<std::size_t>(cut.grid.ranks()));
    for (std::size_t a = 0; a < drop.x.size(); ++a) {
        for (const int rank : cut.readers_of(cut.home_of(drop.x[a]))) {
            known[static_cast<std::size_t>(rank)].push_back(static_cast<std::int32_t>(a));
        }
    }
    std::vector<LocalTopology> parts;
    for (int rank = 0; rank < cut.grid.ranks(); ++rank) {
        std::vector<std::int32_t>& global = known[static_cast<std::size_t>(rank)];
        std::vector<Vec3> x;
        for (const std::int32_t a : global) {
            x.push_back(drop.x[static_cast<std::size_t>(a)]);
        }
        parts.push_back(make_local_topology(drop.topology, index, cut, std::move(global), x, rank));
    }
    return parts;
}

std::int64_t ghosts_of(const LocalTopology& part)
{
    std::int64_t ghosts = 0;
    for (std::size_t n = 0; n < part.global().size(); ++n) {
        ghosts += part.is_own(n) ? 0 : 1;
    }
    return ghosts;
}

TEST(DomainPlan, GivesEveryPairToOneRankThatKnowsBothAtoms)
{
    const Box box(Mat3{{{3.0, 0, 0}, {0.9, 2.8, 0}, {-1.0, 0.8, 3.2}}});
    const double reach = 0.7;
    const Drop drop = random_atoms(box, 400);
    for (const std::array<int, 3>& count : std::vector<std::array<int, 3>>{
             {1, 1, 2}, {2, 1, 1}, {2, 2, 2}, {3, 3, 3}, {7, 1, 1}, {1, 9, 2}}) {
        const std::vector<LocalTopology> parts =
            parts_of(drop, make_domain_cut(box, reach, {}, DomainGrid(count)));
        for (std::int32_t i = 0; i < drop.topology.atoms(); ++i) {
            for (std::int32_t j = 0; j < i; ++j) {
                const Vec3 d =
                    drop.x[static_cast<std::size_t>(i)] - drop.x[static_cast<std::size_t>(j)];
                const Vec3 nearest = box.shortest(d);
                if (norm(nearest) >= reach) {
                    continue;
                }
                const Vec3 k = box.to_fraction(nearest - d);
                const std::array<int, 3> shift{static_cast<int>(std::lrint(k.x)),
                                               static_cast<int>(std::lrint(k.y)),
                                               static_cast<int>(std::lrint(k.z))};
                int owners = 0;
                for (const LocalTopology& part : parts) {
                    const std::int32_t a = part.local_of(i), b = part.local_of(j);
                    owners += a >= 0 && b >= 0 && part.owner.owns(a, b, shift) ? 1 : 0;
                }
                EXPECT_EQ(owners, 1) << i << " " << j << " " << count[0] << count[1] << count[2];
            }
        }
    }
}

/// In a box of edges a, b, c, of which those along cut vectors grow by the reach, above only.
double atoms_around(const Box& box, const std::array<int, 3>& count, double reach, double density)
{
    double all = density, own = density;
    for (int d = 0; d < 3; ++d) {
        const int domains = count[static_cast<std::size_t>(d)];
        const double width = box.heights()[d] / domains;
        own *= width;
        all *= std::min(box.heights()[d], width + (domains > 1 ? reach : 0.0));
    }
    return all - own;
}

TEST(DomainPlan, ImportsTheAtomsOfTheBoxAboveADomain)
{
    const Box box = support::cube(6);
    const double reach = 1.1, density = 20000 / box.volume();
    const Drop drop = random_atoms(box, 20000);
    std::cout
        << "ranks  grid       ghosts a rank, in the box above, KB a step and rank both ways\n";
    for (const int ranks : {1, 2, 4, 8, 16, 27, 64}) {
        const DomainGrid grid = choose_domain_grid(box, reach, ranks);
        std::int64_t ghosts = 0;
        for (const LocalTopology& part : parts_of(drop, make_domain_cut(box, reach, {}, grid))) {
            ghosts += ghosts_of(part);
        }
        const double mean = static_cast<double>(ghosts) / ranks;
        const double expected = atoms_around(box, grid.count, reach, density);
        // 24 bytes a position and 24 a force
        std::cout << fmt::format("{:5}  {} x {} x {}  {:13.0f}  {:.0f}  {:.1f}\n", ranks,
                                 grid.count[0], grid.count[1], grid.count[2], mean, expected,
                                 mean * 48 / 1024);
        // all domains together see every atom: what is left is the scatter of counts at the faces
        EXPECT_NEAR(mean, expected, 0.02 * expected + 1e-6 * reach) << ranks;
    }
}

TEST(DomainPlan, ChoosesTheCutThatImportsLeast)
{
    const Box cube = support::cube(6);
    EXPECT_EQ(choose_domain_grid(cube, 0.5, 27).count, (std::array{3, 3, 3}));
    const DomainGrid eight = choose_domain_grid(cube, 1.1, 8); // 2 x 2 x 2 has more around it
    EXPECT_LT(atoms_around(cube, eight.count, 1.1, 1), atoms_around(cube, {2, 2, 2}, 1.1, 1));
    const Box pillar(Mat3{{{3, 0, 0}, {0, 3, 0}, {0, 0, 24}}});
    EXPECT_EQ(choose_domain_grid(pillar, 1.0, 4).count, (std::array{1, 1, 4}));
    EXPECT_EQ(choose_domain_grid(support::cube(6), 1.0, 7).ranks(), 7);
}

/// A drop of liquid from `low` to `high` of the cell, vapour of a hundredth elsewhere.
std::vector<double> work_of(const DomainGrid& grid, std::size_t d, double low, double high)
{
    const auto below = [&](double s) {
        return 0.01 * s + 0.99 * std::clamp(s - low, 0.0, high - low);
    };
    std::vector<double> work;
    for (int rank = 0; rank < grid.ranks(); ++rank) {
        const auto k = static_cast<std::size_t>(grid.domain_of(rank)[d]);
        work.push_back(below(grid.bound[d][k + 1]) - below(grid.bound[d][k]));
    }
    return work;
}

TEST(BalancedDomains, ShareALayerOfLiquidEvenlyAfterSomeCuts)
{
    for (const std::size_t d : {0, 1, 2}) {
        std::array<int, 3> count{1, 1, 1};
        count[d] = 5;
        count[(d + 1) % 3] = 2;
        DomainGrid grid(count);
        for (int cut = 0; cut < 12; ++cut) {
            grid = balanced(grid, work_of(grid, d, 0.2, 0.6));
        }
        const std::vector<double> work = work_of(grid, d, 0.2, 0.6);
        const double mean = std::accumulate(work.begin(), work.end(), 0.0) / 10;
        // the thinnest layers may have a third of an even width, which the liquid just allows
        EXPECT_LT(*std::max_element(work.begin(), work.end()), 1.15 * mean) << "axis " << d;
        EXPECT_EQ(grid.bound[(d + 1) % 3], DomainGrid(count).bound[(d + 1) % 3]);
    }
}

TEST(BalancedDomains, StayApartWhateverTheWork)
{
    std::mt19937 random(3);
    DomainGrid grid(std::array<int, 3>{4, 3, 2});
    for (int cut = 0; cut < 200; ++cut) {
        std::vector<double> work(24);
        for (double& w : work) {
            w = random() % 3 == 0 ? 0.0 : static_cast<double>(random() % 1000);
        }
        work[random() % 24] = 1e9;
        grid = balanced(grid, work);
        for (std::size_t d = 0; d < 3; ++d) {
            const std::vector<double>& bound = grid.bound[d];
            ASSERT_EQ(bound.front(), 0);
            ASSERT_EQ(bound.back(), 1);
            for (std::size_t k = 1; k < bound.size(); ++k) {
                ASSERT_GE(bound[k] - bound[k - 1], 0.99 / (3 * grid.count[d]));
            }
        }
    }
}

TEST(BalancedDomains, StayWhereWorkIsEvenOrUnknown)
{
    const DomainGrid grid(std::array<int, 3>{3, 2, 1});
    EXPECT_EQ(balanced(grid, std::vector<double>{10, 10, 10.2, 9.9, 10, 10}).bound, grid.bound);
    EXPECT_EQ(balanced(grid, std::vector<double>(6, 0.0)).bound, grid.bound);
}
} // namespace
} // namespace tessera
