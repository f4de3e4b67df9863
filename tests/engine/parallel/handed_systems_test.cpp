#include "engine/app/load.hpp"
#include "engine/parallel/loopback_transport.hpp"
#include "engine/simulation/parallel_single_point.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

// Real systems on 2 to 27 ranks: the bits of one. The files are not part of the project.
namespace tessera
{
namespace
{

struct Handed {
    std::string name, topology, coordinates;
    std::string settings; ///< of the deck, beside [system]
};

std::ostream& operator<<(std::ostream& out, const Handed& handed)
{
    return out << handed.name;
}

constexpr const char* pme9 = "[nonbonded]\ncutoff = \"0.9 nm\"\nelectrostatics = \"pme\"\n"
                             "[pme]\nspacing = \"0.12 nm\"\n";

const Handed systems[] = {
    {"FourSiteWaterInADodecahedron", "gmx-ildn-dodec/ildn.solv.top", "gmx-ildn-dodec/ildn.solv.gro",
     pme9},
    {"NucleicAcidInATruncatedOctahedron", "amber-adh206-truncoct/adh206.ff10.tip3p.parm7.gz",
     "amber-adh206-truncoct/adh206.tip3p.rst7.gz", pme9},
    {"CorrectionMapsAndVacuumThatLeavesRanksEmpty", "gmx-1aki-charmm27/1aki.charmm27.solv.top",
     "gmx-1aki-charmm27/1aki.charmm27.solv.gro", pme9},
    {"AnInterfaceWithPositionRestraints", "gmx-octane-sandwich/OctaneSandwich.top",
     "gmx-octane-sandwich/OctaneSandwich.gro", pme9},
    {"UreyBradleyTerms", "charmm-ala3-solv/ala3_solv.parm7", "charmm-ala3-solv/ala3_solv.rst7",
     pme9},
    {"TheSmallestCellThatTheCutoffAllows", "amber-tip4pew-216/tip4p.parm7",
     "amber-tip4pew-216/tip4p.rst7",
     "[nonbonded]\ncutoff = \"0.92 nm\"\nelectrostatics = \"pme\"\n[pme]\ngrid = [20, 20, 20]\n"},
    {"ALargeNetCharge", "amber-dna-dodecamer/dna.prmtop", "amber-dna-dodecamer/dna.inpcrd", pme9},
    {"ProteinInWater", "amber-tz2-ortho/tz2.ortho.parm7", "amber-tz2-ortho/tz2.ortho.rst7", pme9},
    {"AnIonicLiquid", "gmx-ionic-liquid/ionic.top", "gmx-ionic-liquid/ionic.gro", pme9},
    {"TwelveSixFour", "amber-mgwater-1264/Mg_water.prmtop", "amber-mgwater-1264/Mg_water.inpcrd",
     pme9},
    {"DispersionOnTheMesh", "gmx-spc216/spc216.top", "gmx-spc216/spc216.gro",
     "[nonbonded]\ncutoff = \"0.9 nm\"\nelectrostatics = \"pme\"\n"
     "[pme]\nspacing = \"0.12 nm\"\nlj = true\n"},
};

class HandedSystem : public testing::TestWithParam<Handed> {};

TEST_P(HandedSystem, HasTheBitsOfOneRankHoweverTheCellIsCut)
{
    const Handed& handed = GetParam();
    const auto folder = std::filesystem::path(TESSERA_SOURCE_DIR) / "../shared/systems";
    if (!std::filesystem::exists(folder / handed.topology)) {
        GTEST_SKIP() << handed.topology << " is not among handed systems beside the project";
    }
    const auto deck =
        std::filesystem::path(testing::TempDir()) / ("ranks_" + handed.name + ".toml");
    std::ofstream(deck) << "[system]\ntopology = \"" << (folder / handed.topology).string()
                        << "\"\ncoordinates = \"" << (folder / handed.coordinates).string()
                        << "\"\ninclude = [\"" << (folder / "_forcefields").string() << "\"]\n"
                        << handed.settings;
    for (const char* precision : {"compute.precision=mixed", "compute.precision=fp64"}) {
        const LoadedSystem loaded =
            load_system({deck.string(), {precision}, {}}, false, Voice::silent);
        const Assembly& a = loaded.assembly;
        const std::vector<Vec3>& x = a.coordinates.positions;
        const SinglePoint one = single_point(a.topology, a.nonbonded, a.box, x, 1);
        for (const std::array<int, 3>& count : std::vector<std::array<int, 3>>{
                 {1, 1, 2}, {3, 1, 1}, {2, 2, 1}, {1, 5, 1}, {2, 2, 2}, {3, 3, 3}}) {
            const DomainGrid grid(count);
            run_loopback(grid.ranks(), [&](Transport& transport) {
                const SinglePoint many =
                    parallel_single_point(a.topology, a.nonbonded, a.box, x, transport, 1, grid);
                if (transport.rank() == grid.ranks() - 1) {
                    EXPECT_EQ(many.forces, one.forces) << count[0] << count[1] << count[2];
                    EXPECT_EQ(many.sums, one.sums) << count[0] << count[1] << count[2];
                }
            });
        }
    }
}

INSTANTIATE_TEST_SUITE_P(, HandedSystem, testing::ValuesIn(systems),
                         [](const auto& given) { return given.param.name; });

} // namespace
} // namespace tessera
