#include "forcefields/amber_topology.hpp"

#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>

namespace tessera
{

namespace
{

struct Known {
    const char* file;
    int atoms;
    int ifbox;
    std::size_t virtual_sites;
};

void PrintTo(const Known& known, std::ostream* out)
{
    *out << known.file;
}

class AmberSystem : public ::testing::TestWithParam<Known> {
protected:
    [[nodiscard]] static std::filesystem::path path(const std::string& file)
    {
        return std::filesystem::path(TESSERA_SOURCE_DIR) / "../shared/systems" / file;
    }
};

} // namespace

TEST_P(AmberSystem, IsReadWithoutFaultAndFinished)
{
    const Known& known = GetParam();
    if (!std::filesystem::exists(path(known.file))) {
        GTEST_SKIP() << "the handed system " << known.file << " is not here";
    }

    const auto topology = finish(read_amber_topology(path(known.file)));
    const AmberTopologyBox cell = read_amber_topology_box(path(known.file));

    EXPECT_EQ(topology->atoms(), known.atoms);
    EXPECT_EQ(cell.atoms, known.atoms);
    EXPECT_EQ(cell.ifbox, known.ifbox);
    EXPECT_EQ(cell.box.has_value(), known.ifbox > 0);
    EXPECT_EQ(topology->virtual_sites.size(), known.virtual_sites);
    EXPECT_GT(topology->molecules.rows(), 0U);
    for (const std::string& warning : topology->warnings) {
        EXPECT_EQ(warning.find("1-4"), std::string::npos) << warning;
    }
}

INSTANTIATE_TEST_SUITE_P(
    Handed, AmberSystem,
    ::testing::Values(Known{"amber-adh206-truncoct/adh206.ff10.tip3p.parm7.gz", 10849, 2, 0},
                      Known{"amber-ala-dipeptide-water/alanine-dipeptide.prmtop", 2269, 1, 0},
                      Known{"amber-benzene-cyclohexane/benzene_cyclohexane_10_500.prmtop", 9120, 1,
                            0},
                      Known{"amber-cb7-viologen/complex-explicit.prmtop", 14362, 1, 0},
                      Known{"amber-dna-dodecamer/dna.prmtop", 13646, 1, 0},
                      Known{"amber-gaffwater/gaffwat.parm7", 3000, 1, 0},
                      Known{"amber-gas-small/ash.parm7", 25, 0, 0},
                      Known{"amber-gas-small/ala_ala_ala.parm7", 33, 0, 0},
                      Known{"amber-gas-small/znf_1264.prmtop", 551, 0, 0},
                      Known{"amber-gas-small/trx.prmtop", 1654, 0, 0},
                      Known{"amber-gas-small/biphenyl.prmtop", 22, 0, 0},
                      Known{"amber-gas-small/phenol.prmtop", 13, 0, 0},
                      Known{"amber-jac-dhfr/JAC.prmtop", 23558, 1, 0},
                      Known{"amber-jac-x4-94k/jac_x4.parm7.gz", 94232, 1, 0},
                      Known{"amber-methanol-box/methanol-box.prmtop", 750, 1, 0},
                      Known{"amber-mgwater-1264/Mg_water.prmtop", 2164, 1, 0},
                      Known{"amber-misc-formats/na_cl_mg.parm7", 1245, 2, 0},
                      Known{"amber-misc-formats/peptide_with_tip4p.prmtop", 85, 2, 15},
                      Known{"amber-misc-formats/test_fad.prmtop", 84, 1, 0},
                      Known{"amber-nacl-crystal/nacl.box.parm7", 64, 1, 0},
                      Known{"amber-solv2/solv2.parm7", 5321, 1, 0},
                      Known{"amber-t4l-vac/complex.prmtop", 2621, 0, 0},
                      Known{"amber-t4l-vac/ligand.prmtop", 18, 0, 0},
                      Known{"amber-tip4pew-216/tip4p.parm7", 864, 1, 216},
                      Known{"amber-tz2-ortho/tz2.ortho.parm7", 5293, 1, 0},
                      Known{"amber-water2-ljpme/water_2.parm7", 6, 1, 0},
                      Known{"charmm-ala3-solv/ala3_solv.parm7", 2776, 1, 0}));

} // namespace tessera
