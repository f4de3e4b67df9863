#include "io/structure_g96.hpp"
#include "tests/io/scratch_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::test
{
namespace
{

using ::testing::HasSubstr;

std::string refusal(const std::string& path)
{
    return message_of<InputError>([&] { read_g96(path); });
}

TEST(G96Reader, TakesEveryBlock)
{
    const ScratchFolder folder;
    const std::string path =
        folder.file("full.g96", "TITLE\ntwo atoms\nEND\n# a remark\nTIMESTEP\n   250   0.5\nEND\n"
                                "POSITION\n"
                                "    1 SOL   OW         1    0.230000001   -0.628000002    "
                                "0.113000003\n# another\n"
                                "   1B SOL   HW1        2    1.000000000    2.000000000    "
                                "3.000000000\nEND\n"
                                "VELOCITYRED\n 0.1 0.2 0.3\n-0.1 -0.2 -0.3\nEND\n"
                                "BOX\n 4.0 5.0 6.0 0 0 1.0 0 -1.0 1.5\nEND\n");

    const Coordinates frame = read_g96(path);

    EXPECT_EQ(frame.title, "two atoms");
    EXPECT_EQ(frame.step, 250);
    EXPECT_EQ(frame.time, 0.5);
    EXPECT_EQ(frame.positions[0], (Vec3{0.230000001, -0.628000002, 0.113000003}));
    EXPECT_EQ(frame.velocities[1], (Vec3{-0.1, -0.2, -0.3}));
    EXPECT_EQ(frame.atom_names[1], "HW1");
    EXPECT_EQ(frame.residue_numbers[1], "1B");
    EXPECT_EQ(frame.box->vectors(), (Mat3{{{4, 0, 0}, {1, 5, 0}, {-1, 1.5, 6}}}));
}

TEST(G96Reader, TakesTheFirstOfSeveralFramesAndSaysSo)
{
    const ScratchFolder folder;
    const std::string path = folder.file("two.g96", "POSITIONRED\n1 2 3\nEND\nBOX\n4 5 6\nEND\n"
                                                    "POSITIONRED\n7 8 9\nEND\nBOX\n7 7 7\nEND\n");

    const Coordinates frame = read_g96(path);

    EXPECT_EQ(frame.positions[0], (Vec3{1, 2, 3}));
    EXPECT_EQ(frame.box->vectors()[0].x, 4);
    ASSERT_EQ(frame.warnings.size(), 1U);
    EXPECT_THAT(frame.warnings[0], HasSubstr("two.g96:7: further frames follow"));
}

TEST(G96Reader, RefusesWhatItCannotUseByLine)
{
    const ScratchFolder folder;
    const std::string position = "POSITIONRED\n1 2 3\nEND\n";
    const std::string genbox = folder.file("genbox.g96", position + "GENBOX\n1\nEND\n");
    const std::string open = folder.file("open.g96", "TITLE\nx\nEND\nPOSITIONRED\n1 2 3\n");
    const std::string few = folder.file("few.g96", position + "VELOCITYRED\nEND\n");
    const std::string word = folder.file("word.g96", "POSITIONRED\n1 2\nEND\n");
    const std::string none = folder.file("none.g96", "TITLE\nx\nEND\n");

    EXPECT_THAT(refusal(genbox), HasSubstr("genbox.g96:4: the block GENBOX cannot be read"));
    EXPECT_THAT(refusal(open), HasSubstr("open.g96:4: the block POSITIONRED is not closed"));
    EXPECT_THAT(refusal(few), HasSubstr("few.g96:4: 0 velocities for 1 positions (line 1)"));
    EXPECT_THAT(refusal(word), HasSubstr("word.g96:2: a line of POSITIONRED without three"));
    EXPECT_THAT(refusal(none), HasSubstr("the block POSITION is missing"));
}

TEST(G96Writer, GivesBackTheWrittenDigits)
{
    const ScratchFolder folder;
    Coordinates frame;
    frame.title = "one";
    frame.time = 2.5;
    frame.step = 1000000000000;
    frame.positions = {{-999.123456789, 0.000000001, 12.5}};
    frame.velocities = {{-16.993112345, 1e-9, 0}};
    frame.atom_names = {"OW"};
    frame.residue_names = {"SOL"};
    frame.residue_numbers = {"12"};
    frame.box = Box(Mat3{{{4, 0, 0}, {1.123456789, 5, 0}, {-1, 1.5, 6}}});

    const std::string path = folder / "one.g96";
    write_g96(path, frame);
    const Coordinates back = read_g96(path);

    EXPECT_EQ(back.positions[0], frame.positions[0]);
    EXPECT_EQ(back.velocities[0], frame.velocities[0]);
    EXPECT_EQ(*back.box, *frame.box);
    EXPECT_EQ(back.step, frame.step);
    EXPECT_EQ(back.residue_numbers, frame.residue_numbers);
}

TEST(HandedG96Files, AreReadWithNineDecimals)
{
    TESSERA_HANDED_FILE(tip5p, "gmx-simdb-small/one-tip5p.g96");
    TESSERA_HANDED_FILE(villin, "gmx-villin/villin.g96");

    const Coordinates water = read_g96(tip5p);
    const Coordinates protein = read_g96(villin);

    EXPECT_EQ(water.positions[4], (Vec3{0.358259894, 1.579923712, 0.554771064}));
    EXPECT_EQ(water.box->vectors()[2].z, 12.50007);
    EXPECT_EQ(protein.positions.size(), 256U);
    EXPECT_EQ(protein.atom_names[255], "OT2");
    EXPECT_EQ(protein.residue_names[255], "LYS");
}

} // namespace
} // namespace tessera::test
