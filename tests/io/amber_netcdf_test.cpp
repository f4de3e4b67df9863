#include "io/amber_coordinates.hpp"
#include "io/amber_coordinates_netcdf.hpp"
#include "io/charmm_crd.hpp"
#include "tests/io/netcdf_bytes.hpp"
#include "tests/io/scratch_file.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace tessera::test
{

using ::testing::HasSubstr;

namespace
{

constexpr double digit = 1e-12;      ///< doubles below 100
constexpr double float_digit = 1e-6; ///< floats below 10

NetcdfBytes restart(int version)
{
    NetcdfBytes file(version);
    file.dimension("atom", 2).dimension("spatial", 3).attribute("Conventions", "AMBERRESTART");
    file.attribute("title", "two atoms");
    file.variable("time", {}, 6, {12.5}, {file.text_attribute("units", "picosecond")});
    file.variable("coordinates", {0, 1}, 6, {1, 2, 3, 4, 5, 6},
                  {file.text_attribute("units", "angstrom")});
    file.variable("velocities", {0, 1}, 6, {0.1, 0, 0, -0.1, 0, 0},
                  {file.text_attribute("units", "angstrom/picosecond"),
                   file.number_attribute("scale_factor", 20.455)});
    file.variable("cell_lengths", {1}, 6, {30, 40, 50}, {file.text_attribute("units", "angstrom")});
    file.variable("cell_angles", {1}, 6, {90, 90, 90}, {file.text_attribute("units", "degree")});
    return file;
}

Coordinates read(const std::string& bytes, int ifbox = 0)
{
    const ScratchFolder folder;
    return read_amber_restart(folder.file("a.rst7", bytes), ifbox, 0);
}

std::string fault_of(const std::string& bytes)
{
    return message_of<InputError>([&] { read(bytes); });
}

} // namespace

TEST(AmberNetcdf, ReadsRestartsOfAllClassicKinds)
{
    for (const int version : {1, 2, 5}) {
        SCOPED_TRACE(version);

        const Coordinates frame = read(restart(version).bytes(), 1);

        ASSERT_EQ(frame.positions.size(), 2U);
        EXPECT_NEAR(frame.positions[1].z, 0.6, digit);
        EXPECT_NEAR(frame.velocities[0].x, 0.20455, digit);
        ASSERT_TRUE(frame.box.has_value());
        EXPECT_NEAR(frame.box->vectors()[2].z, 5.0, digit);
        EXPECT_EQ(frame.time, 12.5);
        EXPECT_EQ(frame.title, "two atoms");
    }
}

TEST(AmberNetcdf, ReadsATrajectoryOfOneFrame)
{
    NetcdfBytes file(2);
    file.records(1).dimension("frame", 0).dimension("atom", 2).dimension("spatial", 3);
    file.attribute("Conventions", "AMBER");
    file.variable("time", {0}, 5, {2.0});
    file.variable("coordinates", {0, 1, 2}, 5, {1, 2, 3, 4, 5, 6});

    const Coordinates frame = read(file.bytes());

    ASSERT_EQ(frame.positions.size(), 2U);
    EXPECT_NEAR(frame.positions[1].y, 0.5, float_digit);
    EXPECT_EQ(frame.time, 2.0);
    EXPECT_FALSE(frame.box.has_value());
}

TEST(AmberNetcdf, TakesTheLastOfSeveralFramesAndSaysSo)
{
    NetcdfBytes file(2);
    file.records(3).dimension("frame", 0).dimension("atom", 1).dimension("spatial", 3);
    file.attribute("Conventions", "AMBER");
    file.variable("time", {0}, 5, {2.0, 3.0, 4.0});
    file.variable("coordinates", {0, 1, 2}, 5, {1, 2, 3, 4, 5, 6, 7, 8, 9});
    file.variable("cell_lengths", {0, 2}, 6, {20, 20, 20, 30, 30, 30, 40, 40, 50});
    file.variable("cell_angles", {0, 2}, 6, {90, 90, 90, 90, 90, 90, 90, 90, 90});

    const Coordinates frame = read(file.bytes());

    ASSERT_EQ(frame.positions.size(), 1U);
    EXPECT_NEAR(frame.positions[0].x, 0.7, float_digit);
    EXPECT_EQ(frame.time, 4.0);
    ASSERT_TRUE(frame.box.has_value());
    EXPECT_NEAR(frame.box->vectors()[2].z, 5.0, digit);
    ASSERT_EQ(frame.warnings.size(), 1U);
    EXPECT_THAT(frame.warnings[0], HasSubstr("holds 3 frames; the last one is taken"));

    const std::string whole = file.bytes();
    constexpr std::size_t record = 4 + 12 + 24 + 24;
    for (const std::size_t less : {std::size_t{1}, record, record + 1, 2 * record}) {
        EXPECT_THAT(fault_of(whole.substr(0, whole.size() - less)), HasSubstr("header promises"));
    }
}

TEST(AmberNetcdf, RefusesATrajectoryWithoutFrames)
{
    NetcdfBytes file(2);
    file.dimension("frame", 0).dimension("atom", 2).dimension("spatial", 3);
    file.attribute("Conventions", "AMBER");
    file.variable("coordinates", {0, 1, 2}, 5, {});

    EXPECT_THAT(fault_of(file.bytes()), HasSubstr("holds no frame"));
}

TEST(AmberNetcdf, HonoursUnitsAndRefusesUnknownOnes)
{
    NetcdfBytes file(1);
    file.dimension("atom", 1).dimension("spatial", 3).attribute("Conventions", "AMBERRESTART");
    NetcdfBytes other = file;
    file.variable("coordinates", {0, 1}, 6, {1, 2, 3}, {file.text_attribute("units", "nanometer")});
    other.variable("coordinates", {0, 1}, 6, {1, 2, 3}, {other.text_attribute("units", "bohr")});

    EXPECT_NEAR(read(file.bytes()).positions[0].x, 1.0, digit);
    EXPECT_THAT(fault_of(other.bytes()), HasSubstr("\"bohr\""));
}

TEST(AmberNetcdf, TellsOfEveryTruncationInsteadOfCrashing)
{
    const std::string whole = restart(2).bytes();
    for (std::size_t length = 8; length < whole.size(); ++length) {
        const std::string message = message_of<InputError>(
            [&] { amber_netcdf_frame(Netcdf3(whole.substr(0, length), "a.nc")); });
        EXPECT_FALSE(message.empty()) << length << " bytes";
    }
}

TEST(AmberNetcdf, TellsOfHeadersThatPromiseMoreThanTheFileHolds)
{
    NetcdfBytes file(5);
    file.dimension("atom", std::int64_t{1} << 60).dimension("spatial", 3);
    file.attribute("Conventions", "AMBERRESTART");
    file.variable("coordinates", {0, 1}, 6, {1, 2, 3});

    EXPECT_FALSE(fault_of(file.bytes()).empty());

    std::string bytes = restart(2).bytes();
    const std::size_t dimension = bytes.find("atom") + 4;
    bytes.replace(dimension, 4, std::string("\x7F\xFF\xFF\xFF", 4));
    EXPECT_THAT(fault_of(bytes), HasSubstr("its header promises"));
}

TEST(AmberNetcdf, SurvivesEveryFlippedByteOfTheHeader)
{
    const std::string whole = restart(2).bytes();
    for (std::size_t at = 4; at < whole.size(); ++at) {
        std::string bytes = whole;
        bytes[at] = static_cast<char>(bytes[at] ^ 0x81);
        // a fault in words, or other numbers; any other exception would end the test
        message_of<InputError>([&] { amber_netcdf_frame(Netcdf3(bytes, "a.nc")); });
    }
}

TEST(AmberNetcdf, RefusesHdf5ByName)
{
    EXPECT_THAT(fault_of("\x89HDF\r\n\x1a\n rest"), HasSubstr("NetCDF-4"));
}

TEST(CharmmCrd, ReadsNormalAndWideColumns)
{
    const ScratchFolder folder;
    const std::string narrow = folder.file(
        "a.crd", "* TITLE\n*\n    1\n"
                 "    1    1 ALA  HT1   -1.23456-100.00000   3.00000 MAIN 12A    0.00000\n");
    const std::string wide = folder.file(
        "b.crd",
        "* TITLE\n*\n         1  EXT\n" +
            fmt::format("{:10}{:10}  {:8}  {:8}{:20.10f}{:20.10f}{:20.10f}  {:8}  {:8}{:20.10f}\n",
                        1, 1, "ALANINE", "HT1", -1.23456, -100.0, 3.0, "MAIN", "12A", 0.0));

    for (const std::string& path : {narrow, wide}) {
        const Coordinates frame = read_charmm_crd(path);

        ASSERT_EQ(frame.positions.size(), 1U);
        EXPECT_NEAR(frame.positions[0].x, -0.123456, digit);
        EXPECT_NEAR(frame.positions[0].y, -10.0, digit);
        EXPECT_EQ(frame.atom_names[0], "HT1");
        EXPECT_EQ(frame.residue_numbers[0], "12A");
        EXPECT_EQ(frame.title, "TITLE");
    }
    EXPECT_EQ(read_charmm_crd(wide).residue_names[0], "ALANINE");
}

TEST(CharmmCrd, NamesTheLineWhereAFileEndsTooEarly)
{
    const ScratchFolder folder;
    const std::string path = folder.file(
        "a.crd", "* TITLE\n    2\n"
                 "    1    1 ALA  HT1   -1.23456   2.00000   3.00000 MAIN 1      0.00000\n");

    EXPECT_THAT(message_of<InputError>([&] { read_charmm_crd(path); }),
                HasSubstr("ends after 1 atoms"));
}

TEST(CharmmCrd, IsToldFromAmberByItsFirstCharacter)
{
    EXPECT_TRUE(is_charmm_crd("* title\n*\n 3\n"));
    EXPECT_FALSE(is_charmm_crd("title\n 3\n"));
}

TEST(CharmmCrd, ReadsTheHandedFile)
{
    TESSERA_HANDED_FILE(path, "charmm-ala3-solv/ala3_solv.crd");

    EXPECT_EQ(read_charmm_crd(path).positions.size(), 2776U);
}

} // namespace tessera::test
