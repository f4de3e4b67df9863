#include "engine/base/unfit_file.hpp"
#include "io/coordinates.hpp"
#include "io/hdf5.hpp"
#include "io/structure_h5md.hpp"
#include "io/unit_text.hpp"
#include "tests/io/scratch_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::test
{
namespace
{

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// float32 of numbers below 100 nm: half a unit in the last place
constexpr double single = 4e-6;

TEST(UnitFactor, KnowsLengthsTimesAndTheirPowers)
{
    EXPECT_EQ(unit_factor("nm"), 1.0);
    EXPECT_EQ(unit_factor("Angstrom"), 0.1);
    EXPECT_DOUBLE_EQ(*unit_factor("Angstrom fs-1"), 100);
    EXPECT_DOUBLE_EQ(*unit_factor("nm+1 ns-1"), 1e-3);
    EXPECT_EQ(unit_factor("eV"), std::nullopt);
    EXPECT_EQ(unit_factor("nm ps^-1"), std::nullopt);
}

TEST(HandedH5mdFiles, OfMdAnalysisAreReadInTheirUnits)
{
    TESSERA_HANDED_FILE(path, "h5md-samples/test.h5md");

    const Coordinates first = read_h5md(path, H5mdFrame::first), last = read_coordinates(path);

    ASSERT_EQ(first.positions.size(), 5U);
    EXPECT_EQ(first.velocities.size(), 5U);
    // its makers' closed form: positions of atom i in frame k are (3i, 3i+1, 3i+2) 2^k A
    for (int i = 0; i < 5; ++i) {
        const auto at = static_cast<std::size_t>(i);
        EXPECT_NEAR(norm(first.positions[at] - 0.1 * Vec3{3.0 * i, 3.0 * i + 1, 3.0 * i + 2}), 0,
                    single);
        EXPECT_NEAR(norm(last.positions[at] - 16 * first.positions[at]), 0, 16 * single);
    }
    EXPECT_EQ(first.time, 0);
    EXPECT_EQ(last.time, 4);
    EXPECT_TRUE(first.box.has_value());
}

TEST(HandedH5mdFiles, OfGromacsAreReadWithoutUnitsAndWithoutRemark)
{
    TESSERA_HANDED_FILE(h5md, "h5md-samples/spc2-traj.h5md");
    TESSERA_HANDED_FILE(gro, "h5md-samples/spc2-traj.gro");

    const Coordinates a = read_h5md(h5md, H5mdFrame::first), b = read_coordinates(gro);

    ASSERT_EQ(a.positions.size(), b.positions.size());
    for (std::size_t i = 0; i < a.positions.size(); ++i) {
        // the .gro has three decimals
        EXPECT_NEAR(norm(a.positions[i] - b.positions[i]), 0, 1e-3);
        EXPECT_NEAR(norm(a.velocities[i] - b.velocities[i]), 0, 1e-4 + single);
    }
    EXPECT_NEAR(norm(a.box->vectors()[2] - b.box->vectors()[2]), 0, 1e-5);
    EXPECT_THAT(a.warnings, IsEmpty());
}

TEST(HandedH5mdFiles, WithOtherGroupNamesAndAngstromsAreRead)
{
    TESSERA_HANDED_FILE(copper, "h5md-samples/cu.h5md");
    TESSERA_HANDED_FILE(odd, "h5md-samples/cu_malformed.h5md"); // odd among the observables only
    TESSERA_HANDED_FILE(toxin, "h5md-samples/cobrotoxin.h5md");

    const Coordinates a = read_coordinates(copper), b = read_coordinates(odd);

    EXPECT_EQ(a.positions.size(), 108U);
    EXPECT_LT(a.box->vectors()[0].x, 2); // 108 atoms of copper: about 1.1 nm, not 11
    EXPECT_EQ(a.positions, b.positions);
    EXPECT_EQ(read_coordinates(toxin).positions.size(), 19385U);
}

TEST(H5mdReader, RefusesMalformedFilesInWords)
{
    const ScratchFolder folder;
    const auto refusal = [&](auto&& fill) {
        const std::string path = folder / "bad.h5md";
        {
            h5::File file = h5::File::create(path);
            fill(file);
            file.close();
        }
        return message_of<InputError>([&] { read_h5md(path); });
    };
    const std::vector<double> numbers(12, 1.0);
    const auto begin = [](h5::File& file) {
        file.create_group("/h5md");
        file.create_group("/particles/trajectory/position");
    };
    const std::string value = "/particles/trajectory/position/value";

    EXPECT_THAT(refusal([](h5::File&) {}), HasSubstr("the group /h5md is missing"));
    EXPECT_THAT(refusal([](h5::File& file) { file.create_group("/h5md"); }),
                HasSubstr("no group of /particles has positions"));
    EXPECT_THAT(refusal([&](h5::File& file) { begin(file); }),
                HasSubstr("/particles/trajectory/position/value is missing"));
    EXPECT_THAT(refusal([&](h5::File& file) {
                    begin(file);
                    file.write(value, std::span<const double>(numbers), {2, 3, 2});
                }),
                HasSubstr("is not of frames, atoms and three coordinates"));
    EXPECT_THAT(refusal([&](h5::File& file) {
                    begin(file);
                    file.write(value, std::span<const double>(), {0, 4, 3});
                }),
                HasSubstr("holds no frames"));
    EXPECT_THAT(refusal([&](h5::File& file) {
                    begin(file);
                    file.write(value, std::span<const double>(numbers), {1, 4, 3});
                    file.set_text(value, "unit", "furlong");
                }),
                HasSubstr("the unit \"furlong\" of /particles/trajectory/position/value"));
}

/// One altered byte of an extent is enough to make HDF5 allocate and loop without end.
TEST(H5mdReader, RefusesExtentsThatTheFileCannotHoldBeforeReading)
{
    const ScratchFolder folder;
    const std::string position = "/particles/trajectory/position";
    // of position, step and time; all but one have two rows
    const auto refusal = [&](const std::string& damaged, hsize_t rows) {
        const std::string path = folder / "huge.h5md";
        {
            h5::File file = h5::File::create(path);
            file.create_group("/h5md");
            file.create_group(position);
            const std::vector<std::int64_t> step = {0, 1};
            const std::vector<double> time = {0, 1}, value(2 * 4 * 3, 1.0);
            const auto fill = [&](const std::string& name, hid_t type, const h5::Extents& row,
                                  const auto& numbers) {
                h5::Dataset set = file.create_growing(position + name, type, row, 1);
                set.append_row(numbers.data());
                set.append_row(numbers.data() + numbers.size() / 2);
                if (name == damaged) {
                    set.set_rows(rows);
                }
            };
            fill("/value", H5T_NATIVE_DOUBLE, {4, 3}, value);
            fill("/step", H5T_NATIVE_INT64, {}, step);
            fill("/time", H5T_NATIVE_DOUBLE, {}, time);
            file.close();
        }
        return message_of<InputError>([&] { read_h5md(path); });
    };

    for (const char* name : {"/value", "/step", "/time"}) {
        for (const hsize_t rows : {hsize_t{1} << 17U, hsize_t{1} << 40U, hsize_t{1} << 62U}) {
            EXPECT_THAT(refusal(name, rows), HasSubstr(position + name + " claims ")) << rows;
        }
    }
    EXPECT_EQ(refusal("", 0), "");
}

TEST(H5mdReader, TurnsACellThatIsNotLowerTriangularAndTakesFixedIncrements)
{
    const ScratchFolder folder;
    const std::string path = folder / "turned.h5md";
    {
        h5::File file = h5::File::create(path);
        file.create_group("/h5md");
        file.create_group("/particles/all/position");
        file.create_group("/particles/all/box");
        const std::vector<double> x = {0, 0, 0, -3, 2, 4}, edges = {0, 20, 0, -30, 0, 0, 0, 0, 40};
        const std::string position = "/particles/all/position/";
        file.write(position + "value", std::span<const double>(x), {2, 1, 3});
        file.set_text(position + "value", "unit", "A");
        const std::vector<std::int64_t> step = {5};
        file.write(position + "step", std::span<const std::int64_t>(step), {});
        file.set_number<std::int64_t>(position + "step", "offset", 100);
        file.write("/particles/all/box/edges", std::span<const double>(edges), {3, 3});
        file.set_text("/particles/all/box/edges", "unit", "A");
        file.close();
    }

    const Coordinates frame = read_h5md(path);

    EXPECT_NEAR(norm(frame.positions[0] - Vec3{0.2, 0.3, 0.4}), 0, 1e-15);
    EXPECT_EQ(frame.step, 105);
    EXPECT_FALSE(frame.time.has_value());
    EXPECT_EQ(frame.box->vectors()[1].y, 3);
}

TEST(H5mdReader, SaysThatAFileIsNotHdf5)
{
    const ScratchFolder folder;
    const std::string path = folder.file("text.h5md", "no HDF5 at all");

    EXPECT_THAT(message_of<UnfitFile>([&] { read_h5md(path); }),
                HasSubstr("text.h5md: cannot open the file (file signature not found). The file is "
                          "no HDF5 file, or was cut short."));
}

} // namespace
} // namespace tessera::test
