#include "engine/base/text_file.hpp"
#include "engine/base/unfit_file.hpp"
#include "io/checkpoint.hpp"
#include "io/hdf5.hpp"
#include "io/topology_hash.hpp"
#include "tests/io/scratch_file.hpp"
#include "tests/io/small_systems.hpp"

#include <csignal>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <sys/resource.h>
#include <sys/wait.h>

namespace tessera::test
{
namespace
{

using ::testing::HasSubstr;

Checkpoint sample(std::int64_t step, std::size_t atoms = 5)
{
    Checkpoint c;
    c.state.box = Box(Mat3{{{3, 0, 0}, {0.1, 4, 0}, {-0.2, 0.3, 5}}});
    c.state.step = step;
    c.state.time = 0.002 * static_cast<double>(step);
    c.state.velocities_half_step_behind = true;
    for (std::size_t i = 0; i < atoms; ++i) {
        const auto k = static_cast<std::int64_t>(i);
        c.state.position.push_back({k % 5 * 1234567890123457, -k, std::int64_t{1} << 62});
        c.state.velocity.push_back({1.0 / 3.0, -0.0, 1e-310});
    }
    c.doubles["v-rescale/heat"] = {1.0 / 7.0, std::numeric_limits<double>::infinity()};
    c.doubles["empty"] = {};
    c.integers["philox"] = {-1, std::numeric_limits<std::int64_t>::max()};
    c.deck_text = "[run]\nsteps = 5 \n";
    c.topology_hash = "0123456789abcdef";
    c.program_version = "0.1.0";
    return c;
}

/// Runs `act` in a process of its own; true when it ended by itself with status 0.
template <class Act>
bool survives(Act&& act)
{
    const pid_t child = ::fork();
    if (child == 0) {
        act();
        ::_exit(0);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(Checkpoint, GivesBackEveryBit)
{
    const ScratchFolder folder;
    const std::string path = folder / "state.h5";
    const Checkpoint written = sample(1250);

    write_checkpoint(path, written);
    const ReadCheckpoint read = read_checkpoint(path, "0123456789abcdef");

    EXPECT_EQ(read.warning, "");
    EXPECT_EQ(read.checkpoint.state.position, written.state.position);
    EXPECT_EQ(read.checkpoint.state.velocity, written.state.velocity);
    EXPECT_TRUE(std::signbit(read.checkpoint.state.velocity[0].y));
    EXPECT_EQ(read.checkpoint.state.box, written.state.box);
    EXPECT_EQ(read.checkpoint.state.step, 1250);
    EXPECT_EQ(read.checkpoint.state.time, written.state.time);
    EXPECT_TRUE(read.checkpoint.state.velocities_half_step_behind);
    EXPECT_EQ(read.checkpoint.doubles, written.doubles);
    EXPECT_EQ(read.checkpoint.integers, written.integers);
    EXPECT_EQ(read.checkpoint.deck_text, written.deck_text);
    EXPECT_EQ(read.checkpoint.program_version, "0.1.0");
}

TEST(Checkpoint, KeepsOpenSpaceAndNoVelocities)
{
    const ScratchFolder folder;
    const std::string path = folder / "state.h5";
    Checkpoint written = sample(0);
    written.state.box = Box();
    written.state.velocity.clear();

    write_checkpoint(path, written);
    const Checkpoint read = read_checkpoint(path).checkpoint;

    EXPECT_FALSE(read.state.box.is_periodic());
    EXPECT_TRUE(read.state.velocity.empty());
}

TEST(Checkpoint, KeepsThePreviousOne)
{
    const ScratchFolder folder;
    const std::string path = folder / "state.h5";
    for (const int step : {1, 2, 3}) {
        write_checkpoint(path, sample(step));
    }

    EXPECT_EQ(read_checkpoint(path).checkpoint.state.step, 3);
    EXPECT_EQ(read_checkpoint(path + ".prev").checkpoint.state.step, 2);
    EXPECT_FALSE(std::filesystem::exists(path + ".tmp"));
}

class KilledCheckpoint : public ::testing::TestWithParam<const char*> {};

TEST_P(KilledCheckpoint, LeavesACompleteOne)
{
    const ScratchFolder folder;
    const std::string path = folder / "state.h5";
    write_checkpoint(path, sample(1));
    write_checkpoint(path, sample(2));

    const bool survived = survives([&] {
        write_checkpoint(path, sample(3), [](std::string_view stage) {
            if (stage == GetParam()) {
                ::raise(SIGKILL);
            }
        });
    });
    const ReadCheckpoint read = read_checkpoint(path);
    write_checkpoint(path, sample(4)); // and what lies about does not disturb the next one

    EXPECT_FALSE(survived);
    EXPECT_EQ(read.checkpoint.state.step, std::string(GetParam()) == "done" ? 3 : 2);
    EXPECT_EQ(read_checkpoint(path).checkpoint.state.step, 4);
}

INSTANTIATE_TEST_SUITE_P(At, KilledCheckpoint,
                         ::testing::Values("begin", "half written", "complete", "previous kept",
                                           "done"));

TEST(DamagedCheckpoint, IsToldAtEveryCutAndThePreviousOneIsUsed)
{
    const ScratchFolder folder;
    const std::string path = folder / "state.h5";
    write_checkpoint(path, sample(1));
    write_checkpoint(path, sample(2));
    const auto size = std::filesystem::file_size(path);

    for (const std::uintmax_t left : {3 * size / 4, size / 2, size / 4, std::uintmax_t{0}}) {
        std::filesystem::resize_file(path, left);
        const ReadCheckpoint read = read_checkpoint(path);

        EXPECT_EQ(read.checkpoint.state.step, 1);
        EXPECT_THAT(read.warning, HasSubstr("is no complete checkpoint"));
        EXPECT_THAT(read.warning, HasSubstr("state.h5.prev (step 1) is used"));
    }
}

TEST(DamagedCheckpoint, IsToldForEveryAlteredByte)
{
    const ScratchFolder folder;
    const std::string path = folder / "state.h5";
    write_checkpoint(path, sample(1));
    const std::string content = read_file(path);

    for (std::size_t at = 0; at < content.size(); at += 97) {
        std::string altered = content;
        altered[at] = static_cast<char>(altered[at] ^ 0x10);
        const std::string name = folder.file("altered.h5", altered);

        EXPECT_THROW(read_checkpoint(name), tessera::DamagedCheckpoint) << "byte " << at;
    }
}

TEST(DamagedCheckpoint, NamesTheFileWhoseChecksumFitsButWhoseStepIsNoNumberOfSteps)
{
    const ScratchFolder folder;
    const std::string path = folder / "state.h5";
    Checkpoint written = sample(0);
    written.state.step = std::int64_t{1} << 60;

    write_checkpoint(path, written);

    try {
        static_cast<void>(read_checkpoint(path));
        FAIL() << "a step of 2^60 was taken";
    } catch (const tessera::DamagedCheckpoint& fault) {
        EXPECT_NE(std::string(fault.what()).find(path), std::string::npos) << fault.what();
    }
}

TEST(Checkpoint, TellsAnotherSystemFromDamage)
{
    const ScratchFolder folder;
    const std::string path = folder / "state.h5";
    write_checkpoint(path, sample(1));

    const std::string message =
        message_of<InputError>([&] { read_checkpoint(path, "ffffffffffffffff"); });

    EXPECT_THAT(message, HasSubstr("the checkpoint is of another system (topology "
                                   "0123456789abcdef in the file, ffffffffffffffff in the deck)"));
}

TEST(Checkpoint, SaysWhenThereIsNone)
{
    EXPECT_FALSE(has_checkpoint("/nowhere/state.h5"));
    EXPECT_THAT(message_of<UnfitFile>([] { read_checkpoint("/nowhere/state.h5"); }),
                HasSubstr("/nowhere/state.h5: does not exist, and there is no previous one"));
}

TEST(Checkpoint, KeepsTheOldOneWhenTheDiskIsFull)
{
    const ScratchFolder folder;
    const std::string path = folder / "state.h5";
    write_checkpoint(path, sample(1));

    const bool told = survives([&] {
        // a limit on the size of files stands for a full disk
        ::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{100000, RLIM_INFINITY};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        const std::string message =
            message_of<FileError>([&] { write_checkpoint(path, sample(2, 100000)); });
        ::_exit(message.find("File too large") != std::string::npos ? 0 : 1);
    });

    EXPECT_TRUE(told);
    EXPECT_EQ(read_checkpoint(path).checkpoint.state.step, 1);
    EXPECT_FALSE(std::filesystem::exists(path + ".tmp"));
}

TEST(Checkpoint, StaysReadableForPlainHdf5)
{
    const ScratchFolder folder;
    const std::string path = folder / "state.h5";
    write_checkpoint(path, sample(7));

    const h5::File file = h5::File::open(path, h5::Access::read);

    EXPECT_EQ(file.numbers("/state", "step"), std::vector<double>{7});
}

TEST(TopologyHash, TellsSystemsApart)
{
    const std::string plain = topology_hash(*finish(chain(5)));
    Topology charged = chain(5);
    charged.charge[4] += 1e-9;
    Topology named = chain(5);
    named.atom_name.set(4, "CX");

    EXPECT_EQ(plain.size(), 16U);
    EXPECT_EQ(topology_hash(*finish(chain(5))), plain);
    EXPECT_NE(topology_hash(*finish(chain(6))), plain);
    EXPECT_NE(topology_hash(*finish(std::move(charged))), plain);
    EXPECT_NE(topology_hash(*finish(std::move(named))), plain);
}

} // namespace
} // namespace tessera::test
