#include "engine/model/topology.hpp"
#include "forcefields/amber_topology.hpp"
#include "tests/forcefields/amber_text.hpp"

#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>

namespace tessera
{

namespace
{

struct Water {
    const char* file;
    std::size_t count;
    double d_oh, d_hh; ///< nm
    std::size_t other_bonds;
};

void PrintTo(const Water& water, std::ostream* out)
{
    *out << water.file;
}

class AmberWater : public ::testing::TestWithParam<Water> {};

} // namespace

TEST(AmberWaterOfASmallFile, BecomesRigidWhateverGivesItsThirdSide)
{
    testing::AmberText text(3);
    text.words("ATOM_NAME", {"O", "H1", "H2"}).reals("MASS", {16, 1.008, 1.008});
    text.pointer("NUMBND", 2).reals("BOND_FORCE_CONSTANT", {553, 0});
    text.reals("BOND_EQUIL_VALUE", {1.0, 1.6})
        .list("BONDS_INC_HYDROGEN", "NBONH", 3, {0, 3, 1, 0, 6, 1});
    testing::AmberText with_bond = text, with_angle = text;
    with_bond.list("BONDS_INC_HYDROGEN", "NBONH", 3, {0, 3, 1, 0, 6, 1, 3, 6, 2});
    with_angle.list("ANGLES_INC_HYDROGEN", "NTHETH", 4, {3, 0, 6, 1}).pointer("NUMANG", 1);
    with_angle.reals("ANGLE_FORCE_CONSTANT", {100})
        .reals("ANGLE_EQUIL_VALUE", {2 * std::asin(0.8)});
    testing::AmberText with_charmm_angle = with_angle;
    with_charmm_angle.raw("CTITLE", "%FORMAT(a80)\nfrom CHARMM\n");

    for (const testing::AmberText& water : {with_bond, with_angle, with_charmm_angle}) {
        const Topology topology = with_rigid_waters(read_amber_topology(water.write()));

        ASSERT_EQ(topology.rigid_waters.size(), 1U);
        EXPECT_NEAR(topology.rigid_waters[0].d_hh, 0.16, 1e-9); // the angle has 9 digits
        EXPECT_TRUE(topology.table<HarmonicBond>().empty());
        EXPECT_TRUE(topology.table<HarmonicAngle>().empty());
        EXPECT_TRUE(topology.table<UreyBradley>().empty());
    }
    EXPECT_TRUE(with_rigid_waters(read_amber_topology(text.write())).rigid_waters.empty());
}

TEST_P(AmberWater, BecomesRigidWithTheShapeOfItsFile)
{
    const Water& known = GetParam();
    const auto path = std::filesystem::path(TESSERA_SOURCE_DIR) / "../shared/systems" / known.file;
    if (!std::filesystem::exists(path)) {
        GTEST_SKIP() << "the handed system " << known.file << " is not here";
    }

    const auto topology = finish(with_rigid_waters(read_amber_topology(path)));

    ASSERT_EQ(topology->rigid_waters.size(), known.count);
    for (const RigidWater& water : topology->rigid_waters) {
        EXPECT_NEAR(water.d_oh, known.d_oh, 1e-12); // file digits times 0.1
        EXPECT_NEAR(water.d_hh, known.d_hh, 1e-7);  // from an angle where there is no bond
    }
    EXPECT_EQ(topology->table<HarmonicBond>().size(), known.other_bonds);
}

// other bonds: NBONH + NBONA of POINTERS without those of waters. 0.9572 Å and 104.52 degrees
// give 1.5139 Å; Amber's files say 1.5136
INSTANTIATE_TEST_SUITE_P(
    Handed, AmberWater,
    ::testing::Values(
        Water{"amber-ala-dipeptide-water/alanine-dipeptide.prmtop", 749, 0.09572, 0.15136, 21},
        Water{"amber-gaffwater/gaffwat.parm7", 1000, 0.0974,
              2 * 0.0974 * std::sin(0.5 * 1.82910584), 0},
        Water{"amber-tip4pew-216/tip4p.parm7", 216, 0.09572, 0.15136, 0},
        Water{"amber-misc-formats/peptide_with_tip4p.prmtop", 15, 0.09572, 0.15136, 24},
        Water{"amber-water2-ljpme/water_2.parm7", 2, 0.09572, 0.15139, 0},
        Water{"charmm-ala3-solv/ala3_solv.parm7", 901, 0.09572, 0.15139, 32},
        Water{"amber-jac-x4-94k/jac_x4.parm7.gz", 28092, 0.09572, 0.15136, 4 * 2523},
        Water{"amber-jac-dhfr/JAC.prmtop", 7023, 0.09572, 0.15136, 2523}));

} // namespace tessera
