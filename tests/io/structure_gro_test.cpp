#include "io/coordinates.hpp"
#include "io/structure_gro.hpp"
#include "tests/io/scratch_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

namespace tessera::test
{
namespace
{

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string refusal(const std::string& path)
{
    return message_of<InputError>([&] { read_gro(path); });
}

TEST(GroReader, CutsFieldsByColumnsWhereTheyTouch)
{
    const ScratchFolder folder;
    const std::string path =
        folder.file("touch.gro", "touching\n1\n"
                                 "12345SOL    HW198765  10.001 -10.002 100.003-16.9931 -3.6174 "
                                 "-9.4839\n   0 0 0\n");

    const Coordinates frame = read_gro(path);

    EXPECT_EQ(frame.residue_numbers[0], "12345");
    EXPECT_EQ(frame.residue_names[0], "SOL");
    EXPECT_EQ(frame.atom_names[0], "HW1");
    EXPECT_EQ(frame.positions[0], (Vec3{10.001, -10.002, 100.003}));
    EXPECT_EQ(frame.velocities[0], (Vec3{-16.9931, -3.6174, -9.4839}));
    EXPECT_FALSE(frame.box.has_value());
}

TEST(GroReader, TakesTheFieldWidthFromTheDecimalPoints)
{
    const ScratchFolder folder;
    const std::string path = folder.file(
        "six.gro", "six decimals, t=   2.50000 step= 1250\n1\n"
                   "12345SOL    HW198765  10.001000 -10.002000 100.003000-16.9931000 -3.6174000 "
                   "-9.4839000\n   3.00000   4.00000   5.00000\n");

    const Coordinates frame = read_gro(path);

    EXPECT_EQ(frame.positions[0], (Vec3{10.001, -10.002, 100.003}));
    EXPECT_EQ(frame.velocities[0], (Vec3{-16.9931, -3.6174, -9.4839}));
    EXPECT_EQ(frame.time, 2.5);
    EXPECT_EQ(frame.step, 1250);
}

TEST(GroReader, RefusesAFileShorterThanItsCountByLine)
{
    const ScratchFolder folder;
    const std::string atom = "    1SOL     OW    1   0.230   0.628   0.113\n";

    const std::string cut = folder.file("cut.gro", "cut\n3\n" + atom + atom);
    const std::string few = folder.file("few.gro", "few\n3\n" + atom + atom + " 1.0 1.0 1.0\n");
    const std::string no_cell = folder.file("cell.gro", "no cell\n2\n" + atom + atom);
    const std::string many = folder.file("many.gro", "many\n1\n" + atom + atom + " 1.0 1.0 1.0\n");

    EXPECT_THAT(refusal(cut), HasSubstr("cut.gro:5: the file ends after 2 atoms (line 2 says 3)"));
    EXPECT_THAT(refusal(few),
                HasSubstr("few.gro:5: the cell follows after 2 atoms (line 2 says 3)"));
    EXPECT_THAT(refusal(no_cell), HasSubstr("cell.gro:5: the cell is missing"));
    EXPECT_THAT(refusal(many), HasSubstr("many.gro:4: more atoms than the 1 that line 2 says"));
}

TEST(GroReader, RefusesNumbersTooWideForTheirColumnsOnEveryLine)
{
    const ScratchFolder folder;
    const std::string label = "    1SOL     OW    1", good = "   0.230   0.628   0.113";
    const auto refusal_of = [&](const std::string& first, const std::string& second) {
        return refusal(folder.file("wide.gro", "wide\n2\n" + label + first + "\n" + label + second +
                                                   "\n 9 9 9\n"));
    };
    const std::vector<std::string> wide = {"12345.678   1.000   2.000",
                                           "   1.00012345.678   2.000",
                                           "   1.000   2.00012345.678",
                                           "12345.6789999.0009999.000",
                                           good + "1234.5678  0.1000  0.1000",
                                           good + "  0.10001234.5678  0.1000",
                                           good + "  0.1000  0.10001234.5678",
                                           good + "1234.56781234.56781234.5678",
                                           "   1.00012345.678   2.000  0.1000  0.1000  0.1000"};

    for (const std::string& numbers : wide) {
        EXPECT_THAT(refusal_of(numbers, good), HasSubstr("wide.gro:")) << numbers;
        EXPECT_THAT(refusal_of(good, numbers), HasSubstr("wide.gro:4")) << numbers;
    }
    EXPECT_EQ(refusal_of(good, "9999.999-999.9999999.999-99.9999999.9999-99.9999"), "");
}

TEST(GroReader, RefusesAFieldThatIsNoNumber)
{
    const ScratchFolder folder;
    const std::string stars = folder.file(
        "stars.gro", "stars\n1\n    1SOL     OW    1   0.230   0.6x8   0.113\n 1.0 1.0 1.0\n");
    const std::string nan = folder.file(
        "half.gro",
        "half\n1\n    1SOL     OW    1   0.230   0.628   0.113  0.1000  0.2000\n 1.0 1.0 1.0\n");

    EXPECT_THAT(refusal(stars), HasSubstr("stars.gro:3:29: coordinate y is not a number (columns 29 to 36 hold"));
    EXPECT_THAT(refusal(nan), HasSubstr("a velocity with 2 of its three components"));
}

TEST(GroReader, TurnsACellThatIsNotLowerTriangularWithPositionsAndVelocities)
{
    const ScratchFolder folder;
    // a along y, b along -x, c along z: a quarter turn of the cell 2 x 3 x 4
    const std::string path = folder.file(
        "turned.gro", "turned\n1\n    1SOL     OW    1  -0.300   0.200   0.400 -3.0000  2.0000  "
                      "4.0000\n 0.0 0.0 4.0 2.0 0.0 -3.0 0.0 0.0 0.0\n");

    const Coordinates frame = read_gro(path);

    // a turn by exact zeros and ones: only the sum of three products rounds
    const double rounding = 1e-15;
    ASSERT_TRUE(frame.box.has_value());
    EXPECT_EQ(frame.box->vectors(), (Mat3{{{2, 0, 0}, {0, 3, 0}, {0, 0, 4}}}));
    EXPECT_NEAR(norm(frame.positions[0] - Vec3{0.2, 0.3, 0.4}), 0, rounding);
    EXPECT_NEAR(norm(frame.velocities[0] - Vec3{2, 3, 4}), 0, 10 * rounding);
    ASSERT_EQ(frame.warnings.size(), 1U);
    EXPECT_THAT(frame.warnings[0], HasSubstr("turned.gro:4: the cell is not lower triangular"));
}

TEST(GroReader, RefusesACellWithoutVolumeByLine)
{
    const ScratchFolder folder;
    const std::string path = folder.file(
        "flat.gro", "flat\n1\n    1SOL     OW    1   0.230   0.628   0.113\n 1.0 1.0 0.0\n");

    EXPECT_THAT(refusal(path), HasSubstr("flat.gro:4: the cell"));
}

TEST(GroReader, UnpacksGzip)
{
    const ScratchFolder folder;
    const std::string path = folder / "packed.gro.gz";
    const std::string text = "packed\n1\n    1SOL     OW    1   0.230   0.628   0.113\n 1 1 1\n";
    gzFile file = gzopen(path.c_str(), "wb");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);

    const Coordinates frame = read_coordinates(path);

    EXPECT_EQ(frame.positions[0], (Vec3{0.230, 0.628, 0.113}));
}

TEST(GroWriter, GivesBackTheWrittenDigits)
{
    const ScratchFolder folder;
    Coordinates frame;
    frame.title = "many atoms";
    frame.time = 12.5;
    frame.step = 6250;
    frame.box = Box(Mat3{{{30, 0, 0}, {10.123456, 31, 0}, {-9.5, 4.25, 32}}});
    const std::size_t atoms = 100002; // numbers wrap
    for (std::size_t i = 0; i < atoms; ++i) {
        const auto k = static_cast<double>(i);
        frame.positions.push_back({0.123456 + k * 1e-3, -0.000001 * k, 30.5 - k * 2.5e-4});
        frame.velocities.push_back({-16.9931234 + k * 1e-4, 0.0000001 * k, 9.0});
        frame.atom_names.push_back(i % 2 == 0 ? "OW" : "HW123");
        frame.residue_names.emplace_back("SOL");
        frame.residue_numbers.push_back(std::to_string(i + 1));
    }

    const std::string path = folder / "six.gro";
    write_gro(path, frame, 6);
    const Coordinates back = read_gro(path);

    ASSERT_EQ(back.positions.size(), atoms);
    // half a unit of the last written digit, and the rounding of a double of 100 nm
    const double digit = 0.5e-6 + 1e-13;
    for (std::size_t i = 0; i < atoms; i += 1009) {
        for (int k = 0; k < 3; ++k) {
            ASSERT_NEAR(back.positions[i][k], frame.positions[i][k], digit);
            ASSERT_NEAR(back.velocities[i][k], frame.velocities[i][k], 0.1 * digit);
        }
    }
    EXPECT_EQ(back.residue_numbers[100001], "2");
    EXPECT_EQ(back.atom_names[100001], "HW123");
    EXPECT_EQ(back.time, 12.5);
    EXPECT_EQ(back.step, 6250);
    EXPECT_EQ(gro_text(back, 6), gro_text(frame, 6));
}

TEST(GroWriter, RefusesAValueThatDoesNotFitItsColumn)
{
    Coordinates frame;
    frame.positions = {{0, 0, 0}, {12345.678, 0, 0}};
    Coordinates named;
    named.positions = {{0, 0, 0}};
    named.atom_names = {"LONGER"};
    named.residue_names = {"SOL"};

    EXPECT_THAT(message_of<InputError>([&] { return gro_text(frame); }),
                HasSubstr("the position 12345.678 of atom 2 cannot be written"));
    EXPECT_THAT(message_of<InputError>([&] { return gro_text(named); }),
                HasSubstr("the atom name \"LONGER\" of atom 1"));
}

TEST(GroWriter, TellsWhyAFileCannotBeWritten)
{
    Coordinates frame;
    frame.positions = {{0, 0, 0}};

    EXPECT_THAT(message_of<FileError>([&] { write_gro("/nowhere/at/all.gro", frame); }),
                HasSubstr("/nowhere/at/all.gro: cannot be written"));
    EXPECT_THAT(message_of<FileError>([&] { write_gro("/dev/full", frame); }),
                HasSubstr("No space left on device"));
}

struct HandedGro {
    std::string name;
    std::size_t atoms;
    Vec3 first; ///< position of the first atom
    double b_y; ///< of the cell; 0 none
    bool velocities;
    std::size_t warnings;
};

class HandedGroFile : public ::testing::TestWithParam<HandedGro> {};

TEST_P(HandedGroFile, GivesTheFieldsOfItsColumns)
{
    const HandedGro& right = GetParam();
    TESSERA_HANDED_FILE(path, "gro-edge-cases/" + right.name);

    const Coordinates frame = read_coordinates(path);

    EXPECT_EQ(frame.positions.size(), right.atoms);
    EXPECT_EQ(frame.atom_names.size(), right.atoms);
    EXPECT_EQ(frame.positions[0], right.first);
    EXPECT_EQ(frame.box ? frame.box->vectors()[1].y : 0.0, right.b_y);
    EXPECT_EQ(frame.velocities.size(), right.velocities ? right.atoms : 0U);
    EXPECT_EQ(frame.warnings.size(), right.warnings);
}

INSTANTIATE_TEST_SUITE_P(
    EdgeCases, HandedGroFile,
    ::testing::Values(
        HandedGro{"argon_npt_compressed.gro.gz", 1000, {2.533, 1.244, 3.506}, 3.60140, true, 0},
        HandedGro{"grovels.gro", 4, {7.956, 12.408, 4.949}, 22.28307, true, 1},
        HandedGro{"huge_box.gro", 1, {0, 0, 0}, 40000, false, 0},
        HandedGro{"make_whole.gro", 9, {8, 5, 0}, 10, false, 0},
        HandedGro{"rb_torsions.gro", 9, {2.711, 2.946, 2.803}, 5.01061, true, 0},
        HandedGro{"residwrap.gro", 126, {5.202, 4.356, 3.155}, 8.0017, false, 0},
        HandedGro{"residwrap_0base.gro", 126, {5.202, 4.356, 3.155}, 8.0017, false, 0},
        HandedGro{"sameresid_diffresname.gro", 2, {12.094, 14.85, 8.129}, 26.74952, false, 0},
        HandedGro{"sample_velocity_file.gro", 6, {0.126, 1.624, 1.679}, 1.8206, true, 0},
        HandedGro{"test.gro", 5, {0, 0.1, 0.2}, 8.18872, true, 0},
        HandedGro{"test_incomplete_vel.gro", 5, {0, 0.1, 0.2}, 8.18872, true, 1},
        HandedGro{"triclinic.gro", 8, {1.744, 2.788, 3.162}, 3.0, false, 0},
        HandedGro{"two_water_gro.gro", 6, {0.23, 0.628, 0.113}, 10, false, 0},
        HandedGro{"two_water_gro_multiframe.gro", 6, {0.23, 0.628, 0.113}, 10, false, 1},
        HandedGro{"two_water_gro_nonames.gro", 6, {0.23, 0.628, 0.113}, 10, false, 0},
        HandedGro{"two_water_gro_widebox.gro", 6, {0.23, 0.628, 0.113}, 7.91768, false, 0}),
    [](const auto& handed) {
        std::string name = handed.param.name.substr(0, handed.param.name.find('.'));
        return name;
    });

TEST(HandedGroFiles, KeepPartialVelocitiesOnTheirOwnAtoms)
{
    TESSERA_HANDED_FILE(path, "gro-edge-cases/test_incomplete_vel.gro");

    const Coordinates frame = read_gro(path);

    EXPECT_EQ(frame.velocities[1], (Vec3{0, 0, 0}));
    EXPECT_EQ(frame.velocities[2], (Vec3{0.06, 0.07, 0.08}));
    EXPECT_EQ(frame.velocities[4], (Vec3{0.12, 0.13, 0.14}));
}

TEST(HandedGroFiles, WithFaultsAreRefusedByLine)
{
    TESSERA_HANDED_FILE(empty, "gro-edge-cases/empty_atom.gro");
    TESSERA_HANDED_FILE(unnamed, "gro-edge-cases/missing_atomname.gro");

    EXPECT_THAT(refusal(empty), HasSubstr("empty_atom.gro:3: no coordinates on an atom's line"));
    EXPECT_THAT(refusal(unnamed),
                HasSubstr("missing_atomname.gro:3:24: the line is out of its columns"));
}

TEST(HandedGroFiles, GiveAnyFrameOfSeveral)
{
    TESSERA_HANDED_FILE(path, "gro-edge-cases/two_water_gro_multiframe.gro");

    const Coordinates second = read_gro(path, 1);

    EXPECT_EQ(second.box->vectors()[0].x, 12.0);
    EXPECT_THAT(second.warnings, IsEmpty());
}

TEST(ReadCoordinates, NamesTheExtensionsItKnows)
{
    EXPECT_THAT(message_of<InputError>([] { read_coordinates("conf.xyz"); }),
                HasSubstr("the extension \".xyz\" is not known"));
}

} // namespace
} // namespace tessera::test
