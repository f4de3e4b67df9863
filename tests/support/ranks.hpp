#pragma once

#include "engine/parallel/loopback_transport.hpp"
#include "engine/simulation/domain_backend.hpp"
#include "tests/support/same_bits.hpp"

#include <array>
#include <random>
#include <vector>

namespace tessera::support
{

/// Boundaries anywhere, others at every cut.
inline DomainBackend::Cuts random_cuts(const std::array<int, 3>& count)
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

/// What each rank holds at the end; boundaries as `cuts` says (none: from the times that ranks
/// take). A liquid's energies and forces are asserted on the way.
inline std::vector<Arrays> on_ranks(const RunSetup& setup, const std::array<int, 3>& count,
                                    int threads, std::int64_t steps, bool is_liquid,
                                    const DomainBackend::Cuts& cuts)
{
    const int ranks = count[0] * count[1] * count[2];
    std::vector<Arrays> out(static_cast<std::size_t>(ranks));
    run_loopback(ranks, [&](Transport& transport) {
        auto backend =
            std::make_unique<DomainBackend>(setup.topology, setup.nonbonded, setup.dynamics,
                                            2 * setup.nonbonded.cutoff(), transport, threads, cuts);
        backend->load(setup.start);
        Simulation simulation(std::move(backend), setup.dynamics);
        Sanity sanity(std::max<std::int64_t>(1, steps / 4), 150, 700);
        if (is_liquid) {
            simulation.add_observer(sanity);
        }
        simulation.run(setup.start.step + steps);
        simulation.collect();
        out[static_cast<std::size_t>(transport.rank())] = arrays_of(simulation);
    });
    return out;
}

/// The same with boundaries at random.
inline std::vector<Arrays> on_ranks(const RunSetup& setup, const std::array<int, 3>& count,
                                    int threads, std::int64_t steps, bool is_liquid = true)
{
    return on_ranks(setup, count, threads, steps, is_liquid, random_cuts(count));
}

} // namespace tessera::support
