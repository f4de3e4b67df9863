#include "engine/parallel/mpi_transport.hpp"
#include "engine/simulation/parallel_single_point.hpp"
#include "tests/support/waters.hpp"

#include <cstdio>
#include <cstdlib>

// Run under mpirun: every process compares the shared single point with that of one rank, bit for
// bit. Ends with status 1 and a word on standard error where they differ.
namespace
{

using namespace tessera;

int differences(Transport& transport)
{
    const Mat3 tilted = {{{1.8, 0, 0}, {0.5, 1.75, 0}, {-0.6, 0.6, 2.4}}};
    const auto system = support::waters_and_ions(24, 3, tilted, 4);
    const auto topology = finish(system.topology);
    NonbondedSettings s;
    s.lj_cutoff = 0.75;
    s.coulomb_cutoff = 0.75;
    s.dispersion_correction = DispersionCorrection::energy_and_pressure;
    s.ewald_beta = 4.2;
    s.pme_grid = {20, 20, 24};

    const SinglePoint one = single_point(topology, s, Box(tilted), system.positions, 1);
    const SinglePoint many =
        parallel_single_point(topology, s, Box(tilted), system.positions, transport, 1);

    int wrong = many.forces == one.forces ? 0 : 1;
    for (std::size_t k = 0; k < energy_kind_count; ++k) {
        const auto kind = static_cast<EnergyKind>(k);
        wrong += many.sums.energy(kind) == one.sums.energy(kind) ? 0 : 1;
    }
    return wrong;
}

} // namespace

int main(int argc, char** argv)
{
    const int expected_ranks = argc > 1 ? std::atoi(argv[1]) : 1;
    int wrong = 0;
    int ranks = 0;
    const int status = run_mpi(
        [&](Transport& transport) {
            ranks = transport.size();
            wrong = differences(transport);
            return 0;
        },
        [](const std::exception_ptr&, int) { return 1; });
    if (status != 0) {
        std::fprintf(stderr, "a rank failed\n");
        return status;
    }
    if (ranks != expected_ranks) {
        std::fprintf(stderr, "%d ranks were started instead of %d\n", ranks, expected_ranks);
        return 1;
    }
    if (wrong != 0) {
        std::fprintf(stderr, "%d results differ from those of one rank\n", wrong);
        return 1;
    }
    return 0;
}
