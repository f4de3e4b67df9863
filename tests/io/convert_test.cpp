#include "engine/base/text_file.hpp"
#include "io/convert.hpp"
#include "io/coordinates.hpp"
#include "tests/io/scratch_file.hpp"
#include "tests/io/small_systems.hpp"

#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <sys/resource.h>

namespace tessera::test
{
namespace
{

using ::testing::HasSubstr;

const std::string two_waters =
    "two waters, t= 1.50000 step= 750\n    2\n"
    "    1SOL     OW    1   0.230   0.628   0.113  0.1000  0.2000  0.3000\n"
    "    2SOL     OW    2   2.450   0.275   0.996 -0.1000 -0.2000 -0.3000\n"
    "   2.50000   3.00000   3.50000   0.00000   0.00000   0.50000   0.00000  -0.70000   0.90000\n";

TEST(Convert, GoesThroughEveryFormatThatHoldsVelocitiesAndBack)
{
    const ScratchFolder folder;
    const std::string first = folder.file("a.gro", two_waters);

    convert_coordinates(first, folder / "b.g96");
    convert_coordinates(folder / "b.g96", folder / "c.h5md");
    convert_coordinates(folder / "c.h5md", folder / "d.gro");

    const Coordinates a = read_coordinates(first), d = read_coordinates(folder / "d.gro");
    EXPECT_EQ(d.positions, a.positions);
    EXPECT_EQ(d.velocities, a.velocities);
    EXPECT_EQ(*d.box, *a.box);
    EXPECT_EQ(d.atom_names, a.atom_names);
    EXPECT_EQ(d.residue_numbers, a.residue_numbers);
    EXPECT_EQ(d.time, 1.5);
    EXPECT_EQ(d.step, 750);
}

/// Files end at so many bytes while one stands, as where a disk is full.
class FilesEndAt {
public:
    explicit FilesEndAt(rlim_t bytes) : signal_(std::signal(SIGXFSZ, SIG_IGN))
    {
        getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit tight{bytes, before_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &tight);
    }
    ~FilesEndAt()
    {
        setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, signal_);
    }
    FilesEndAt(const FilesEndAt&) = delete;
    FilesEndAt& operator=(const FilesEndAt&) = delete;

private:
    void (*signal_)(int);
    rlimit before_{};
};

TEST(Convert, LeavesTheOldFileWhereTheNewOneDoesNotFit)
{
    const ScratchFolder folder;
    const std::string one = folder.file("one.gro", two_waters);
    std::string text = "many\n20000\n";
    for (int k = 0; k < 20000; ++k) {
        text += fmt::format("{:5d}SOL     OW{:5d}{:8.3f}{:8.3f}{:8.3f}\n", k % 99999, k % 99999,
                            0.001 * (k % 997), 0.002 * (k % 991), 0.003 * (k % 983));
    }
    const std::string many = folder.file("many.gro", text + "   5.0 5.0 5.0\n");
    const std::string out = folder / "out.h5md";
    convert_coordinates(one, out);
    const std::string before = read_file(out);
    convert_coordinates(many, folder / "whole.h5md");

    {
        // the beginning fits, the frame does not
        const FilesEndAt limit(std::filesystem::file_size(folder / "whole.h5md") - 100'000);
        EXPECT_THROW(convert_coordinates(many, out), FileError);
    }

    EXPECT_EQ(read_file(out), before);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(std::string(folder / "")), {}), 4)
        << "a part of a file was left";
    convert_coordinates(many, out);
    EXPECT_EQ(read_file(out).size(), read_file(folder / "whole.h5md").size());
}

TEST(Convert, SaysThatPdbLosesVelocities)
{
    const ScratchFolder folder;
    const std::string in = folder.file("a.gro", two_waters);

    const auto remarks = convert_coordinates(in, folder / "b.pdb");

    ASSERT_EQ(remarks.size(), 1U);
    EXPECT_THAT(remarks[0], HasSubstr("the velocities are left out"));
    EXPECT_EQ(read_coordinates(folder / "b.pdb").positions.size(), 2U);
}

TEST(Convert, TakesNamesAndElementsFromTheTopology)
{
    const ScratchFolder folder;
    const auto topology = finish(argon(2));
    const std::string in = folder.file("a.g96", "POSITIONRED\n1 2 3\n0.1234567 0 0\nEND\n");

    convert_coordinates(in, folder / "b.gro", topology.get());
    convert_coordinates(in, folder / "b.pdb", topology.get());

    EXPECT_EQ(read_coordinates(folder / "b.gro").atom_names[1], "Ar");
    EXPECT_EQ(read_coordinates(folder / "b.gro").positions[1].x, 0.123457); // six decimals
    EXPECT_THAT(read_file(folder / "b.pdb"), HasSubstr("          AR\n"));
}

TEST(Convert, TellsOfNamesThatAreMissing)
{
    const ScratchFolder folder;
    const auto topology = finish(argon(2));
    const std::string in = folder.file("a.g96", "POSITIONRED\n1 2 3\n0.1234567 0 0\nEND\n");

    const auto remarks = convert_coordinates(in, folder / "b.gro");

    ASSERT_EQ(remarks.size(), 1U);
    EXPECT_THAT(remarks[0], HasSubstr("b.gro: every atom is written as X of UNK 1"));
    EXPECT_THAT(remarks[0], HasSubstr("a.g96 holds no names"));
    EXPECT_EQ(convert_coordinates(in, folder / "c.gro", topology.get()).size(), 0U);
}

TEST(Convert, NamesBothFilesWhereOneCannotHoldTheOther)
{
    const ScratchFolder folder;
    std::string water = "w\n    1\n    1WATER   OW    1   0.230   0.628   0.113\n   2.5 3.0 3.5\n";
    const std::string in = folder.file("a.gro", water);
    const auto fault_of = [&](const std::string& from) {
        return message_of<InputError>([&] { convert_coordinates(from, folder / "b.pdb"); });
    };

    EXPECT_THAT(fault_of(in), HasSubstr("b.pdb cannot be written from "));
    EXPECT_THAT(fault_of(in), HasSubstr("a.gro: the residue name \"WATER\" of atom 1"));

    water.replace(water.find("WATER"), 5, "SOL  ");
    water.replace(water.find("2.5"), 11, "12000 12000 12000");
    const std::string huge = folder.file("huge.gro", water);
    EXPECT_THAT(fault_of(huge), HasSubstr("the length (Å) 120000 of cell vector 1 cannot"));
}

TEST(Convert, TakesExtensionsInEitherCase)
{
    const ScratchFolder folder;
    const std::string in = folder.file("a.GRO", two_waters);

    convert_coordinates(in, folder / "b.G96");

    EXPECT_EQ(read_coordinates(folder / "b.G96").positions.size(), 2U);
}

TEST(Convert, RefusesOtherCountsAndUnknownFormats)
{
    const ScratchFolder folder;
    const auto topology = finish(argon(3));
    const std::string in = folder.file("a.gro", two_waters);

    EXPECT_THAT(
        message_of<InputError>([&] { convert_coordinates(in, folder / "b.gro", topology.get()); }),
        HasSubstr("a.gro: 2 atoms, but the topology has 3"));
    EXPECT_THAT(message_of<InputError>([&] { convert_coordinates(in, folder / "b.xyz"); }),
                HasSubstr("the extension \".xyz\" is not known"));
}

} // namespace
} // namespace tessera::test
