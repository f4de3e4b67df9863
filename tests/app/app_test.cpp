#include "engine/app/close_pairs.hpp"
#include "engine/app/exit_status.hpp"
#include "engine/app/force_error_estimate.hpp"
#include "engine/app/json_writer.hpp"
#include "engine/app/output_watch.hpp"
#include "engine/app/run_clock.hpp"
#include "engine/app/slurm_time.hpp"
#include "engine/app/system_summary.hpp"
#include "engine/base/error.hpp"
#include "engine/base/unfit_file.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera
{
namespace
{

template <class Error>
int status_of()
{
    testing::internal::CaptureStderr();
    const int status = guarded([]() -> int { throw Error("what happened"); });
    EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("what happened"));
    return status;
}

TEST(ExitStatus, FollowsTheKindOfError)
{
    EXPECT_EQ(status_of<InputError>(), 2);
    EXPECT_EQ(status_of<PhysicsError>(), 1);
    EXPECT_EQ(status_of<EnvironmentError>(), 4);
    EXPECT_EQ(status_of<FileError>(), 4);
    EXPECT_EQ(status_of<UnfitFile>(), 2);
    EXPECT_EQ(status_of<DeviceError>(), 4);
    EXPECT_EQ(status_of<MpiError>(), 4);
    EXPECT_EQ(status_of<NotBuilt>(), 4);
    EXPECT_EQ(status_of<ContractViolation>(), 70);
    EXPECT_EQ(guarded([] { return 85; }), 85);
}

TEST(JsonWriter, WritesNestedObjects)
{
    JsonWriter json;
    json.begin_object();
    json.whole("atoms", 3);
    json.begin_object("inner");
    json.number("half", 0.5);
    json.end_object();
    json.text("name", "x");
    json.end_object();

    EXPECT_EQ(json.str(), "{\n  \"atoms\": 3,\n  \"inner\": {\n    \"half\": 0.5\n  },\n"
                          "  \"name\": \"x\"\n}\n");
}

TEST(JsonWriter, EscapesWhatStringsCannotHold)
{
    EXPECT_EQ(json_string("a\"b\\c\n"), "\"a\\\"b\\\\c\\u000a\"");
}

TEST(JsonWriter, HasNoNumberForWhatIsNotFinite)
{
    EXPECT_EQ(json_number(std::nan("")), "null");
    EXPECT_EQ(json_number(INFINITY), "null");
}

TEST(JsonWriter, KeepsAllDigitsOfANumber)
{
    const double value = 1.0 / 3.0;
    EXPECT_EQ(std::stod(json_number(value)), value);
}

std::shared_ptr<const Topology> separate_atoms(int atoms)
{
    Topology topology;
    topology.residues.push_back({"AR", "1", 0});
    topology.pairs.types = 1;
    topology.pairs.c6 = topology.pairs.c12 = topology.pairs.sigma = topology.pairs.epsilon = {0};
    topology.pairs.type_names = {"AR"};
    for (int a = 0; a < atoms; ++a) {
        topology.mass.push_back(39.948);
        topology.charge.push_back(0);
        topology.type.push_back(0);
        topology.atom_name.push_back("AR");
        topology.residue.push_back(0);
        topology.atomic_number.push_back(18);
        topology.kind.push_back(ParticleKind::atom);
        topology.is_hydrogen.push_back(0);
        topology.exclusions.add_row({});
    }
    return finish(std::move(topology));
}

TEST(ClosePairs, AreFoundThroughEveryFaceOfATiltedCell)
{
    const Box box(Mat3{{{3, 0, 0}, {1.2, 2.8, 0}, {-1.1, 0.9, 2.5}}});
    const auto topology = separate_atoms(2);
    for (int k = 0; k < 3; ++k) {
        Vec3 fraction{0.5, 0.5, 0.5}, across{0.5, 0.5, 0.5};
        fraction[k] = 0.004;
        across[k] = 0.996;
        const std::vector<Vec3> positions = {box.to_cartesian(fraction), box.to_cartesian(across)};

        const auto pairs = close_pairs(*topology, box, positions, 0.05, 5);

        ASSERT_EQ(pairs.size(), 1U) << "along vector " << k;
        EXPECT_NEAR(pairs[0].distance, 0.008 * norm(box.vectors()[k]), 1e-14); // rounding at 3 nm
    }
}

TEST(ClosePairs, AreTheSameAsByComparingAllPairs)
{
    const int atoms = 600;
    const auto topology = separate_atoms(atoms);
    std::vector<Vec3> scattered;
    unsigned random = 1;
    const auto next = [&random] { // a small generator: the places only have to be scattered
        random = random * 1664525U + 1013904223U;
        return (random >> 8U) / double(1U << 24U);
    };
    for (int a = 0; a < atoms; ++a) {
        scattered.push_back({4 * next() - 2, 3 * next(), 2 * next()}); // several images
    }
    const Mat3 tilted = {{{1, 0, 0}, {0.2, 0.9, 0}, {-0.3, 0.1, 0.8}}};
    for (const Box& box : {Box(tilted), Box()}) {
        for (const double limit : {0.02, 0.1, 0.3}) { // many cells, a few, one
            std::size_t expected = 0;
            for (std::size_t i = 0; i < scattered.size(); ++i) {
                for (std::size_t j = i + 1; j < scattered.size(); ++j) {
                    expected += norm(box.shortest(scattered[i] - scattered[j])) < limit ? 1 : 0;
                }
            }

            EXPECT_TRUE(expected > 0 || limit < 0.1);
            EXPECT_EQ(close_pairs(*topology, box, scattered, limit, 1000000).size(), expected)
                << limit << " nm";
        }
    }
}

Topology methane()
{
    Topology topology;
    topology.mass = {12.0, 1.0, 1.0, 1.0, 1.0};
    topology.atom_name = {"C", "H1", "H2", "H3", "H4"};
    topology.is_hydrogen = {0, 1, 1, 1, 1};
    topology.bonds = {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 1}};
    return topology;
}

TEST(HydrogenMass, IsTakenFromTheBondedHeavyAtomOnceABond)
{
    Topology topology = methane();

    repartition_hydrogen_mass(topology, 2.0);

    EXPECT_THAT(topology.mass, testing::ElementsAre(8.0, 2.0, 2.0, 2.0, 2.0));
}

TEST(HydrogenMass, IsRefusedWhereTheHeavyAtomWouldBecomeLighterThanItsHydrogens)
{
    Topology topology = methane();

    try {
        repartition_hydrogen_mass(topology, 4.0);
        FAIL() << "not refused";
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("leaves atom 1 (C) only"));
    }
}

TEST(RunClock, MeasuresFromAQuarterOfTheRun)
{
    RunClock clock(100, 500, 0.002);
    clock.at_step(199);
    EXPECT_FALSE(clock.ns_per_day().has_value());
    clock.at_step(200);
    clock.at_step(500);

    EXPECT_TRUE(clock.ns_per_day().has_value());
    EXPECT_EQ(clock.measured_steps(), 300);
}

TEST(SlurmDuration, ReadsEveryFormThatSqueuePrints)
{
    EXPECT_EQ(slurm_duration("1-02:03:04"), 93784.0);
    EXPECT_EQ(slurm_duration("2:03:04"), 7384.0);
    EXPECT_EQ(slurm_duration("03:04"), 184.0);
    EXPECT_EQ(slurm_duration("59"), 59.0);
    EXPECT_EQ(slurm_duration("UNLIMITED"), std::nullopt);
    EXPECT_EQ(slurm_duration("INVALID"), std::nullopt);
    EXPECT_EQ(slurm_duration(""), std::nullopt);
}

TEST(DurationInWords, ChoosesItsUnits)
{
    EXPECT_EQ(duration_in_words(12.2), "12 s");
    EXPECT_EQ(duration_in_words(75), "1 min 15 s");
    EXPECT_EQ(duration_in_words(3725), "1 h 02 min");
}

/// 7,029 SPC/E waters in 6.0 nm: the system whose mesh errors were measured against converged Ewald
/// sums (RMS of the total force 1137 kJ/mol/nm).
ChargedSystem spce_water()
{
    return {21087, 7029 * (0.8476 * 0.8476 + 2 * 0.4238 * 0.4238), 216, 138.93545764438};
}

TEST(ForceErrorEstimate, IsWithinAFactorOfTwoOfMeasuredMeshErrors)
{
    struct Row {
        double beta, spacing;
        int order;
        double relative;
    };
    for (const Row& row :
         {Row{3.47, 0.15, 4, 2.5e-3}, Row{3.47, 0.12, 4, 7.4e-4}, Row{3.47, 0.10, 4, 3.6e-4},
          Row{3.47, 0.094, 4, 2.5e-4}, Row{3.47, 0.15, 5, 1.2e-3}, Row{3.47, 0.12, 5, 2.1e-4},
          Row{3.47, 0.10, 5, 7.6e-5}, Row{3.47, 0.094, 5, 5.0e-5}, Row{3.12, 0.15, 4, 1.4e-3},
          Row{3.12, 0.12, 4, 4.4e-4}, Row{3.12, 0.10, 4, 2.0e-4}, Row{3.12, 0.094, 4, 1.4e-4},
          Row{3.12, 0.15, 5, 4.5e-4}, Row{3.12, 0.12, 5, 9.6e-5}, Row{3.12, 0.10, 5, 3.7e-5},
          Row{3.12, 0.094, 5, 2.4e-5}}) {
        const double ratio = mesh_error_in_water(row.beta, row.spacing, row.order) / row.relative;
        EXPECT_GT(ratio, 0.5) << row.beta << ' ' << row.spacing << ' ' << row.order;
        EXPECT_LT(ratio, 2) << row.beta << ' ' << row.spacing << ' ' << row.order;
    }
}

TEST(ForceErrorEstimate, IsWithinAFactorOfTwoOfMeasuredTruncationErrors)
{
    EXPECT_NEAR(std::log2(truncation_force_error(spce_water(), 3.4705, 0.9) / (1137 * 4.0e-5)), 0,
                1);
    EXPECT_NEAR(std::log2(truncation_force_error(spce_water(), 3.1234, 1.0) / (1137 * 3.7e-5)), 0,
                1);
}

TEST(KeysInWords, MarkWhatIsGivenAndWhatHasNoEffect)
{
    Diagnostics diagnostics;
    const Deck deck = parse_deck("[system]\ntopology = \"a.top\"\ncoordinates = \"a.gro\"\n"
                                 "[nonbonded]\ncutoff = \"1 nm\"\nelectrostatics = \"none\"\n"
                                 "[compute]\nreproducible = false\n",
                                 "deck.toml", {}, diagnostics);

    const std::string text = keys_in_words(deck);

    EXPECT_THAT(text, testing::ContainsRegex("nonbonded.cutoff = \"1 nm\" +# given\n"));
    EXPECT_THAT(text, testing::ContainsRegex("run.timestep = \"2 fs\" +# default\n"));
    EXPECT_THAT(text, testing::ContainsRegex(
                          "pme.order = 4 +# default; no effect: nothing is summed on a mesh"));
    EXPECT_THAT(text, testing::ContainsRegex("drift_tolerance = .* no effect: the list is rebuilt "
                                             "before any pair"));
    EXPECT_THAT(text, testing::ContainsRegex("compute.reproducible = false +# given; no effect"));
}

/// Written at offsets behind the cut, the mark of its format anew: HDF5 does so.
TEST(OutputWatch, FindsAFileThatWasCutAndIsLongAgain)
{
    const std::filesystem::path file =
        std::filesystem::path(testing::TempDir()) / "cut_and_long_again";
    for (const std::uintmax_t left : {0U, 150000U}) { // bytes
        std::ofstream out(file);
        const std::string frame(100000, 'f');
        out << "the mark" << frame << frame << std::flush;
        OutputWatch watch;
        watch.add(file);
        watch.look();
        out << frame << std::flush;
        watch.look();
        ASSERT_FALSE(watch.lost()) << watch.loss();

        std::filesystem::resize_file(file, left);
        out << frame << std::flush; // at its offset: zeros before
        out.seekp(0);
        out << "the mark" << std::flush;

        watch.look();
        EXPECT_THAT(watch.loss(), testing::HasSubstr("was cut")) << left;
    }
    std::filesystem::remove(file);
}

} // namespace
} // namespace tessera
