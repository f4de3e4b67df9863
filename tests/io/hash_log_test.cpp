#include "io/hash_log.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <sstream>

namespace tessera
{
namespace
{

using testing::HasSubstr;

State two_atoms()
{
    State state;
    state.step = 300;
    state.position = {{1, 2, 3}, {4, 5, 6}};
    state.velocity = {{0.1, 0.2, 0.3}, {0.4, 0.5, 0.6}};
    return state;
}

TEST(HashLog, WritesALineForEveryPhaseInTheirOrder)
{
    std::ostringstream stream;
    HashLog log(stream, 100);
    const State state = two_atoms();
    const Observables observables;
    const std::vector<PhaseHash> phases = {{"positions", 0xABCDU}, {"pairs", 1}};

    log.notify(StepView(
        {300, true, true, true, true}, state, [&]() -> const Observables& { return observables; },
        [] { return std::vector<Vec3>(); }, phases));

    EXPECT_THAT(stream.str(), HasSubstr("hash          300 positions        000000000000abcd\n"
                                        "hash          300 pairs            0000000000000001\n"
                                        "hash          300 kinetic energy"));
    EXPECT_THAT(stream.str(), HasSubstr("hash          300 state"));
}

TEST(HashLog, AsksForHashesAtItsStepsOnly)
{
    std::ostringstream stream;
    const HashLog log(stream, 100);

    EXPECT_TRUE(log.interest(200).wanted.hashes);
    EXPECT_FALSE(log.interest(201).listens);
}

TEST(StateHash, FeelsTheLastBitOfAPositionAndOfAVelocity)
{
    const State state = two_atoms();
    State moved = state, faster = state;
    moved.position[1].z += 1;
    faster.velocity[0].y = std::nextafter(0.2, 1);

    EXPECT_NE(hash_of(state).value(), hash_of(moved).value());
    EXPECT_NE(hash_of(state).value(), hash_of(faster).value());
}

} // namespace
} // namespace tessera
