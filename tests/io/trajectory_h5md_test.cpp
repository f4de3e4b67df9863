#include "io/hdf5.hpp"
#include "io/structure_h5md.hpp"
#include "io/trajectory_h5md.hpp"
#include "tests/io/scratch_file.hpp"
#include "tests/io/small_systems.hpp"

#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tessera::test
{
namespace
{

using ::testing::HasSubstr;

const Box cell(Mat3{{{3, 0, 0}, {1.2, 4, 0}, {-1.4, 1.9, 5}}});

TrajectorySettings settings_for(const std::string& path)
{
    TrajectorySettings s;
    s.path = path;
    s.velocities = true;
    s.observables = {{"temperature", "K"}};
    s.energies = {{"potential", "kJ mol-1"}};
    return s;
}

/// Frame k of a system whose atom i stands at (k + 0.1 i) times (0.1, 0.01, -0.02) nm.
void append_frame(H5mdTrajectory& out, std::size_t atoms, int k)
{
    std::vector<Vec3> x, v;
    for (std::size_t i = 0; i < atoms; ++i) {
        x.push_back((k + 0.1 * static_cast<double>(i)) * Vec3{0.1, 0.01, -0.02});
        v.push_back({1.0 * k, 2, 3});
    }
    const std::vector<double> observables = {300.0 + k}, energies = {-1.0 * k};
    out.append_energies(10 * k, 0.02 * k, energies);
    out.append({10 * k, 0.02 * k, cell, x, v, {}, observables});
}

void write_frames(const TrajectorySettings& settings, const Topology& topology, int frames)
{
    H5mdTrajectory out = H5mdTrajectory::create(settings, topology);
    for (int k = 0; k < frames; ++k) {
        append_frame(out, static_cast<std::size_t>(topology.atoms()), k);
    }
    out.close();
}

/// Frames of a file that are whole in every dataset; checks that each holds its numbers.
hsize_t whole_frames(const std::string& path)
{
    const std::string group = "/particles/trajectory/";
    const h5::File file = h5::File::open(path, h5::Access::read);
    const h5::Dataset position = file.dataset(group + "position/value");
    const h5::Dataset image = file.dataset(group + "image/value");
    const h5::Dataset edges = file.dataset(group + "box/edges/value");
    const h5::Dataset velocity = file.dataset(group + "velocity/value");
    const auto step = file.dataset(group + "position/step").read<std::int64_t>();
    const auto observable = file.dataset("/observables/temperature/value").read<double>();
    const hsize_t frames = position.rows();
    EXPECT_GE(step.size(), frames);
    EXPECT_GE(observable.size(), frames);
    for (hsize_t k = 0; k < frames; ++k) {
        const auto x = position.read_row<double>(k);
        const auto n = image.read_row<std::int32_t>(k);
        const Vec3 path_of_first =
            Vec3{x[0], x[1], x[2]} + cell.shift(n[0], n[1], n[2]); // position + image . edges
        const auto time = static_cast<double>(k);
        // float32 of positions below 10 nm
        EXPECT_NEAR(norm(path_of_first - time * Vec3{0.1, 0.01, -0.02}), 0, 1e-6);
        EXPECT_EQ(edges.read_row<double>(k)[3], 1.2);
        EXPECT_EQ(velocity.read_row<double>(k)[0], time);
        EXPECT_EQ(step[k], 10 * static_cast<std::int64_t>(k));
        EXPECT_EQ(observable[k], 300 + time);
    }
    return frames;
}

TEST(H5mdTrajectory, KeepsMoleculesWholeWhileTheyCrossTheCell)
{
    const ScratchFolder folder;
    const std::string path = folder / "chain.h5md";
    const auto topology = finish(chain(5));

    write_frames(settings_for(path), *topology, 120); // 12 nm along x: four cells

    EXPECT_EQ(whole_frames(path), 120U);
    const Coordinates last = read_h5md(path);
    for (std::size_t i = 0; i + 1 < 5; ++i) {
        EXPECT_NEAR(norm(last.positions[i + 1] - last.positions[i]),
                    0.1 * norm(Vec3{0.1, 0.01, -0.02}), 1e-6);
    }
    EXPECT_EQ(last.atom_names[4], "C5");
    EXPECT_EQ(last.residue_numbers[4], "7A");
    EXPECT_EQ(last.step, 1190);
}

TEST(H5mdTrajectory, IsCutBehindTheCheckpointAndGoesOnWithoutGapOrRepeat)
{
    const ScratchFolder folder;
    const std::string path = folder / "cut.h5md";
    const auto topology = finish(argon(7));
    write_frames(settings_for(path), *topology, 10);

    H5mdTrajectory out = H5mdTrajectory::append_to(settings_for(path), *topology, 45);
    EXPECT_EQ(out.frames(), 5);
    EXPECT_EQ(out.energy_rows(), 5);
    for (int k = 4; k < 8; ++k) { // step 40 stands there already
        append_frame(out, 7, k);
    }
    EXPECT_EQ(out.frames(), 8);
    out.close();

    EXPECT_EQ(whole_frames(path), 8U);
}

TEST(H5mdTrajectory, RefusesToContinueAnotherSystemOrOtherContent)
{
    const ScratchFolder folder;
    const std::string path = folder / "other.h5md";
    write_frames(settings_for(path), *finish(argon(7)), 2);
    const auto refusal = [&](const TrajectorySettings& settings, Topology topology) {
        const auto system = finish(std::move(topology));
        return message_of<InputError>([&] { H5mdTrajectory::append_to(settings, *system, 100); });
    };
    Topology renamed = argon(7);
    renamed.atom_name.set(3, "Kr");
    TrajectorySettings with_forces = settings_for(path);
    with_forces.forces = true;
    TrajectorySettings with_energy = settings_for(path);
    with_energy.energies.push_back({"kinetic", "kJ mol-1"});

    EXPECT_THAT(refusal(settings_for(path), argon(8)),
                HasSubstr("the file is of another system: 7 atoms in the file, 8"));
    EXPECT_THAT(refusal(settings_for(path), std::move(renamed)),
                HasSubstr("the file is of another system: names or parameters differ"));
    EXPECT_THAT(refusal(with_forces, argon(7)),
                HasSubstr("it holds no forces, which the deck asks for"));
    EXPECT_THAT(refusal(with_energy, argon(7)), HasSubstr("it holds no energies named kinetic"));
}

TEST(H5mdTrajectory, RoundsPositionsToWhatItDeclares)
{
    const ScratchFolder folder;
    const std::string path = folder / "rounded.h5md";
    const auto topology = finish(argon(1000));
    TrajectorySettings settings;
    settings.path = path;
    settings.periodic = false;
    settings.position_grid = 0x1p-13;
    std::mt19937 engine(11);
    std::uniform_real_distribution<double> place(-200, 200); // nm
    std::vector<Vec3> x;
    for (int i = 0; i < 1000; ++i) {
        x.push_back({place(engine), place(engine), place(engine)});
    }

    H5mdTrajectory out = H5mdTrajectory::create(settings, *topology);
    out.append({0, 0.0, Box(), x, {}, {}, {}});
    out.close();

    const h5::File file = h5::File::open(path, h5::Access::read);
    const auto found = file.dataset("/particles/trajectory/position/value").read<double>();
    const double grid = file.numbers("/particles/trajectory/position/value", "rounded_to").front();
    double worst = 0;
    for (std::size_t i = 0; i < 1000; ++i) {
        worst = std::max(worst, std::abs(found[3 * i] - x[i].x));
        EXPECT_EQ(std::remainder(found[3 * i], grid), 0);
    }
    EXPECT_EQ(grid, 0x1p-13);
    EXPECT_LE(worst, 0.5 * grid); // 200 nm are fewer than 2^24 multiples: float32 adds nothing
    EXPECT_GT(worst, 0.49 * grid);
}

TEST(H5mdTrajectory, RefusesToContinueWithAnotherPacking)
{
    const ScratchFolder folder;
    const std::string path = folder / "packed.h5md";
    const auto topology = finish(argon(7));
    TrajectorySettings settings = settings_for(path);
    settings.deflate_level = 4;
    settings.position_grid = 0x1p-10;
    write_frames(settings, *topology, 2);
    const auto refusal = [&](const TrajectorySettings& other) {
        return message_of<InputError>([&] { H5mdTrajectory::append_to(other, *topology, 100); });
    };
    TrajectorySettings loose = settings, exact = settings;
    loose.deflate_level = 0;
    exact.position_grid = 0;

    EXPECT_THAT(refusal(loose), HasSubstr("its compression is \"deflate-4\", the deck asks for "
                                          "output.compression = \"none\""));
    EXPECT_THAT(refusal(exact), HasSubstr("its positions are rounded to multiples of 0.000976562 "
                                          "nm, by output.position_rounding of the deck they are "
                                          "not rounded"));
    H5mdTrajectory::append_to(settings, *topology, 10).close();
}

TEST(H5mdTrajectory, TellsWhyItCannotBeCreated)
{
    const auto topology = finish(argon(1));

    EXPECT_THAT(message_of<FileError>(
                    [&] { H5mdTrajectory::create(settings_for("/nowhere/traj.h5md"), *topology); }),
                HasSubstr("/nowhere/traj.h5md"));
}

TEST(H5mdTrajectory, OpensWithEveryFrameAfterAKillBetweenFrames)
{
    const ScratchFolder folder;
    const std::string path = folder / "killed.h5md";
    const auto topology = finish(argon(7));

    const pid_t child = ::fork();
    if (child == 0) {
        H5mdTrajectory out = H5mdTrajectory::create(settings_for(path), *topology);
        for (int k = 0; k < 6; ++k) {
            append_frame(out, 7, k);
        }
        ::raise(SIGKILL);
    }
    ::waitpid(child, nullptr, 0);

    EXPECT_EQ(whole_frames(path), 6U);
    H5mdTrajectory out = H5mdTrajectory::append_to(settings_for(path), *topology, 50);
    append_frame(out, 7, 6);
    out.close();
    EXPECT_EQ(whole_frames(path), 7U);
}

TEST(H5mdTrajectory, LeavesWholeFramesWhenItIsKilledAnywhere)
{
    const ScratchFolder folder;
    const std::string path = folder / "anywhere.h5md";
    const auto topology = finish(argon(1000));
    std::mt19937 engine(7);
    for (int kill = 0; kill < 20; ++kill) {
        int pipe_ends[2];
        ASSERT_EQ(::pipe(pipe_ends), 0);
        const pid_t child = ::fork();
        if (child == 0) {
            H5mdTrajectory out = H5mdTrajectory::create(settings_for(path), *topology);
            append_frame(out, 1000, 0);
            static_cast<void>(!::write(pipe_ends[1], "x", 1));
            for (int k = 1;; ++k) {
                append_frame(out, 1000, k);
            }
        }
        char begun = 0;
        ASSERT_EQ(::read(pipe_ends[0], &begun, 1), 1);
        ::usleep(static_cast<useconds_t>(engine() % 20000));
        ::kill(child, SIGKILL);
        ::waitpid(child, nullptr, 0);
        ::close(pipe_ends[0]);
        ::close(pipe_ends[1]);

        EXPECT_GE(whole_frames(path), 1U);
    }
}

TEST(H5mdTrajectory, CanBeReadWhileItGrows)
{
    const ScratchFolder folder;
    const std::string path = folder / "growing.h5md";
    const auto topology = finish(argon(7));
    H5mdTrajectory out = H5mdTrajectory::create(settings_for(path), *topology);
    append_frame(out, 7, 0);

    const pid_t child = ::fork();
    if (child == 0) {
        // another program: this one holds the file open for writing
        ::execlp("h5ls", "h5ls", (path + "/particles/trajectory/position/value").c_str(), nullptr);
        ::_exit(127);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    append_frame(out, 7, 1);
    out.close();

    if (WEXITSTATUS(status) == 127) {
        GTEST_SKIP() << "h5ls (hdf5-tools) is not installed";
    }
    EXPECT_EQ(WEXITSTATUS(status), 0);
    EXPECT_EQ(whole_frames(path), 2U);
}

TEST(H5mdTrajectory, KeepsItsFramesWhenTheDiskIsFull)
{
    const ScratchFolder folder;
    const std::string path = folder / "full.h5md";
    const auto topology = finish(argon(1000));

    const pid_t child = ::fork();
    if (child == 0) {
        // a limit on the size of files stands for a full disk
        ::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{500000, RLIM_INFINITY};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        const std::string message = message_of<FileError>([&] {
            H5mdTrajectory out = H5mdTrajectory::create(settings_for(path), *topology);
            for (int k = 0; k < 100; ++k) {
                append_frame(out, 1000, k);
            }
        });
        const bool is_told = message.find("File too large") != std::string::npos &&
                             message.find("full.h5md: cannot") != std::string::npos;
        std::exit(is_told ? 0 : 1); // with everything that runs at exit
    }
    int status = 0;
    ::waitpid(child, &status, 0);

    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
    EXPECT_GE(whole_frames(path), 5U);
}

} // namespace
} // namespace tessera::test
