#include "engine/base/error.hpp"
#include "engine/integrators/integrators.hpp"
#include "engine/integrators/langevin_baoab.hpp"
#include "engine/integrators/leap_frog.hpp"
#include "engine/integrators/velocity_verlet.hpp"

#include <gmock/gmock.h>

namespace tessera
{
namespace
{

using ::testing::HasSubstr;

template <class Kind>
double sum_of_fractions(const Scheme& scheme)
{
    double sum = 0;
    for (const SubStep& sub : scheme) {
        if (const auto* s = std::get_if<Kind>(&sub)) {
            sum += s->fraction.of(1.0);
        }
    }
    return sum;
}

class EveryScheme : public ::testing::TestWithParam<Scheme> {};

TEST_P(EveryScheme, KicksAndDriftsOneStepInAll)
{
    EXPECT_DOUBLE_EQ(sum_of_fractions<Kick>(GetParam()), 1.0);
    EXPECT_DOUBLE_EQ(sum_of_fractions<Drift>(GetParam()), 1.0);
}

TEST_P(EveryScheme, EvaluatesForcesOnce)
{
    EXPECT_EQ(std::count_if(GetParam().begin(), GetParam().end(), is_force_evaluation), 1);
}

TEST_P(EveryScheme, ConstrainsPositionsForAllThatDrifts)
{
    EXPECT_DOUBLE_EQ(sum_of_fractions<ConstrainPositions>(constrained(GetParam())), 1.0);
}

INSTANTIATE_TEST_SUITE_P(Integrators, EveryScheme,
                         ::testing::Values(leap_frog(), velocity_verlet(),
                                           langevin_baoab(1, 300, 42)));

TEST(Constrained, CorrectsLeapFrogVelocitiesWithThePositionsOnly)
{
    EXPECT_EQ(to_text(constrained(leap_frog())), "kick 1, drift 1, constrain positions, forces");
}

TEST(Constrained, EndsVelocityVerletWithVelocitiesFreeOfForbiddenParts)
{
    EXPECT_EQ(to_text(constrained(velocity_verlet())),
              "kick 1/2, drift 1, constrain positions, forces, kick 1/2, constrain velocities");
}

TEST(Constrained, EnclosesTheNoiseOfLangevinDynamicsByVelocityConstraints)
{
    EXPECT_THAT(to_text(constrained(langevin_baoab(1, 300, 42))),
                HasSubstr("constrain velocities, heat meter on, thermalize to 300 K at 1/ps, "
                          "constrain velocities, heat meter off"));
}

TEST(MakeScheme, MovesTheBoxJustBeforeTheForces)
{
    DynamicsSettings settings;
    settings.thermostat = ThermostatKind::v_rescale;
    settings.barostat = BarostatKind::c_rescale;
    settings.remove_com_every = 0;

    EXPECT_THAT(to_text(make_scheme(settings, true)),
                HasSubstr("measure pressure, rescale velocities to 300 K in 1 ps, kick 1, drift 1, "
                          "constrain positions, scale the box"));
}

TEST(MakeScheme, RefusesABarostatWithoutATemperature)
{
    DynamicsSettings settings;
    settings.barostat = BarostatKind::c_rescale;

    EXPECT_THROW(make_scheme(settings, false), InputError);
}

TEST(MakeScheme, RefusesLangevinNoiseBesideAnotherIntegrator)
{
    DynamicsSettings settings;
    settings.thermostat = ThermostatKind::langevin;

    EXPECT_THROW(make_scheme(settings, false), InputError);
}

} // namespace
} // namespace tessera
