#include "engine/base/error.hpp"
#include "forcefields/gromacs_topology.hpp"

#include <filesystem>
#include <gtest/gtest.h>
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

TEST(GromacsSystems, GiveTheCountsOfTheirForceFields)
{
    const fs::path path = systems() / "gmx-villin/villin.top";
    if (!fs::exists(path)) {
        GTEST_SKIP() << "the handed system " << path << " is not here";
    }

    const auto villin = finish(read_gromacs_topology(path, options()));

    EXPECT_EQ(villin->atoms(), 256);
    EXPECT_EQ(villin->table<Cmap>().size(), 14U);
    EXPECT_EQ(villin->table<Cmap>().parameters.front().size, 24);
    EXPECT_EQ(villin->molecules.rows(), 1U);
}

} // namespace tessera
