#include "engine/base/unfit_file.hpp"
#include "io/hdf5.hpp"
#include "io/hdf5_rehearsal.hpp"
#include "io/structure_h5md.hpp"
#include "io/trajectory_h5md.hpp"
#include "tests/io/scratch_file.hpp"
#include "tests/io/small_systems.hpp"

#include <csignal>
#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <unistd.h>

namespace tessera::test
{
namespace
{

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string content_of(const std::string& path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

TrajectorySettings settings_for(const std::string& path)
{
    TrajectorySettings settings;
    settings.path = path;
    settings.velocities_apart = true;
    settings.energies = {{"potential", "kJ mol-1"}};
    return settings;
}

/// Three frames of three atoms, at steps 0, 10, 20.
std::string trajectory(const std::string& path, const Topology& topology)
{
    H5mdTrajectory out = H5mdTrajectory::create(settings_for(path), topology);
    const std::vector<Vec3> x(3, Vec3{1, 1, 1});
    const std::vector<double> potential = {-1.5};
    const Box cell(3.0 * identity3());
    for (const std::int64_t step : {0, 10, 20}) {
        out.append_energies(step, 0, potential);
        out.append_velocities(step, 0, cell, x);
        out.append({step, 0, cell, x, {}, {}, {}});
    }
    out.close();
    return content_of(path);
}

TEST(Rehearsal, RefusesAFileThatAsksForMemoryWithoutEnd)
{
    const auto hoard = [] {
        std::vector<std::unique_ptr<char[]>> all;
        for (int k = 0; k < 1000; ++k) {
            all.emplace_back(new char[std::size_t{1} << 26]); // 64 GiB in all, never touched
        }
    };

    EXPECT_THAT(message_of<UnfitFile>([&] { h5::rehearse("x.h5md", hoard); }),
                AllOf(HasSubstr("x.h5md: cannot be read"), HasSubstr("more memory")));
    hoard(); // unbound again
}

TEST(Rehearsal, RefusesTheFileWhereTheChildDies)
{
    const auto message = [](int signal) {
        return message_of<UnfitFile>([&] { h5::rehearse("x.h5md", [&] { ::raise(signal); }); });
    };

    EXPECT_THAT(message(SIGSEGV),
                AllOf(HasSubstr("x.h5md: cannot be read"), HasSubstr("signal 11, Segmentation"),
                      HasSubstr("Take an intact copy")));
    EXPECT_THAT(message(SIGABRT), HasSubstr("signal 6, Aborted"));
}

TEST(Rehearsal, DoesNotBlameTheFileWhereSomebodyKillsTheChild)
{
    const std::string message =
        message_of<FileError>([] { h5::rehearse("x.h5md", [] { ::raise(SIGKILL); }); });

    EXPECT_THAT(message, AllOf(HasSubstr("x.h5md: cannot be read"), HasSubstr("killed")));
    EXPECT_THAT(message, ::testing::Not(HasSubstr("damaged")));
}

TEST(Rehearsal, RefusesTheFileWhereTheLibraryEndsTheChild)
{
    for (const int status : {0, 1}) {
        EXPECT_THAT(
            message_of<UnfitFile>([&] { h5::rehearse("x.h5md", [&] { ::_exit(status); }); }),
            HasSubstr("x.h5md: cannot be read"));
    }
}

TEST(Rehearsal, ThrowsHereWhatIsThrownThere)
{
    const auto refuse = [] { throw std::runtime_error("no positions"); };

    EXPECT_EQ(message_of<std::runtime_error>([&] { h5::rehearse("x.h5md", refuse); }),
              "no positions");
}

TEST(Rehearsal, LeavesNothingOfWhatItDid)
{
    bool is_touched = false;

    h5::rehearse("x.h5md", [&] { is_touched = true; });

    EXPECT_FALSE(is_touched);
}

TEST(Rehearsal, OfChangesLeavesTheFileAsItWas)
{
    const ScratchFolder folder;
    const std::string path = folder / "whole.h5md";
    const std::string whole = trajectory(path, *finish(chain(3)));
    {
        h5::File file = h5::File::open(path, h5::Access::rehearse);
        h5::Dataset steps = file.dataset("/energies/step");
        steps.set_rows(1);
        file.flush();
        const std::int64_t step = 70;
        steps.append_row(&step);
        file.flush();
        EXPECT_EQ(steps.read<std::int64_t>(), (std::vector<std::int64_t>{0, 70}));
    }
    EXPECT_EQ(content_of(path), whole);
}

/// HDF5 1.10.8 copies from address 0 where a local heap (the names of a group's members) says that
/// its data stand nowhere.
TEST(Rehearsal, KeepsDamagedHeapsFromEndingTheProcess)
{
    const ScratchFolder folder;
    const std::string path = folder / "heap.h5md";
    const auto topology = finish(chain(3));
    const std::string whole = trajectory(path, *topology);
    constexpr std::size_t place_of_data = 24, deaths_seen = 3;
    std::size_t deaths = 0;
    for (std::size_t at = whole.find("HEAP"); at != std::string::npos;
         at = whole.find("HEAP", at + 1)) {
        const std::string damaged =
            std::string(whole).replace(at + place_of_data, 8, std::string(8, '\xff'));
        static_cast<void>(folder.file("heap.h5md", damaged));
        for (const bool is_continued : {false, true}) {
            std::string message;
            try {
                if (is_continued) {
                    H5mdTrajectory::append_to(settings_for(path), *topology, 10);
                } else {
                    read_h5md(path);
                }
                continue; // a group that nobody looks at
            } catch (const std::exception& fault) {
                message = fault.what();
            }
            EXPECT_THAT(message, HasSubstr(path));
            EXPECT_EQ(content_of(path), damaged);
            deaths += message.find("Segmentation fault") != std::string::npos ? 1 : 0;
        }
    }
    if (std::string(H5_VERS_INFO).find("1.10.8") != std::string::npos) {
        EXPECT_GE(deaths, deaths_seen); // else this test tests nothing
    }
}

} // namespace
} // namespace tessera::test
