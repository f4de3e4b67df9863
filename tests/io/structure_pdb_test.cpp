#include "io/coordinates.hpp"
#include "io/structure_pdb.hpp"
#include "tests/io/scratch_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::test
{
namespace
{

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string plain_atom =
    "ATOM      1  CA  ALA A   1       1.000   2.000   3.000  1.00  0.00           C\n";

TEST(PdbReader, CutsFieldsByColumnsWhereTheyTouch)
{
    const ScratchFolder folder;
    const std::string path = folder.file(
        "touch.pdb", "TITLE     touching\n"
                     "ATOM  100000HG11 VALXA  52A   -123.456-234.5671234.567  1.00  0.00\n"
                     "HETATMA000A CA    CA BZZZZ    1000.0001000.0001000.000\n"
                     "ATOM  *****  O  AHOH C****      -0.001   0.000   9.999  0.50  0.00\n");

    const Coordinates frame = read_pdb(path);

    ASSERT_EQ(frame.positions.size(), 3U);
    EXPECT_EQ(frame.atom_names[0], "HG11");
    EXPECT_EQ(frame.residue_names[0], "VALX");
    EXPECT_EQ(frame.residue_numbers[0], "52A");
    EXPECT_EQ(frame.positions[0], (Vec3{-123.456 / 10, -234.567 / 10, 1234.567 / 10}));
    EXPECT_EQ(frame.residue_numbers[1], "ZZZZ");
    EXPECT_EQ(frame.positions[1], (Vec3{100, 100, 100}));
    EXPECT_EQ(frame.residue_numbers[2], "****");
    EXPECT_FALSE(frame.box.has_value());
}

TEST(PdbReader, TakesNoCellFromAbsentUnitOrZeroCryst1)
{
    const ScratchFolder folder;
    const auto has_cell = [&](const std::string& record) {
        return read_pdb(folder.file("cell.pdb", record + plain_atom)).box.has_value();
    };

    EXPECT_FALSE(has_cell(""));
    EXPECT_FALSE(has_cell("CRYST1    1.000    1.000    1.000  90.00  90.00  90.00 P 1\n"));
    EXPECT_FALSE(has_cell("CRYST1    0.000    0.000    0.000   0.00   0.00   0.00 P 1\n"));
    EXPECT_TRUE(has_cell("CRYST1   10.000    1.000    1.000  90.00  90.00  90.00 P 1\n"));
}

TEST(PdbReader, MakesRightAnglesExact)
{
    const ScratchFolder folder;
    const std::string path = folder.file(
        "right.pdb", "CRYST1   30.000   40.000   50.000  90.00  90.00 120.00\n" + plain_atom);

    const Box box = *read_pdb(path).box;

    EXPECT_EQ(box.vectors()[2], (Vec3{0, 0, 5}));
    EXPECT_NEAR(box.vectors()[1].x, 3 - 2, 2e-15); // 4 cos 120 degrees, and one a to reduce it
}

TEST(PdbReader, RefusesByLineWhatIsNoNumberOrNoCell)
{
    const ScratchFolder folder;
    const std::string star = folder.file(
        "star.pdb", "ATOM      1  CA  ALA A   1       1.000 *******   3.000  1.00  0.00\n");
    const std::string flat = folder.file(
        "flat.pdb", "CRYST1   30.000   40.000   50.000  90.00  90.00   0.00\n" + plain_atom);
    const std::string none = folder.file("none.pdb", "REMARK nothing\nEND\n");
    const auto refusal = [](const std::string& path) {
        return message_of<InputError>([&] { read_pdb(path); });
    };

    EXPECT_THAT(refusal(star), HasSubstr("star.pdb:1:39: coordinate y is not a number (columns 39 to 46 hold"));
    EXPECT_THAT(refusal(flat), HasSubstr("flat.pdb:1: a cell with angles 90 90 0 degrees"));
    EXPECT_THAT(refusal(none), HasSubstr("the file holds no atoms"));
}

TEST(PdbReader, TakesTheAlternateLocationOfHighestOccupancy)
{
    const ScratchFolder folder;
    const std::string path =
        folder.file("alternate.pdb",
                    "ATOM      1  N   SER A   1       1.000   0.000   0.000  1.00  0.00\n"
                    "ATOM      2  CA ASER A   1       2.000   0.000   0.000  0.40  0.00\n"
                    "ATOM      3  CA BSER A   1       3.000   0.000   0.000  0.60  0.00\n"
                    "ATOM      4  CB ASER A   1       4.000   0.000   0.000  0.40  0.00\n"
                    "ATOM      5  CB BSER A   1       5.000   0.000   0.000  0.60  0.00\n"
                    "ATOM      6  OG ASER A   1       6.000   0.000   0.000  0.40  0.00\n" // no B
                    "ATOM      7  CA AALA A   2       7.000   0.000   0.000  0.50  0.00\n"
                    "ATOM      8  CA BGLY A   2       8.000   0.000   0.000  0.50  0.00\n"
                    "ATOM      9  CB AALA A   2       9.000   0.000   0.000  0.50  0.00\n");

    const Coordinates frame = read_pdb(path);

    std::vector<double> x;
    for (const Vec3& position : frame.positions) {
        x.push_back(10 * position.x);
    }
    EXPECT_EQ(x, (std::vector<double>{1, 3, 5, 6, 7, 9}));
    ASSERT_EQ(frame.warnings.size(), 1U);
    EXPECT_THAT(frame.warnings[0], HasSubstr("3 atoms at alternate locations were left out"));
}

TEST(PdbReader, TakesTheFirstModelAndSaysSo)
{
    const ScratchFolder folder;
    const std::string path = folder.file("models.pdb", "MODEL        1\n" + plain_atom +
                                                           "TER\nENDMDL\nMODEL        2\n" +
                                                           plain_atom + "ENDMDL\nEND\n");

    const Coordinates frame = read_pdb(path);

    EXPECT_EQ(frame.positions.size(), 1U);
    ASSERT_EQ(frame.warnings.size(), 1U);
    EXPECT_THAT(frame.warnings[0], HasSubstr("models.pdb:5: further models follow"));
}

TEST(PdbReader, GoesOnBehindEndWhereTheTopologyHasMoreAtoms)
{
    const ScratchFolder folder;
    const std::string path = folder.file("parts.pdb", plain_atom + "END\n" + plain_atom + "END\n");

    EXPECT_EQ(read_coordinates(path).positions.size(), 1U);
    EXPECT_EQ(read_coordinates(path, {2, 0}).positions.size(), 2U);
}

TEST(PdbWriter, GivesBackTheWrittenDigitsAndTheCell)
{
    const ScratchFolder folder;
    Coordinates frame;
    frame.positions = {{-0.1234, 12.3456, 99.9999}, {1, 2, 3}};
    frame.atom_names = {"CA", "HG11"};
    frame.residue_names = {"ALA", "HIPX"};
    frame.residue_numbers = {"9999", "10000"};
    frame.box = Box(Mat3{{{4, 0, 0}, {1, 5, 0}, {-1, 1.5, 6}}});

    const std::string path = folder / "out.pdb";
    write_pdb(path, frame, {6, 1});
    const Coordinates back = read_pdb(path);

    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_NEAR(norm(back.positions[i] - frame.positions[i]), 0, 1e-14);
    }
    EXPECT_EQ(back.atom_names, frame.atom_names);
    EXPECT_EQ(back.residue_names, frame.residue_names);
    EXPECT_EQ(back.residue_numbers, (std::vector<std::string>{"9999", "0"}));
    for (int k = 0; k < 3; ++k) {
        // lengths to 1e-4 nm, angles to 0.01 degrees of 6 nm: half of the last digits
        EXPECT_NEAR(norm(back.box->vectors()[k] - frame.box->vectors()[k]), 0, 1e-3);
    }
    EXPECT_THAT(pdb_text(frame, {6, 1}), HasSubstr("ATOM      1  CA  ALA  9999 "));
    EXPECT_THAT(pdb_text(frame, {20, 1}), HasSubstr("ATOM      1 CA   ALA  9999 "));
}

TEST(PdbWriter, RefusesAValueThatDoesNotFitItsColumn)
{
    Coordinates frame;
    frame.positions = {{1000, 0, 0}};

    EXPECT_THAT(message_of<InputError>([&] { pdb_text(frame); }),
                HasSubstr("the position (Å) 10000 of atom 1 cannot be written"));
}

TEST(HandedPdbFiles, GiveTheSameSystemAsTheirGro)
{
    TESSERA_HANDED_FILE(pdb, "gro-edge-cases/triclinic.pdb");
    TESSERA_HANDED_FILE(gro, "gro-edge-cases/triclinic.gro");

    const Coordinates a = read_coordinates(pdb), b = read_coordinates(gro);

    ASSERT_EQ(a.positions.size(), b.positions.size());
    for (std::size_t i = 0; i < a.positions.size(); ++i) {
        EXPECT_NEAR(norm(a.positions[i] - b.positions[i]), 0, 1e-15 * 8);
        EXPECT_EQ(a.atom_names[i], b.atom_names[i]);
    }
    for (int k = 0; k < 3; ++k) {
        // the .pdb's angles have two decimals
        EXPECT_NEAR(norm(a.box->vectors()[k] - b.box->vectors()[k]), 0, 1e-3);
    }
}

TEST(HandedPdbFiles, WithModelsOrWithoutElementsAreRead)
{
    TESSERA_HANDED_FILE(water, "gmx-simdb-small/spc5.pdb");
    TESSERA_HANDED_FILE(peptide, "gmx-opls-peptide/IKEA.pdb");

    EXPECT_DOUBLE_EQ(read_coordinates(water).box->vectors()[0].x, 1.8621);
    EXPECT_EQ(read_coordinates(water).positions.size(), 15U);
    EXPECT_THAT(read_coordinates(peptide).warnings, IsEmpty());
}

} // namespace
} // namespace tessera::test
