// Runs that ranks share have the bits of one rank, however the cell is cut.
#include "tests/engine/simulation/dipeptide.hpp"
#include "tests/support/ranks.hpp"
#include "tests/support/relaxed.hpp"
#include "tests/support/salt_water.hpp"

namespace tessera
{
namespace
{

using support::Arrays;
using support::Bath;
using support::RunSetup;

enum class Boundaries { at_random, from_times };

void expect_the_bits_of_one_rank(const RunSetup& setup, std::int64_t steps,
                                 const std::vector<std::array<int, 3>>& counts,
                                 Boundaries boundaries = Boundaries::at_random)
{
    const support::Outcome one = support::outcome(setup, {1, 0}, steps);
    for (const std::array<int, 3>& count : counts) {
        const std::vector<Arrays> many =
            support::on_ranks(setup, count, 1, steps, true,
                              boundaries == Boundaries::at_random ? support::random_cuts(count)
                                                                  : DomainBackend::Cuts());
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

TEST(SameBitsOnRanks, WhereTimesMoveTheBoundaries)
{
    expect_the_bits_of_one_rank(support::dipeptide(Bath::langevin, Precision::mixed), 40,
                                {{3, 1, 1}, {1, 2, 2}}, Boundaries::from_times);
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

TEST(SameBitsOnRanks, OfFlexibleWatersWithVirtualSitesInADodecahedron)
{
    RunSetup setup = support::flexible_waters_in_a_dodecahedron();
    for (const Precision precision : {Precision::fp64, Precision::mixed}) {
        setup.nonbonded.precision = precision;
        expect_the_bits_of_one_rank(setup, 60, {{1, 1, 1}, {2, 1, 1}, {1, 2, 2}, {3, 1, 1}});
    }
}

TEST(SameBitsOnRanks, OfAMeshOfDispersionAtConstantPressure)
{
    const support::SaltWater water = support::salt_water(3);
    NonbondedSettings nonbonded = water.nonbonded;
    nonbonded.lj_pme = true;
    nonbonded.lj_ewald_beta = 6;
    DynamicsSettings dynamics =
        support::femtosecond(Integrator::leap_frog, ThermostatKind::v_rescale);
    dynamics.barostat = BarostatKind::c_rescale;

    expect_the_bits_of_one_rank(support::relaxed(*water.topology, nonbonded, water.start, dynamics),
                                60, {{2, 1, 1}, {1, 2, 2}});
}

} // namespace
} // namespace tessera
