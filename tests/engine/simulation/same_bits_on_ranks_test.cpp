// Runs that ranks share have the bits of one rank, however the cell is cut.
#include "engine/parallel/loopback_transport.hpp"
#include "engine/simulation/domain_backend.hpp"
#include "tests/engine/simulation/dipeptide.hpp"
#include "tests/support/salt_water.hpp"
#include "tests/support/waters.hpp"

#include <random>

namespace tessera
{
namespace
{

using support::Arrays;
using support::Bath;
using support::RunSetup;

/// Boundaries anywhere, others at every cut.
DomainBackend::Cuts random_cuts(const std::array<int, 3>& count)
{
    return [count](const Box&, double, std::int64_t n) {
        std::mt19937 random(static_cast<unsigned>(100 + n));
        DomainGrid grid(count);
        for (std::vector<double>& bound : grid.bound) {
            const auto domains = static_cast<double>(bound.size() - 1);
            for (std::size_t k = 1; k + 1 < bound.size(); ++k) {
                bound[k] += std::uniform_real_distribution<>(-0.3, 0.3)(random) / domains;
            }
        }
        return grid;
    };
}

/// What each rank holds at the end.
std::vector<Arrays> on_ranks(const RunSetup& setup, const std::array<int, 3>& count, int threads,
                             std::int64_t steps)
{
    const int ranks = count[0] * count[1] * count[2];
    std::vector<Arrays> out(static_cast<std::size_t>(ranks));
    run_loopback(ranks, [&](Transport& transport) {
        auto backend = std::make_unique<DomainBackend>(setup.topology, setup.nonbonded,
                                                       setup.dynamics, 2 * setup.nonbonded.cutoff(),
                                                       transport, threads, random_cuts(count));
        backend->load(setup.start);
        Simulation simulation(std::move(backend), setup.dynamics);
        support::Sanity sanity(std::max<std::int64_t>(1, steps / 4), 150, 700);
        simulation.add_observer(sanity);
        simulation.run(setup.start.step + steps);
        simulation.collect();
        out[static_cast<std::size_t>(transport.rank())] = support::arrays_of(simulation);
    });
    return out;
}

void expect_the_bits_of_one_rank(const RunSetup& setup, std::int64_t steps,
                                 const std::vector<std::array<int, 3>>& counts)
{
    const support::Outcome one = support::outcome(setup, {1, 0}, steps);
    for (const std::array<int, 3>& count : counts) {
        const std::vector<Arrays> many = on_ranks(setup, count, 1, steps);
        for (std::size_t rank = 0; rank < many.size(); ++rank) {
            const bool is_first = rank == 0; // it has the atoms
            EXPECT_EQ(support::differences(one.arrays, many[rank]),
                      is_first ? "" : "forces, position, velocity")
                << "rank " << rank << " of " << count[0] << " x " << count[1] << " x " << count[2];
        }
    }
}

TEST(SameBitsOnRanks, OfAMoleculeInRigidWaterAtConstantEnergy)
{
    expect_the_bits_of_one_rank(support::dipeptide(Bath::none, Precision::mixed), 30,
                                {{2, 1, 1}, {1, 3, 1}, {2, 2, 2}});
}

TEST(SameBitsOnRanks, OfAMoleculeInRigidWaterAtConstantPressure)
{
    expect_the_bits_of_one_rank(support::dipeptide(Bath::v_rescale_and_pressure, Precision::mixed),
                                30, {{1, 1, 2}, {3, 1, 2}});
}

TEST(SameBitsOnRanks, OfAMoleculeInRigidWaterWithLangevinNoiseInFp64)
{
    expect_the_bits_of_one_rank(support::dipeptide(Bath::langevin, Precision::fp64), 20,
                                {{1, 2, 1}, {2, 2, 1}});
}

} // namespace
} // namespace tessera
