#include "engine/math/constants.hpp"
#include "engine/math/units.hpp"
#include "forcefields/amber_topology.hpp"
#include "tests/forcefields/amber_text.hpp"
#include "tests/oracle/evaluate.hpp"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace tessera
{

using testing::AmberText;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

namespace
{

constexpr double digit = 1e-12; ///< relative: a few roundings
constexpr double file_digit =
    1e-7; ///< relative: parameters have 9 digits in the file, some to the 12th power

Topology read(const AmberText& text, double coulomb_constant = 0)
{
    return read_amber_topology(text.write(), {coulomb_constant});
}

std::string fault_of(const std::filesystem::path& path)
{
    try {
        read_amber_topology(path);
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

std::string fault_of(const AmberText& text)
{
    return fault_of(text.write());
}

/// Every pair, no cell.
oracle::Answer energy(const Topology& topology, const std::vector<Vec3>& positions)
{
    NonbondedSettings settings;
    settings.electrostatics = Electrostatics::cutoff;
    settings.lj_modifier = LjModifier::none;
    return oracle::evaluate(*finish(topology), settings, std::nullopt, positions);
}

/// A ring of carbons: bonds, and every pair excluded. `side` atoms from one to the next.
AmberText ring(int atoms)
{
    AmberText text(static_cast<std::size_t>(atoms));
    std::vector<int> bonds;
    std::vector<std::vector<int>> partners(static_cast<std::size_t>(atoms));
    std::vector<double> charges;
    for (int a = 0; a < atoms; ++a) {
        bonds.insert(bonds.end(), {3 * a, 3 * ((a + 1) % atoms), 1});
        for (int b = a + 1; b < atoms; ++b) {
            partners[static_cast<std::size_t>(a)].push_back(b + 1);
        }
        charges.push_back(18.2223 * (atoms % 2 == 0 && a % 2 == 1 ? -0.1 : 0.1));
    }
    const double sigma6 = std::pow(3.4, 6), epsilon = 0.36 / units::kilocalorie;
    text.list("BONDS_WITHOUT_HYDROGEN", "NBONA", 3, bonds).exclusions(partners);
    text.reals("CHARGE", charges).pointer("NUMBND", 1).pointer("NPTRA", 1);
    text.reals("BOND_FORCE_CONSTANT", {0}).reals("BOND_EQUIL_VALUE", {1.4});
    text.reals("DIHEDRAL_FORCE_CONSTANT", {0}).reals("DIHEDRAL_PERIODICITY", {2});
    text.reals("DIHEDRAL_PHASE", {3.141594});
    text.reals("LENNARD_JONES_ACOEF", {4 * epsilon * sigma6 * sigma6});
    text.reals("LENNARD_JONES_BCOEF", {4 * epsilon * sigma6});
    return text;
}

std::vector<Vec3> ring_positions(int atoms)
{
    const double pi = std::acos(-1.0), radius = 0.14 / (2 * std::sin(pi / atoms));
    std::vector<Vec3> positions;
    for (int a = 0; a < atoms; ++a) {
        const double phi = 2 * pi * a / atoms;
        positions.push_back({radius * std::cos(phi), radius * std::sin(phi), 0});
    }
    return positions;
}

/// One water with `extra` extra points on its oxygen, numbered O H H EP...
AmberText water(int extra)
{
    const auto n = static_cast<std::size_t>(3 + extra);
    AmberText text(n);
    std::vector<std::string> names = {"O", "H1", "H2"}, types = {"OW", "HW", "HW"};
    std::vector<double> masses = {16, 1.008, 1.008};
    std::vector<int> bonds = {};
    for (int k = 0; k < extra; ++k) {
        names.push_back("EP" + std::to_string(k + 1));
        types.push_back("EP");
        masses.push_back(0);
        bonds.insert(bonds.end(), {0, 9 + 3 * k, 3});
    }
    text.words("ATOM_NAME", names).words("AMBER_ATOM_TYPE", types).reals("MASS", masses);
    text.list("BONDS_INC_HYDROGEN", "NBONH", 3, {0, 3, 1, 0, 6, 1, 3, 6, 2});
    text.list("BONDS_WITHOUT_HYDROGEN", "NBONA", 3, bonds);
    text.pointer("NUMBND", 3).pointer("NUMEXTRA", extra);
    text.reals("BOND_FORCE_CONSTANT", {553, 553, 600});
    text.reals("BOND_EQUIL_VALUE", {0.9572, 1.5136, extra == 1 ? 0.15 : 0.70});
    return text;
}

} // namespace

TEST(AmberTopology, ReadsNamesByWidthAndPassesOverWhatItDoesNotKnow)
{
    AmberText text(2);
    text.raw("ATOM_NAME", "%COMMENT between flag and format\n%FORMAT(20a4)\nBa2+C1  \n");
    text.raw("SOMETHING_NEW", "%FORMAT(i2,a78)\n 1 words that nobody reads\n");

    const Topology topology = read(text);

    EXPECT_THAT(topology.atom_name, ElementsAre("Ba2+", "C1"));
    // B04: a placeholder taken as an exclusion would give 0
    EXPECT_NEAR(energy(topology, {{0, 0, 0}, {0.4, 0, 0}}).total(), -0.9356770626642, 1e-12);
}

TEST(AmberTopology, ReadsNumbersThatTouchAndBlankNames)
{
    AmberText text(2);
    text.raw("CHARGE", "%FORMAT( 5e16.8 )\n -1.82223000E+01  1.82223000D+01\n");
    text.raw("ATOMIC_NUMBER", "%FORMAT(2i2)\n1820\n");
    text.raw("ATOM_NAME", "%FORMAT(20a4)\nA B\n");

    const Topology topology = read(text);

    EXPECT_THAT(topology.charge, ElementsAre(-1.0, 1.0));
    EXPECT_THAT(topology.atomic_number, ElementsAre(18, 20));
    EXPECT_THAT(topology.atom_name, ElementsAre("A B", ""));
}

TEST(AmberTopology, ReadsLinesWithCarriageReturnsAndTrailingBlanks)
{
    std::string text;
    for (const char c : AmberText(2).text()) {
        text += c == '\n' ? "   \r\n" : std::string(1, c);
    }

    EXPECT_EQ(read_amber_topology(AmberText::write(text)).atoms(), 2);
}

TEST(AmberTopology, NamesTheFlagAndLineOfASectionOfTheWrongLength)
{
    AmberText text(3);
    text.reals("MASS", {12, 12});

    EXPECT_THAT(fault_of(text), HasSubstr("%FLAG MASS: the section holds 2 values, but 3 are "
                                          "needed (POINTERS NATOM)"));
    EXPECT_THAT(fault_of(AmberText(3).without("CHARGE")), HasSubstr("%FLAG CHARGE is missing"));
    EXPECT_THAT(fault_of(AmberText(3).pointer("NNB", 7)), HasSubstr("%FLAG EXCLUDED_ATOMS_LIST"));
}

TEST(AmberTopology, TellsAllFaultsAtOnceWithTheirPlaces)
{
    AmberText text(3);
    text.raw("MASS", "%FORMAT(5E16.8)\n  1.00000000E+00****************  1.00000000E+00\n");
    text.raw("CHARGE", "%FORMAT(5E16.8)\n  1.00000000E+00  1.00000000E+00          abcdef\n");

    const std::string message = fault_of(text);

    EXPECT_THAT(message, HasSubstr(":17: %FLAG MASS: an overflowed field"));
    EXPECT_THAT(message, HasSubstr("'abcdef' is not a finite number"));
}

TEST(AmberTopology, SurvivesCountsThatLie)
{
    EXPECT_THAT(fault_of(AmberText(2).pointer("NATOM", 99999999)), HasSubstr("out of range"));
    EXPECT_THAT(fault_of(AmberText(2).pointer("NTYPES", 3000)), HasSubstr("out of range"));
    EXPECT_THAT(fault_of(AmberText(2).pointer("NPTRA", 1000)), HasSubstr("DIHEDRAL"));
    EXPECT_THAT(fault_of(AmberText(2).pointer("NRES", -1)), HasSubstr("out of range"));
}

TEST(AmberTopology, RefusesFilesWithoutSectionsByName)
{
    EXPECT_THAT(fault_of(AmberText::write("ACE\n  2101     9  2091\n")),
                HasSubstr("before Amber 7"));
    EXPECT_THAT(fault_of(AmberText::write("")), HasSubstr("no %FLAG line"));
}

TEST(AmberTopology, TurnsForceConstantsIntoHalfK)
{
    AmberText text(3);
    text.list("BONDS_WITHOUT_HYDROGEN", "NBONA", 3, {0, 3, 1}).pointer("NUMBND", 1);
    text.reals("BOND_FORCE_CONSTANT", {300}).reals("BOND_EQUIL_VALUE", {1.5});
    text.list("ANGLES_WITHOUT_HYDROGEN", "NTHETA", 4, {0, 3, 6, 1}).pointer("NUMANG", 1);
    text.reals("ANGLE_FORCE_CONSTANT", {50}).reals("ANGLE_EQUIL_VALUE", {1.9});

    const Topology topology = read(text);
    const HarmonicBond bond = topology.table<HarmonicBond>().parameters[0];
    const HarmonicAngle angle = topology.table<HarmonicAngle>().parameters[0];

    EXPECT_NEAR(bond.k, 600 * 418.4, 600 * 418.4 * digit);
    EXPECT_NEAR(bond.r0, 0.15, digit);
    EXPECT_NEAR(angle.k, 100 * 4.184, 100 * 4.184 * digit);
    EXPECT_NEAR(angle.theta0, 1.9, digit);
}

TEST(AmberTopology, CountsTheOneFourPairsOfARingOnce)
{
    AmberText hexagon = ring(6);
    hexagon.list("DIHEDRALS_WITHOUT_HYDROGEN", "NPHIA", 5,
                 {0, 3,  6,   9, 1, 3, 6, 9,   12, 1, 6,  9, 12, 15, 1,
                  9, 12, -15, 0, 1, 3, 0, -15, 12, 1, 15, 0, -3, 6,  1});
    AmberText pentagon = ring(5);
    pentagon.list("DIHEDRALS_WITHOUT_HYDROGEN", "NPHIA", 5,
                  {0, 3, 6, 9, 1, 3, 6, 9, 12, 1, 6, 9, 12, 0, 1, 6, 3, 0, 12, 1, 12, 0, 3, 6, 1});

    const auto six = energy(read(hexagon), ring_positions(6));
    const auto five = energy(read(pentagon), ring_positions(5));

    EXPECT_NEAR(six.of(EnergyKind::coulomb_14), -12.40452211733, 12 * file_digit);
    EXPECT_NEAR(six.of(EnergyKind::lj_14), 15.27316523951, 15 * file_digit);
    EXPECT_EQ(six.of(EnergyKind::lj), 0);
    EXPECT_EQ(six.of(EnergyKind::coulomb_real), 0);
    EXPECT_EQ(five.of(EnergyKind::coulomb_14) + five.of(EnergyKind::lj_14), 0);
    EXPECT_EQ(five.of(EnergyKind::coulomb_real) + five.of(EnergyKind::lj), 0);
}

TEST(AmberTopology, ScalesEachPairByItsOwnDihedral)
{
    const auto chains = [] {
        AmberText text(8);
        text.reals("LENNARD_JONES_ACOEF", {0}).reals("LENNARD_JONES_BCOEF", {0});
        text.reals("CHARGE", {9.11115, 0, 0, 9.11115, 9.11115, 0, 0, 9.11115});
        text.list("DIHEDRALS_WITHOUT_HYDROGEN", "NPHIA", 5,
                  {0, 3, 6, 9, 1, 12, 15, 18, 21, 2, 0, 3, -6, 9, 3})
            .pointer("NPTRA", 3);
        text.exclusions({{4}, {}, {}, {}, {8}, {}, {}, {}});
        text.reals("DIHEDRAL_FORCE_CONSTANT", {0, 0, 0}).reals("DIHEDRAL_PHASE", {0, 0, 0});
        return text.reals("DIHEDRAL_PERIODICITY", {1, 1, 1});
    };
    AmberText scaled = chains();
    scaled.reals("SCEE_SCALE_FACTOR", {1.2, 1.0, 0}).reals("SCNB_SCALE_FACTOR", {2, 1, 0});

    const double one = constants::coulomb_amber * 0.25 / 1.2;
    const auto pairs = read(scaled).table<Coulomb14>();
    const auto defaults = read(chains()).table<Coulomb14>();

    ASSERT_EQ(pairs.size(), 2U);
    EXPECT_NEAR(pairs.term(pairs.entries[0]).strength, one, one * digit);
    EXPECT_NEAR(pairs.term(pairs.entries[1]).strength, 1.2 * one, one * digit);
    EXPECT_NEAR(one / 0.3, 96.47961646815, 1e-9);
    ASSERT_EQ(defaults.size(), 2U);
    EXPECT_NEAR(defaults.term(defaults.entries[1]).strength, one, one * digit);
}

TEST(AmberTopology, TellsImpropersFromDihedralsByTheSignOfTheFourthAtom)
{
    AmberText text(4);
    text.list("DIHEDRALS_INC_HYDROGEN", "NPHIH", 5, {0, 3, 6, -9, 1, 0, 3, -6, 9, 1});
    text.pointer("NPTRA", 1).reals("DIHEDRAL_FORCE_CONSTANT", {10.5});
    text.reals("DIHEDRAL_PERIODICITY", {2}).reals("DIHEDRAL_PHASE", {3.141594});

    const Topology topology = read(text);

    ASSERT_EQ(topology.table<PeriodicImproper>().size(), 1U);
    ASSERT_EQ(topology.table<PeriodicDihedral>().size(), 1U);
    EXPECT_TRUE(topology.table<Coulomb14>().empty());
    EXPECT_THAT(topology.table<PeriodicImproper>().entries[0].atom, ElementsAre(0, 1, 2, 3));
    EXPECT_NEAR(topology.table<PeriodicImproper>().parameters[0].k, 10.5 * 4.184, 44 * digit);
}

TEST(AmberTopology, RefusesAPeriodicityThatIsNotWhole)
{
    AmberText text(4);
    text.pointer("NPTRA", 1).reals("DIHEDRAL_FORCE_CONSTANT", {1});
    text.reals("DIHEDRAL_PERIODICITY", {2.5}).reals("DIHEDRAL_PHASE", {0});

    EXPECT_THAT(fault_of(text), HasSubstr("%FLAG DIHEDRAL_PERIODICITY: the periodicity 2.5"));
}

TEST(AmberTopology, TakesTheCoulombConstantOfTheFormatUnlessTold)
{
    AmberText text(2);
    text.reals("CHARGE", {18.2223, -18.2223});
    text.reals("LENNARD_JONES_ACOEF", {0}).reals("LENNARD_JONES_BCOEF", {0});
    const std::vector<Vec3> apart = {{0, 0, 0}, {1, 0, 0}};

    EXPECT_EQ(read(text).charge[0], 1.0);
    EXPECT_NEAR(energy(read(text), apart).total(), -138.930647714, 1e-9);
    EXPECT_NEAR(energy(read(text, constants::coulomb_gromacs), apart).total(), -138.93545764438,
                1e-9);
}

TEST(AmberTopology, KeepsTheTableOfPairsUnmixed)
{
    AmberText text(2);
    text.integers("ATOM_TYPE_INDEX", {1, 2}).pointer("NTYPES", 2);
    text.integers("NONBONDED_PARM_INDEX", {1, 2, 2, 3});
    text.reals("LENNARD_JONES_ACOEF", {1e6, 5e5, 2e6}).reals("LENNARD_JONES_BCOEF", {1000, 7, 900});
    text.reals("LENNARD_JONES_CCOEF", {0, 50, 0});

    const PairTable pairs = read(text).pairs;

    EXPECT_NEAR(pairs.c6[1], 7 * 4.184e-6, 7 * 4.184e-6 * digit);
    EXPECT_NEAR(pairs.c12[1], 5e5 * 4.184e-12, 5e5 * 4.184e-12 * digit);
    EXPECT_NEAR(pairs.c4[2], 50 * 4.184e-4, 50 * 4.184e-4 * digit);
    EXPECT_NEAR(pairs.sigma[0], 0.1 * std::pow(1000.0, 1.0 / 6.0), digit);
    EXPECT_NEAR(pairs.epsilon[0], 1000.0 * 1000.0 / 4e6 * 4.184, digit);
}

TEST(AmberTopology, RefusesTenTwelveHydrogenBondsUnlessTheyAreZero)
{
    AmberText text(2);
    text.integers("NONBONDED_PARM_INDEX", {-1}).pointer("NPHB", 1);
    text.reals("HBOND_ACOEF", {0}).reals("HBOND_BCOEF", {0});
    AmberText real = text;
    real.reals("HBOND_ACOEF", {7557});

    EXPECT_EQ(read(text).pairs.c12[0], 0);
    EXPECT_THAT(fault_of(real), HasSubstr("10-12 hydrogen bonds are not supported"));
}

TEST(AmberTopology, RefusesByNameWhatItHasNoTermsFor)
{
    EXPECT_THAT(fault_of(AmberText(2).pointer("IFPERT", 1)), HasSubstr("IFPERT"));
    EXPECT_THAT(fault_of(AmberText(2).pointer("IFCAP", 1)), HasSubstr("IFCAP"));
    EXPECT_THAT(fault_of(AmberText(2).integers("IPOL", {1})), HasSubstr("polarizable"));
    EXPECT_THAT(fault_of(AmberText(2).reals("POLARIZABILITY", {1, 0})), HasSubstr("polarizable"));
    EXPECT_THAT(fault_of(AmberText(2).integers("AMOEBA_FORCEFIELD", {1})), HasSubstr("AMOEBA"));
    EXPECT_EQ(read(AmberText(2).integers("IPOL", {0})).atoms(), 2);
}

TEST(AmberTopology, MarksTheLightPartnerOfABondToHydrogen)
{
    AmberText text(3);
    text.reals("MASS", {3.024, 9.99, 12.01}); // repartitioned masses
    text.list("BONDS_INC_HYDROGEN", "NBONH", 3, {0, 3, 1}).pointer("NUMBND", 1);
    text.list("BONDS_WITHOUT_HYDROGEN", "NBONA", 3, {3, 6, 1});
    text.reals("BOND_FORCE_CONSTANT", {1}).reals("BOND_EQUIL_VALUE", {1});

    EXPECT_THAT(read(text).is_hydrogen, ElementsAre(1, 0, 0));
}

TEST(AmberTopology, TellsElementsByNameWhereMassIsMovedToTheHydrogens)
{
    AmberText text(8);
    text.words("ATOM_NAME", {"O", "H1", "CA", "CA", "N", "SOD", "CLA", "1HB"});
    text.reals("MASS", {11.968, 3.024, 12.01, 40.08, 7.962, 22.99, 35.45, 1.008});

    EXPECT_THAT(read(text).atomic_number, ElementsAre(8, 1, 6, 20, 7, 11, 17, 1));
}

TEST(AmberTopology, PlacesTheExtraPointOfTip4pByItsBondLength)
{
    const auto topology = finish(read(water(1)));

    ASSERT_EQ(topology->virtual_sites.size(), 1U);
    const VirtualSite& site = topology->virtual_sites[0];
    // 0.15 Å of 2 x 0.9572 cos(52.26 degrees) Å: the well-known 0.12797
    EXPECT_EQ(site.kind, VirtualSiteKind::site3);
    EXPECT_THAT(site.parents, ElementsAre(0, 1, 2));
    EXPECT_NEAR(site.parameters[0], 0.12797, 1e-5);
    EXPECT_EQ(site.parameters[0], site.parameters[1]);
    EXPECT_EQ(topology->kind[3], ParticleKind::virtual_site);
    EXPECT_EQ(topology->table<HarmonicBond>().size(), 3U);
    EXPECT_EQ(topology->molecules.rows(), 1U);
}

TEST(AmberTopology, PlacesTheExtraPointsOfTip5pBehindTheOxygen)
{
    const auto topology = finish(read(water(2)));

    ASSERT_EQ(topology->virtual_sites.size(), 2U);
    const VirtualSite& site = topology->virtual_sites[0];
    // GROMACS' tip5p.itp has -0.344908, -0.344908, -+6.4437903493 /nm, of lengths and angles
    // rounded to three or four digits
    EXPECT_EQ(site.kind, VirtualSiteKind::site3out);
    EXPECT_NEAR(site.parameters[0], -0.344908, 2e-4);
    EXPECT_NEAR(site.parameters[2], 6.4437903, 1e-3);
    EXPECT_EQ(topology->virtual_sites[1].parameters[2], -site.parameters[2]);
}

TEST(AmberTopology, RefusesExtraPointsOutsideOfWaters)
{
    AmberText text = water(1);
    text.list("BONDS_INC_HYDROGEN", "NBONH", 3, {0, 3, 1});

    EXPECT_THAT(fault_of(text), HasSubstr("waters only"));
    EXPECT_THAT(fault_of(water(1).pointer("NUMEXTRA", 2)), HasSubstr("NUMEXTRA"));
}

TEST(AmberTopology, MakesOneUreyBradleyTermOfEachCharmmAngle)
{
    AmberText text(4);
    text.raw("CTITLE", "%FORMAT(a80)\nfrom CHARMM\n");
    text.raw("FORCE_FIELD_TYPE", "%FORMAT(i2,a78)\n 1 CHARMM22\n").without("TITLE");
    text.list("ANGLES_WITHOUT_HYDROGEN", "NTHETA", 4, {0, 3, 6, 1, 3, 6, 9, 1})
        .pointer("NUMANG", 1);
    text.reals("ANGLE_FORCE_CONSTANT", {50}).reals("ANGLE_EQUIL_VALUE", {1.9});
    text.integers("CHARMM_UREY_BRADLEY_COUNT", {1, 1}).integers("CHARMM_UREY_BRADLEY", {3, 1, 1});
    text.reals("CHARMM_UREY_BRADLEY_FORCE_CONSTANT", {20});
    text.reals("CHARMM_UREY_BRADLEY_EQUIL_VALUE", {2.5});
    text.integers("CHARMM_NUM_IMPROPERS", {1}).integers("CHARMM_IMPROPERS", {1, 2, 3, 4, 1});
    text.integers("CHARMM_NUM_IMPR_TYPES", {1}).reals("CHARMM_IMPROPER_FORCE_CONSTANT", {30});
    text.reals("CHARMM_IMPROPER_PHASE", {0.1});
    text.reals("CHARGE", {18.222867, 0, 0, 0});

    const Topology topology = read(text);
    const auto& angles = topology.table<UreyBradley>();

    ASSERT_EQ(angles.size(), 2U);
    EXPECT_NEAR(angles.term(angles.entries[0]).k_ub, 40 * 418.4, 1e-6);
    EXPECT_NEAR(angles.term(angles.entries[0]).r13, 0.25, digit);
    EXPECT_EQ(angles.term(angles.entries[1]).k_ub, 0);
    EXPECT_NEAR(topology.table<HarmonicImproper>().parameters[0].k, 60 * 4.184, 251 * digit);
    EXPECT_EQ(topology.coulomb_constant, constants::coulomb_charmm);
    EXPECT_NEAR(topology.charge[0], 1.0, 2e-6); // sqrt(332.0716) = 18.22283...
    EXPECT_EQ(topology.title, "from CHARMM");
}

TEST(AmberTopology, ReadsCorrectionMapsUnderBothNames)
{
    for (const std::string prefix : {"CHARMM_CMAP_", "CMAP_"}) {
        AmberText text(5);
        std::vector<double> grid(16, 0);
        grid[1] = 2.5; // the second psi of the first phi
        text.integers(prefix + "COUNT", {1, 1}).integers(prefix + "RESOLUTION", {4});
        text.reals(prefix + "PARAMETER_01", grid).integers(prefix + "INDEX", {1, 2, 3, 4, 5, 1});

        const Topology topology = read(text);
        const auto& maps = topology.table<Cmap>();

        ASSERT_EQ(maps.size(), 1U);
        EXPECT_EQ(maps.parameters[0].size, 4);
        EXPECT_NEAR(maps.parameters[0].values[1], 2.5 * 4.184, 11 * digit);
        EXPECT_THAT(maps.entries[0].atom, ElementsAre(0, 1, 2, 3, 4));
    }
}

TEST(AmberTopology, WarnsOfAChargeThatIsNotWholeAndKeepsIt)
{
    AmberText text(2);
    text.reals("CHARGE", {18.2223, -13.6667});

    const Topology topology = read(text);

    ASSERT_EQ(topology.warnings.size(), 1U);
    EXPECT_THAT(topology.warnings[0], HasSubstr("not a whole number"));
    EXPECT_NEAR(topology.charge[1], -0.75, 1e-5);
}

TEST(AmberTopologyBox, TakesTheOneAngleForAllThreeInATruncatedOctahedron)
{
    AmberText text(2);
    text.pointer("IFBOX", 2).reals("BOX_DIMENSIONS", {109.4712190, 50, 50, 50});

    const AmberTopologyBox cell = read_amber_topology_box(text.write());

    EXPECT_EQ(cell.ifbox, 2);
    EXPECT_EQ(cell.atoms, 2);
    ASSERT_TRUE(cell.box.has_value());
    EXPECT_NEAR(cell.box->vectors()[1].x, -5.0 / 3.0, 1e-6); // the angle has 9 digits
}

} // namespace tessera
