// Few steps of many kinds of systems; 1,000 steps of one: same_bits_long_test.cpp.
#include "tests/engine/simulation/dipeptide.hpp"
#include "tests/support/relaxed.hpp"
#include "tests/support/salt_water.hpp"

namespace tessera
{
namespace
{

using support::Bath;
using support::Circumstances;
using support::RunSetup;

void expect_the_same_bits_in_all_circumstances(const RunSetup& setup, std::int64_t steps)
{
    const support::Outcome reference = support::outcome(setup, {1, 0}, steps);

    for (const Circumstances how :
         {Circumstances{3, 1}, Circumstances{8, 2}, Circumstances{2, 3}}) {
        EXPECT_TRUE(support::has_bits_of(reference, support::outcome(setup, how, steps)))
            << how.text();
    }
}

TEST(SameBits, OfAMoleculeInRigidWaterAtConstantPressure)
{
    expect_the_same_bits_in_all_circumstances(
        support::dipeptide(Bath::v_rescale_and_pressure, Precision::mixed), 40);
}

TEST(SameBits, OfAMoleculeInRigidWaterWithLangevinNoiseInFp64)
{
    expect_the_same_bits_in_all_circumstances(support::dipeptide(Bath::langevin, Precision::fp64),
                                              20);
}

TEST(SameBits, OfFlexibleWatersWithVirtualSitesInADodecahedron)
{
    RunSetup setup = support::flexible_waters_in_a_dodecahedron();

    for (const Precision precision : {Precision::fp64, Precision::mixed}) {
        setup.nonbonded.precision = precision;
        expect_the_same_bits_in_all_circumstances(setup, 60);
    }
}

TEST(SameBits, OfADropInOpenSpaceWhereEveryPairCounts)
{
    const support::SaltWater water = support::salt_water(3);
    State start = water.start;
    start.box = Box();
    NonbondedSettings nonbonded;
    nonbonded.electrostatics = Electrostatics::cutoff;
    nonbonded.lj_modifier = LjModifier::none;

    expect_the_same_bits_in_all_circumstances(
        support::relaxed(
            *water.topology, nonbonded, start,
            support::femtosecond(Integrator::velocity_verlet, ThermostatKind::v_rescale)),
        60);
}

TEST(SameBits, OfAMeshOfDispersionAtConstantPressure)
{
    const support::SaltWater water = support::salt_water(3);
    NonbondedSettings nonbonded = water.nonbonded;
    nonbonded.lj_pme = true;
    nonbonded.lj_ewald_beta = 6;
    DynamicsSettings dynamics =
        support::femtosecond(Integrator::leap_frog, ThermostatKind::v_rescale);
    dynamics.barostat = BarostatKind::c_rescale;

    expect_the_same_bits_in_all_circumstances(
        support::relaxed(*water.topology, nonbonded, water.start, dynamics), 60);
}

} // namespace
} // namespace tessera
