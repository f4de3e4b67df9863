#include "engine/base/text_file.hpp"
#include "tests/forcefields/scratch_topology.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <regex>
#include <string>
#include <vector>

namespace tessera
{

namespace
{

namespace fs = std::filesystem;

fs::path systems()
{
    return fs::path(TESSERA_SOURCE_DIR) / "../shared/systems";
}

GromacsTopologyOptions options()
{
    GromacsTopologyOptions given;
    given.include = {systems() / "_forcefields"};
    return given;
}

/// Topologies that the engine rightly refuses: what their messages must name.
struct Refused {
    const char* file;
    std::vector<std::string> words;
};

const std::vector<Refused>& refused()
{
    static const std::vector<Refused> list = {
        {"gmx-allbonded-vsites/allbonded.top",
         {"allbonded.top:50", "tabulated bond", "allbonded.top:73", "tabulated angle",
          "allbonded.top:84", "tabulated dihedral"}},
        {"gmx-allbonded-vsites/vsites.top", {"vsites.top:7", "Buckingham"}},
        {"gro-edge-cases/bad_top.top", {"bad_top.top:2", "gromos53a6.ff/forcefield.itp"}},
        {"gro-edge-cases/bad_vsites3.top", {"OW_tip4pew", "[ defaults ]", "[ molecules ]"}},
        {"gro-edge-cases/duplicated_topol.top",
         {"Protein_chain_1", "duplicated_topol.top:214", "duplicated_topol.top:23"}},
        {"gro-edge-cases/missing_atomtype.top", {"missing_atomtype.top:28", "CTXA"}},
    };
    return list;
}

} // namespace

TEST(GromacsSystems, AreAllReadOrRefusedByName)
{
    if (!fs::exists(systems())) {
        GTEST_SKIP() << "the handed systems are not here (" << systems() << ")";
    }

    for (const auto& entry : fs::recursive_directory_iterator(systems())) {
        const fs::path relative = fs::relative(entry.path(), systems());
        bool is_refused = false;
        for (const Refused& one : refused()) {
            is_refused = is_refused || relative == one.file;
        }
        if (entry.path().extension() != ".top" || is_refused) {
            continue;
        }
        SCOPED_TRACE(relative);

        ASSERT_NO_THROW({
            const auto topology = finish(read_gromacs_topology(entry.path(), options()));
            EXPECT_GT(topology->atoms(), 0);
        });
    }
}

TEST(GromacsSystems, NameWhatIsWrongWithPlaces)
{
    if (!fs::exists(systems())) {
        GTEST_SKIP() << "the handed systems are not here (" << systems() << ")";
    }

    for (const Refused& one : refused()) {
        SCOPED_TRACE(one.file);
        try {
            read_gromacs_topology(systems() / one.file, options());
            ADD_FAILURE() << "was read without an error";
        } catch (const InputError& fault) {
            for (const std::string& word : one.words) {
                EXPECT_NE(std::string(fault.what()).find(word), std::string::npos)
                    << word << " is missing in\n"
                    << fault.what();
            }
        }
    }
}

TEST(GromacsSystems, ReadTheWholeGrammarButForWhatHasNoForm)
{
    const fs::path folder = systems() / "gmx-allbonded-vsites";
    if (!fs::exists(folder)) {
        GTEST_SKIP() << "the handed systems are not here (" << systems() << ")";
    }
    // tables and restraints out, Buckingham to Lennard-Jones
    const auto without = [](std::string text, const std::string& pattern) {
        return std::regex_replace(text, std::regex(pattern), "");
    };
    std::string all = without(read_file(folder / "allbonded.top"), "[^\n]*; tabulated[^\n]*");
    std::string sites = without(read_file(folder / "vsites.top"), "[^\n]*; tabulated[^\n]*");
    sites = without(sites, "\\[ [a-z_]*restraints[a-z_]* \\]\n;[^\n]*\n[^\n]*");
    sites = without(sites, "; i funct g r k\n[^\n]*");
    sites = without(sites, "  2 2     1 1 1");
    sites = std::regex_replace(sites, std::regex("\n2 1\n"), "\n1 1\n");
    sites = std::regex_replace(sites, std::regex("1 1 1\n(?=TS|\n)"), "1 1\n");

    const auto bonded = finish(test::read_text(all));
    const auto built = finish(test::read_text(sites));

    EXPECT_EQ(bonded->table<HarmonicBond>().size(), 2U);
    EXPECT_EQ(bonded->table<PeriodicDihedral>().size(), 3U);
    EXPECT_EQ(bonded->table<HarmonicImproper>().size(), 2U);
    EXPECT_EQ(bonded->table<CombinedBendingTorsion>().size(), 1U);
    EXPECT_EQ(bonded->constraints.size(), 2U);
    EXPECT_EQ(built->virtual_sites.size(), 8U);
    EXPECT_EQ(built->table<Cmap>().size(), 1U);
    EXPECT_EQ(built->table<LinearAngle>().size(), 1U);
    EXPECT_EQ(built->table<PairLennardJones>().size(), 1U);
    EXPECT_EQ(built->table<WaterPolarization>().size(), 1U);
    EXPECT_EQ(built->table<TholePolarization>().size(), 1U);
    EXPECT_EQ(built->table<AnharmonicPolarization>().size(), 1U);
}

TEST(GromacsSystems, GiveTheCountsOfTheirForceFields)
{
    if (!fs::exists(systems())) {
        GTEST_SKIP() << "the handed systems are not here (" << systems() << ")";
    }
    const auto read = [](const char* file) {
        return finish(read_gromacs_topology(systems() / file, options()));
    };

    const auto villin = read("gmx-villin/villin.top");
    const auto ionic = read("gmx-ionic-liquid/ionic.top");
    const auto dhfr = read("gmx-dhfr-pme-30581/topol.top");

    EXPECT_EQ(villin->atoms(), 256);
    EXPECT_EQ(villin->table<Cmap>().size(), 14U);
    EXPECT_EQ(villin->table<Cmap>().parameters.front().size, 24);
    EXPECT_EQ(villin->molecules.rows(), 1U);
    EXPECT_EQ(ionic->atoms(), 3900);
    EXPECT_EQ(ionic->combination_rule, 3);
    EXPECT_EQ(ionic->constraints.size(), 1400U);
    EXPECT_EQ(dhfr->atoms(), 30581);
    EXPECT_EQ(dhfr->rigid_waters.size(), 7023U);
    EXPECT_EQ(dhfr->virtual_sites.size(), 7023U);
    EXPECT_EQ(dhfr->molecules.rows(), 7024U);
}

} // namespace tessera
