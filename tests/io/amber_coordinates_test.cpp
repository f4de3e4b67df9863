#include "engine/math/units.hpp"
#include "io/amber_coordinates.hpp"
#include "tests/io/scratch_file.hpp"

#include <cmath>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace tessera::test
{

using ::testing::HasSubstr;

namespace
{

constexpr double digit = 1e-12; ///< a few roundings of numbers below 100

const std::string one_line =
    "   1.0000000   2.0000000   3.0000000   4.0000000   5.0000000   6.0000000\n";
const std::string half_line = "   7.0000000   8.0000000   9.0000000\n";
const std::string small_line =
    "   0.1000000   0.2000000   0.3000000   0.4000000   0.5000000   0.6000000\n";
const std::string half_small = "   0.7000000   0.8000000   0.9000000\n";
const std::string cell_line =
    "  60.0000000  60.0000000  60.0000000  90.0000000  90.0000000  90.0000000\n";

Coordinates read(const std::string& text, int ifbox = 0, int expected_atoms = 0)
{
    const ScratchFolder folder;
    return read_amber_restart(folder.file("a.rst7", text), ifbox, expected_atoms);
}

std::string fault_of(const std::string& text, int ifbox = 0, int expected_atoms = 0)
{
    return message_of<InputError>([&] { read(text, ifbox, expected_atoms); });
}

} // namespace

TEST(AmberRestart, HoldsVelocitiesAndCellWhereAllLinesAreThere)
{
    const Coordinates frame =
        read("title\n3  1.5\n" + one_line + half_line + small_line + half_small + cell_line, 1);

    ASSERT_EQ(frame.positions.size(), 3U);
    EXPECT_NEAR(frame.positions[2].z, 0.9, digit);
    ASSERT_EQ(frame.velocities.size(), 3U);
    EXPECT_NEAR(frame.velocities[2].x, 0.7 * 2.0455, digit);
    ASSERT_TRUE(frame.box.has_value());
    EXPECT_NEAR(frame.box->vectors()[0].x, 6.0, digit);
    EXPECT_EQ(frame.time, 1.5);
    EXPECT_EQ(frame.title, "title");
}

TEST(AmberRestart, HoldsTheCellAloneWhereOneLineFollows)
{
    const Coordinates frame = read("title\n3\n" + one_line + half_line + cell_line, 1);

    EXPECT_TRUE(frame.velocities.empty());
    ASSERT_TRUE(frame.box.has_value());
    EXPECT_NEAR(frame.box->volume(), 216.0, 1e-9);
}

TEST(AmberRestart, TakesTheOneLineOfTwoAtomsAsVelocitiesWithoutIfbox)
{
    const Coordinates frame = read("title\n2\n" + one_line + cell_line, 0);

    EXPECT_FALSE(frame.box.has_value());
    ASSERT_EQ(frame.velocities.size(), 2U);
    EXPECT_NEAR(frame.velocities[0].x, 60 * 2.0455, 1e-9);
}

TEST(AmberRestart, TakesTheOneLineOfTwoAtomsAsCellWithIfbox)
{
    const Coordinates frame = read("title\n2\n" + one_line + cell_line, 1);

    EXPECT_TRUE(frame.velocities.empty());
    ASSERT_TRUE(frame.box.has_value());
    EXPECT_NEAR(frame.box->vectors()[2].z, 6.0, digit);
}

TEST(AmberRestart, WarnsOfALineThatMayBeVelocitiesOrCellWhereNoTopologyTells)
{
    const std::string two = "title\n2\n" + one_line + cell_line, one = "title\n1\n" + half_line;

    for (const std::string& text : {two, one + half_small}) {
        const Coordinates frame = read(text, -1);
        EXPECT_FALSE(frame.velocities.empty());
        ASSERT_EQ(frame.warnings.size(), 1U);
        EXPECT_THAT(frame.warnings[0], HasSubstr("a.rst7:4: taken as velocities"));
        EXPECT_TRUE(read(text, 0).warnings.empty());
        EXPECT_TRUE(read(text, 1).warnings.empty());
    }
    EXPECT_TRUE(read(one + cell_line, -1).warnings.empty());
    EXPECT_TRUE(read("title\n3\n" + one_line + half_line + cell_line, -1).warnings.empty());
}

TEST(AmberRestart, CountsNumbersWhereOneAtomHasOneLineMore)
{
    const std::string one_atom = "title\n1\n" + half_line;

    EXPECT_EQ(read(one_atom + half_small, 0).velocities.size(), 1U);
    EXPECT_TRUE(read(one_atom + cell_line, 0).box.has_value());
    EXPECT_TRUE(read(one_atom + half_small + cell_line, 1).box.has_value());
}

TEST(AmberRestart, ReadsFieldsThatTouch)
{
    const Coordinates frame = read("title\n1\n-100.1234567-200.1234567-300.1234567\n");

    EXPECT_NEAR(frame.positions[0].x, -10.01234567, digit);
    EXPECT_NEAR(frame.positions[0].y, -20.01234567, digit);
    EXPECT_NEAR(frame.positions[0].z, -30.01234567, digit);
}

TEST(AmberRestart, NamesLineAndColumnOfAnOverflowedField)
{
    const std::string message = fault_of("title\n1\n   1.0000000************   3.0000000\n");

    EXPECT_THAT(message, HasSubstr("a.rst7:3:13: an overflowed field"));
}

TEST(AmberRestart, AcceptsBlankLinesAtTheEnd)
{
    const Coordinates frame = read("title\n3\n" + one_line + half_line + cell_line + "\n   \n", 1);

    EXPECT_TRUE(frame.box.has_value());
    EXPECT_TRUE(frame.velocities.empty());
}

TEST(AmberRestart, ReadsCountsOfAnyWidthAndLinesWithCarriageReturns)
{
    std::string text = "title\r\n100002\r\n";
    for (int k = 0; k < 50001; ++k) {
        text += one_line.substr(0, 72) + "\r\n";
    }

    EXPECT_EQ(read(text).positions.size(), 100002U);
    EXPECT_EQ(read("title\n    2  0.1000000E+02  0.3000000E+03\n" + one_line).time, 10.0);
}

TEST(AmberRestart, ReadsOldCellsOfThreeLengths)
{
    const Coordinates frame = read("title\n3\n" + one_line + half_line + half_line, 1);

    ASSERT_TRUE(frame.box.has_value());
    EXPECT_TRUE(frame.box->is_rectangular());
    EXPECT_NEAR(frame.box->vectors()[1].y, 0.8, digit);
}

TEST(AmberRestart, TurnsCellAnglesIntoALowerTriangularCell)
{
    const std::string octahedron =
        "  50.0000000  50.0000000  50.0000000 109.4712190 109.4712190 109.4712190\n";

    const Coordinates frame = read("title\n3\n" + one_line + half_line + octahedron, 2);

    ASSERT_TRUE(frame.box.has_value());
    EXPECT_NEAR(frame.box->vectors()[1].x, 5.0 * std::cos(109.4712190 * units::degree), digit);
}

TEST(AmberRestart, RefusesFilesThatAreCutShortOrDoNotFit)
{
    EXPECT_THAT(fault_of("title\n3\n" + one_line), HasSubstr("ends after 1 lines of coordinates"));
    EXPECT_THAT(fault_of("title\n5\n" + one_line + one_line + half_line + small_line + small_line),
                HasSubstr("2 lines follow the coordinates of 5 atoms"));
    EXPECT_THAT(fault_of("title\n3\n" + one_line + one_line), HasSubstr("more than 3 numbers"));
    EXPECT_THAT(fault_of("title\nabc\n" + one_line), HasSubstr("a.rst7:2:1: the number of atoms"));
    EXPECT_THAT(fault_of("title\n3\n" + one_line + half_line, 1), HasSubstr("without a cell"));
    EXPECT_THAT(fault_of("title\n3\n" + one_line + half_line, 0, 4),
                HasSubstr("the topology has 4"));
    EXPECT_THAT(fault_of("title\n3\n" + one_line + half_line, 1, 4),
                HasSubstr("the topology has 4")); // before the missing cell: it explains it
    EXPECT_THAT(fault_of(""), HasSubstr("number of atoms is missing"));
}

TEST(AmberRestart, ScalesVelocitiesByAmbersTimeUnit)
{
    // two argon atoms at +-0.1 in the file: 0.20455 nm/ps, kinetic energy 1.67145238347 kJ/mol
    const Coordinates frame = read("title\n2\n" + one_line +
                                   "   0.1000000   0.0000000   0.0000000  -0.1000000   0.0000000   "
                                   "0.0000000\n");
    const double kinetic = 0.5 * 39.948 * (norm2(frame.velocities[0]) + norm2(frame.velocities[1]));

    EXPECT_NEAR(frame.velocities[0].x, 0.20455, digit);
    EXPECT_NEAR(kinetic, 1.67145238347, 1e-10);
}

TEST(AmberRestart, ReadsTheHandedFilesWithTheirAtomCounts)
{
    struct Known {
        const char* file;
        int ifbox;
        std::size_t atoms;
        bool has_velocities;
        bool has_cell;
    };
    for (const Known& known : {
             Known{"amber-ala-dipeptide-water/alanine-dipeptide.crd", 1, 2269, false, true},
             Known{"amber-benzene-cyclohexane/benzene_cyclohexane_10_500.inpcrd", 1, 9120, false,
                   true},
             Known{"amber-cb7-viologen/complex-explicit.inpcrd", 1, 14362, false, true},
             Known{"amber-dna-dodecamer/dna.inpcrd", 1, 13646, false, true},
             Known{"amber-adh206-truncoct/adh206.tip3p.rst7.gz", 2, 10849, true, true},
             Known{"amber-gas-small/ash.rst7", 0, 25, false, false},
             Known{"amber-gas-small/ala_ala_ala.rst7", 0, 33, false, false},
             Known{"amber-gas-small/trx.inpcrd", 0, 1654, true, false},
             Known{"amber-gas-small/znf.rst", 0, 551, false, false},
             Known{"amber-gas-small/biphenyl.crd", 0, 22, false, false},
             Known{"amber-jac-dhfr/JAC.inpcrd", 1, 23558, true, true},
             Known{"amber-jac-x4-94k/jac_x4.ncrst", 1, 94232, false, true},
             Known{"amber-jac-x4-94k/jac_x4.rst7.gz", 1, 94232, false, true},
             Known{"amber-methanol-box/methanol-box.crd", 1, 750, false, true},
             Known{"amber-mgwater-1264/Mg_water.inpcrd", 1, 2164, true, true},
             Known{"amber-misc-formats/amber.ncrst", 1, 2101, true, true},
             Known{"amber-misc-formats/ncinpcrd.rst7", 1, 2101, true, true},
             Known{"amber-misc-formats/crdsonly.rst7", 0, 28, false, false},
             Known{"amber-misc-formats/crds_box.rst7", 1, 18660, false, true},
             Known{"amber-misc-formats/crds_vels.rst7", 0, 28, true, false},
             Known{"amber-misc-formats/crds_vels_box.rst7", 1, 2101, true, true},
             Known{"amber-misc-formats/old.inpcrd", 2, 2101, false, true},
             Known{"amber-misc-formats/peptide_with_tip4p.inpcrd", 2, 85, false, true},
             Known{"amber-nacl-crystal/nacl.box.rst7", 1, 64, false, true},
             Known{"amber-solv2/solv2.rst7", 1, 5321, false, true},
             Known{"amber-t4l-vac/complex-minimized.crd", 0, 2621, false, false},
             Known{"amber-tip4pew-216/tip4p.rst7", 1, 864, true, true},
             Known{"amber-tz2-ortho/tz2.ortho.nc", 1, 5293, false, true},
             Known{"amber-tz2-ortho/tz2.ortho.rst7", 1, 5293, false, true},
             Known{"charmm-ala3-solv/ala3_solv.rst7", 1, 2776, false, true},
         }) {
        TESSERA_HANDED_FILE(path, known.file);
        SCOPED_TRACE(known.file);

        const Coordinates frame =
            read_amber_restart(path, known.ifbox, static_cast<int>(known.atoms));

        EXPECT_EQ(frame.positions.size(), known.atoms);
        EXPECT_EQ(!frame.velocities.empty(), known.has_velocities);
        EXPECT_EQ(frame.box.has_value(), known.has_cell);
    }
}

} // namespace tessera::test
