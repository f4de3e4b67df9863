#include "engine/math/units.hpp"
#include "engine/model/restraint_reference.hpp"
#include "tests/forcefields/scratch_topology.hpp"

#include <cmath>
#include <gmock/gmock.h>

namespace tessera
{

namespace
{

using test::fault_of;
using test::force_field;
using test::molecule;
using test::read_text;
using test::tail;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr double degree = units::degree;

/// A molecule of five atoms A (no exclusions by bonds) with the given sections.
Topology five(const std::string& sections, const std::string& rest = tail)
{
    return read_text(force_field + molecule({"A", "A", "A", "A", "A"}) + sections + rest);
}

std::string fault_of_five(const std::string& sections)
{
    return fault_of(force_field + molecule({"A", "A", "A", "A", "A"}) + sections + tail);
}

template <class Term>
Term only(const Topology& t)
{
    EXPECT_EQ(t.table<Term>().parameters.size(), 1U) << Term::name;
    return t.table<Term>().parameters.empty() ? Term{} : t.table<Term>().parameters.front();
}

} // namespace

TEST(GromacsAtoms, TakeMassAndChargeFromTheLineElseFromTheType)
{
    const Topology t = read_text(force_field +
                                 "[ moleculetype ]\nM 3\n[ atoms ]\n1 C 5 ALA CA 1\n"
                                 "2 C 5 ALA HA 1 -0.25\n3 C 52A GLY h1 1 -0.25 1.5\n" +
                                 tail);

    EXPECT_THAT(t.charge, ElementsAre(0.5, -0.25, -0.25));
    EXPECT_THAT(t.mass, ElementsAre(39.948, 39.948, 1.5));
    EXPECT_THAT(t.is_hydrogen, ElementsAre(0, 1, 1));
    EXPECT_THAT(t.residue, ElementsAre(0, 0, 1));
    EXPECT_EQ(t.residues[1].number, "52A");
    EXPECT_EQ(t.residues[1].first_atom, 2);
}

TEST(GromacsAtoms, MustBeKnownAndNumberedWithoutGaps)
{
    const std::string head = force_field + "[ moleculetype ]\nM 3\n[ atoms ]\n";

    EXPECT_THAT(fault_of(head + "1 Q 1 R X 1\n" + tail), HasSubstr("unknown atom type \"Q\""));
    EXPECT_THAT(fault_of(head + "1 A 1 R X 1\n3 A 1 R X 1\n" + tail),
                HasSubstr("2 is expected here, not 3"));
    EXPECT_THAT(fault_of(head + "1 A 1 R X\n" + tail), HasSubstr("at least 6 fields"));
    EXPECT_THAT(fault_of(head + "1 A 1 R X 1 charge\n" + tail),
                HasSubstr("the charge must be a number"));
}

TEST(GromacsAtoms, KeepStateAAndTellADifferentStateB)
{
    const std::string head = force_field + "[ moleculetype ]\nM 3\n[ atoms ]\n";

    const Topology same = read_text(head + "1 A 1 R X 1 0 39.948 A 0 39.948\n" + tail);
    const Topology other = read_text(head + "1 A 1 R X 1 0 39.948 B 0 39.948\n" + tail);

    EXPECT_THAT(same.warnings, IsEmpty());
    ASSERT_THAT(other.warnings, Not(IsEmpty()));
    EXPECT_THAT(other.warnings.front(), HasSubstr("state (B) of atom X"));
    EXPECT_EQ(other.pairs.type_names.front(), "A");
}

TEST(GromacsBonds, OfEachFunctionTypeBecomeTheirTerms)
{
    const Topology t = five("[ bonds ]\n1 2 1 0.1 1000\n1 2 2 0.11 2000\n1 2 3 0.12 400 20\n"
                            "1 2 4 0.13 3000 -2\n2 3 5\n1 2 7 0.5 4000\n1 2 10 0.1 0.2 0.3 500\n"
                            "4 5 6 0.2 600\n");

    EXPECT_EQ(t.table<HarmonicBond>().parameters[0], (HarmonicBond{1000, 0.1}));
    EXPECT_EQ(t.table<HarmonicBond>().parameters[1], (HarmonicBond{600, 0.2}));
    EXPECT_EQ(only<G96Bond>(t), (G96Bond{2000, 0.11}));
    EXPECT_EQ(only<MorseBond>(t), (MorseBond{400, 20, 0.12}));
    EXPECT_EQ(only<CubicBond>(t), (CubicBond{3000, -2, 0.13}));
    EXPECT_EQ(only<FeneBond>(t), (FeneBond{4000, 0.5}));
    EXPECT_EQ(only<RestraintBond>(t), (RestraintBond{500, 0.1, 0.2, 0.3}));
    EXPECT_THAT(t.exclusions.value, ElementsAre(1, 2, 0, 2, 0, 1)); // not 4-5
}

TEST(GromacsBonds, ExcludeAlongTheBondsAsFarAsNrexcl)
{
    const auto excluded = [](int nrexcl) {
        return read_text(force_field + molecule({"A", "A", "A", "A"}, nrexcl) +
                         "[ bonds ]\n1 2 5\n2 3 5\n[ constraints ]\n3 4 1 0.1\n" + tail)
                   .exclusions.value.size() /
               2;
    };

    EXPECT_EQ(excluded(0), 0U);
    EXPECT_EQ(excluded(1), 3U);
    EXPECT_EQ(excluded(2), 5U);
    EXPECT_EQ(excluded(3), 6U);
}

TEST(GromacsBonds, OfFunctionSixAreNeverConstrained)
{
    const Topology t = with_constrained_bonds(five("[ bonds ]\n1 2 1 0.1 1000\n1 3 6 0.2 2000\n"),
                                              ConstraintChoice::all_bonds);

    EXPECT_THAT(t.constraints, ElementsAre(DistanceConstraint{0, 1, 0.1}));
    ASSERT_EQ(t.table<HarmonicBond>().size(), 1U);
    EXPECT_EQ(t.table<HarmonicBond>().entries.front().atom, (std::array<std::int32_t, 2>{0, 2}));
}

TEST(GromacsBonds, OfTablesAreRefusedOnlyWhereTheMoleculeIsUsed)
{
    const std::string unused = "[ moleculetype ]\nM2 3\n[ atoms ]\n1 A 1 R X 1\n2 A 1 R X 1\n"
                               "[ bonds ]\n1 2 8 0 1\n";

    EXPECT_THAT(five("[ bonds ]\n1 2 5\n", unused + tail).atoms(), 5);
    EXPECT_THAT(fault_of_five(unused + tail + "M2 1\n"), HasSubstr("tabulated bond"));
    EXPECT_THAT(fault_of_five("[ bonds ]\n1 2 11 1\n"), HasSubstr("no function type 11"));
}

TEST(GromacsAngles, OfEachFunctionTypeBecomeTheirTerms)
{
    const Topology t = five("[ angles ]\n1 2 3 1 109.5 500\n1 2 3 2 120 400\n1 2 3 3 0.1 0.2 30\n"
                            "1 2 3 4 0.1 0.2 0.3 40\n1 2 3 5 109.5 500 0.25 6000\n"
                            "1 2 3 6 90 1 2 3 4 5\n1 2 3 9 0.4 700\n1 2 3 10 60 80\n");

    EXPECT_EQ(only<HarmonicAngle>(t), (HarmonicAngle{500, 109.5 * degree}));
    EXPECT_EQ(only<G96Angle>(t), (G96Angle{400, std::cos(120 * degree)}));
    EXPECT_EQ(only<CrossBondBond>(t), (CrossBondBond{30, 0.1, 0.2}));
    EXPECT_EQ(only<CrossBondAngle>(t), (CrossBondAngle{40, 0.1, 0.2, 0.3}));
    EXPECT_EQ(only<UreyBradley>(t), (UreyBradley{500, 109.5 * degree, 6000, 0.25}));
    EXPECT_EQ(only<QuarticAngle>(t), (QuarticAngle{90 * degree, 1, 2, 3, 4, 5}));
    EXPECT_EQ(only<LinearAngle>(t), (LinearAngle{0.4, 700}));
    EXPECT_EQ(only<RestrictedAngle>(t), (RestrictedAngle{80, std::cos(60 * degree)}));
}

TEST(GromacsDihedrals, OfEachFunctionTypeBecomeTheirTerms)
{
    const Topology t =
        five("[ dihedrals ]\n1 2 3 4 1 180 5 2\n1 2 3 4 2 35 300\n1 2 3 4 3 1 2 3 4 5 6\n"
             "1 2 3 4 4 180 4.6 2\n1 2 3 4 10 60 70\n1 2 3 4 11 1 2 3 4 5 6\n");

    EXPECT_EQ(only<PeriodicDihedral>(t), (PeriodicDihedral{5, 180 * degree, 2}));
    EXPECT_EQ(only<HarmonicImproper>(t), (HarmonicImproper{300, 35 * degree}));
    EXPECT_EQ(only<RyckaertBellemans>(t), (RyckaertBellemans{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(only<PeriodicImproper>(t), (PeriodicImproper{4.6, 180 * degree, 2}));
    EXPECT_EQ(only<RestrictedDihedral>(t), (RestrictedDihedral{70, std::cos(60 * degree)}));
    EXPECT_EQ(only<CombinedBendingTorsion>(t), (CombinedBendingTorsion{1, 2, 3, 4, 5, 6}));
}

TEST(GromacsDihedrals, OfFourierFormKeepTheirEnergyAsPowersOfTheCosine)
{
    const double f1 = 1.3, f2 = -2.1, f3 = 0.7, f4 = 0.4;
    const RyckaertBellemans rb =
        only<RyckaertBellemans>(five("[ dihedrals ]\n1 2 3 4 5 1.3 -2.1 0.7 0.4\n"));

    for (const double phi : {-3.0, -1.1, 0.0, 0.4, 1.7, 3.1}) {
        const double fourier = 0.5 * (f1 * (1 + std::cos(phi)) + f2 * (1 - std::cos(2 * phi)) +
                                      f3 * (1 + std::cos(3 * phi)) + f4 * (1 - std::cos(4 * phi)));
        const double c = std::cos(phi - M_PI);
        const double powers =
            rb.c0 + c * (rb.c1 + c * (rb.c2 + c * (rb.c3 + c * (rb.c4 + c * rb.c5))));
        EXPECT_NEAR(powers, fourier, 1e-14); // a dozen roundings of numbers near 1
    }
}

TEST(GromacsDihedrals, TakeTheirParametersFromMacros)
{
    const Topology t =
        five("#define torsion_ILE 0.0 0.8 3\n[ dihedrals ]\n1 2 3 4 9 torsion_ILE\n");

    EXPECT_EQ(only<PeriodicDihedral>(t), (PeriodicDihedral{0.8, 0, 3}));
    EXPECT_THAT(fault_of_five("[ dihedrals ]\n1 2 3 4 9 torsion_LEU\n"),
                HasSubstr("\"torsion_LEU\" is not a number"));
}

TEST(GromacsDihedrals, FollowTheOrderOfLeapWhereTheForceFieldAsksForIt)
{
    const std::string rest = force_field + "[ dihedraltypes ]\nB C A A 4 180 10 2\n" +
                             molecule({"B", "C", "A", "A", "B", "C", "A", "A"}, 0) +
                             "[ dihedrals ]\n1 2 3 4 4\n5 6 7 8 4\n" + tail;
    const auto entries = [](const Topology& t) { return t.table<PeriodicImproper>().entries; };
    using Atoms = std::array<std::int32_t, 4>;

    const auto plain = entries(read_text(rest));
    const auto leap = entries(read_text("#define _FF_AMBER_LEAP_ATOM_REORDERING\n" + rest));

    EXPECT_EQ(plain[0].atom, (Atoms{0, 1, 2, 3}));
    EXPECT_EQ(plain[1].atom, (Atoms{4, 5, 6, 7}));
    EXPECT_EQ(leap[0].atom, (Atoms{3, 2, 1, 0})); // turned round, for B sorts after A
    EXPECT_EQ(leap[1].atom, (Atoms{6, 7, 5, 4})); // its types are known: sorted around C
}

TEST(GromacsInteractions, WithoutParametersNameTypesAtomsAndWhereWasSearched)
{
    const std::string fault = fault_of_five("[ angles ]\n1 2 3 1\n");

    EXPECT_THAT(fault, HasSubstr("topol.top:17"));
    EXPECT_THAT(fault, HasSubstr("no parameters for this harmonic angle of atoms 1 X1, 2 X2, 3 X3 "
                                 "(types A-A-A, searched in [ angletypes ] of function type 1)"));
}

TEST(GromacsInteractions, TellAtomsThatDoNotExistOrStandTwice)
{
    EXPECT_THAT(fault_of_five("[ bonds ]\n1 6 5\n"), HasSubstr("atom 6 does not exist"));
    EXPECT_THAT(fault_of_five("[ bonds ]\n0 1 5\n"), HasSubstr("atom 0 does not exist"));
    EXPECT_THAT(fault_of_five("[ bonds ]\n1 1 5\n"), HasSubstr("atom 1 stands twice"));
    EXPECT_THAT(fault_of_five("[ bonds ]\n1 2\n"), HasSubstr("ends before the function type"));
    EXPECT_THAT(fault_of_five("[ bonds ]\n1 x 5\n"), HasSubstr("must be a whole number"));
}

TEST(GromacsInteractions, TellAllFaultsAtOnce)
{
    const std::string fault = fault_of_five("[ bonds ]\n1 9 5\n[ angles ]\n1 2 3 1\n");

    EXPECT_THAT(fault, HasSubstr("topol.top:17"));
    EXPECT_THAT(fault, HasSubstr("topol.top:19"));
}

TEST(GromacsPairs, OfFunctionTwoBringTheirOwnCharges)
{
    const Topology t = five("[ pairs ]\n1 2 2 0.5 0.3 -0.4 0.3 0.2\n");

    EXPECT_DOUBLE_EQ(only<Coulomb14>(t).strength, constants::coulomb_gromacs * 0.5 * 0.3 * -0.4);
    EXPECT_DOUBLE_EQ(only<LennardJones14>(t).c6, 0.8 * std::pow(0.3, 6));
}

TEST(GromacsPairs, OfFunctionTwoMayBringTheirScalingOnly)
{
    const Topology t = read_text(force_field + "[ pairtypes ]\nC C 1 0.3 0.2\n" +
                                 molecule({"C", "C"}) + "[ pairs ]\n1 2 2 0.7\n" + tail);

    EXPECT_DOUBLE_EQ(only<Coulomb14>(t).strength, constants::coulomb_gromacs * 0.7 * 0.25);
    EXPECT_DOUBLE_EQ(only<LennardJones14>(t).c6, 0.8 * std::pow(0.3, 6));
}

TEST(GromacsPairs, WithoutScalingAreAKindOfTheirOwn)
{
    const Topology t = five("[ pairs_nb ]\n1 2 1 0.3 -0.4 0.3 0.2\n");

    EXPECT_DOUBLE_EQ(only<PairCoulomb>(t).strength, constants::coulomb_gromacs * 0.3 * -0.4);
    EXPECT_DOUBLE_EQ(only<PairLennardJones>(t).c12, 0.8 * std::pow(0.3, 12));
    EXPECT_EQ(t.table<LennardJones14>().size(), 0U);
    EXPECT_THAT(t.exclusions.value, IsEmpty());
}

TEST(GromacsExclusions, HoldBothWays)
{
    const Topology t = five("[ exclusions ]\n1 3 5 1\n4 3\n");

    EXPECT_THAT(t.exclusions.value, ElementsAre(2, 4, 0, 3, 2, 0));
    EXPECT_NO_THROW(finish(t));
}

TEST(GromacsConstraints, KeepLengthsAndExcludeByFunctionType)
{
    const Topology t =
        read_text(force_field + "[ constrainttypes ]\nA B 1 0.15\n" + molecule({"A", "B", "B"}) +
                  "[ constraints ]\n1 2 1\n2 3 2 0.2\n" + tail);

    EXPECT_THAT(t.constraints,
                ElementsAre(DistanceConstraint{0, 1, 0.15}, DistanceConstraint{1, 2, 0.2}));
    EXPECT_THAT(t.exclusions.value, ElementsAre(1, 0));
    EXPECT_EQ(t.bonds.size(), 2U);
}

TEST(GromacsSettles, MakeNoExclusions)
{
    const Topology t =
        read_text(force_field + molecule({"A", "B", "B"}) + "[ settles ]\n1 1 0.1 0.16\n" + tail);

    EXPECT_THAT(t.rigid_waters, ElementsAre(RigidWater{0, 1, 2, 0.1, 0.16}));
    EXPECT_THAT(t.exclusions.value, IsEmpty());
    EXPECT_EQ(t.bonds.size(), 2U);
}

TEST(GromacsVirtualSites, OfEachFunctionTypeKeepTheirNumbers)
{
    const auto site = [](const std::string& section) {
        const Topology t = five(section);
        EXPECT_EQ(t.virtual_sites.size(), 1U) << section;
        EXPECT_EQ(t.kind[4], ParticleKind::virtual_site);
        EXPECT_EQ(t.mass[4], 0);
        EXPECT_NO_THROW(finish(t));
        return t.virtual_sites.front();
    };

    EXPECT_EQ(site("[ virtual_sites1 ]\n5 2 1\n").parents, (std::vector<std::int32_t>{1}));
    EXPECT_EQ(site("[ virtual_sites2 ]\n5 1 2 1 0.7\n").kind, VirtualSiteKind::site2);
    EXPECT_EQ(site("[ dummies2 ]\n5 1 2 2 0.1\n").kind, VirtualSiteKind::site2fd);
    EXPECT_EQ(site("[ virtual-sites3 ]\n5 1 2 3 1 0.7 0.1\n").kind, VirtualSiteKind::site3);
    EXPECT_EQ(site("[ Virtual_Sites3 ]\n5 1 2 3 2 0.5 -0.1\n").kind, VirtualSiteKind::site3fd);
    const VirtualSite fad = site("[ virtual_sites3 ]\n5 1 2 3 3 120 0.5\n");
    EXPECT_EQ(fad.kind, VirtualSiteKind::site3fad);
    EXPECT_THAT(fad.parameters, ElementsAre(0.5, 120 * degree));
    const VirtualSite out = site("[ virtual_sites3 ]\n5 1 2 3 4 -0.4 -0.3 6.9\n");
    EXPECT_EQ(out.kind, VirtualSiteKind::site3out);
    EXPECT_THAT(out.parameters, ElementsAre(-0.4, -0.3, 6.9));
    EXPECT_EQ(site("[ dummies4 ]\n5 1 2 3 4 2 1.0 0.9 0.1\n").kind, VirtualSiteKind::site4fdn);
    EXPECT_THAT(site("[ virtual_sitesn ]\n5 1 1 2\n").parameters, ElementsAre(0.5, 0.5));
    EXPECT_THAT(site("[ virtual_sitesn ]\n5 2 1 2 3 4\n").parameters, Each(0.25));
    EXPECT_THAT(site("[ virtual_sitesn ]\n5 3 1 3 2 1\n").parameters, ElementsAre(0.75, 0.25));
}

TEST(GromacsVirtualSites, AreRefusedWhereTheyCannotBeBuilt)
{
    EXPECT_THAT(fault_of_five("[ virtual_sites4 ]\n5 1 2 3 4 1 1 1 1\n"), HasSubstr("obsolete"));
    EXPECT_THAT(fault_of_five("[ virtual_sites3 ]\n5 1 2 3 1 0.5\n"), HasSubstr("needs 2"));
    EXPECT_THAT(fault_of_five("[ virtual_sites2 ]\n5 1 2 1 0.5\n5 2 3 1 0.5\n"),
                HasSubstr("built a second time"));
    EXPECT_THAT(
        fault_of("[ defaults ]\n1 2\n[ atomtypes ]\nV 0 0 V 0 0\n" + molecule({"V"}) + tail),
        HasSubstr("no [ virtual_sites ] line builds it"));
}

TEST(GromacsPositionRestraints, TakeTheirPlacesFromReferenceCoordinates)
{
    Topology t = five("[ position_restraints ]\n2 1 100 200 300\n4 1 100 200 300\n",
                      "[ system ]\nt\n[ molecules ]\nM 2\n");
    std::vector<Vec3> reference(10);
    reference[1] = {1, 2, 3};
    reference[8] = {4, 5, 6};

    set_restraint_reference(t, reference);

    const auto& table = t.table<PositionRestraint>();
    ASSERT_EQ(table.size(), 4U);
    EXPECT_EQ(table.term(table.entries[0]), (PositionRestraint{100, 200, 300, 1, 2, 3}));
    EXPECT_EQ(table.term(table.entries[3]), (PositionRestraint{100, 200, 300, 4, 5, 6}));
    EXPECT_THROW(set_restraint_reference(t, std::vector<Vec3>(3)), InputError);
    EXPECT_THAT(fault_of_five("[ position_restraints ]\n1 2 1 1 1\n"), HasSubstr("flat-bottomed"));
}

TEST(GromacsRestraints, AreRefusedByName)
{
    EXPECT_THAT(fault_of_five("[ distance_restraints ]\n1 2 1 1 1 1 1 1 1\n"),
                HasSubstr("distance restraints are not supported"));
    EXPECT_THAT(fault_of_five("[ dihedral_restraints ]\n1 2 3 4 1 1 1 1\n"),
                HasSubstr("dihedral restraints"));
    EXPECT_THAT(fault_of_five("[ angle_restraints ]\n1 2 3 4 1 1 1 1\n"),
                HasSubstr("angle restraints"));
    EXPECT_THAT(fault_of_five("[ orientation_restraints ]\n1 2 1 1 1 1 1 1 1\n"),
                HasSubstr("orientation restraints"));
}

TEST(GromacsPolarization, MakesSpringsOfShellsAndKeepsThemFromRuns)
{
    const Topology t = read_text("[ defaults ]\n1 2\n[ atomtypes ]\nA 40 0.8 A 0.3 0.1\n"
                                 "S 0 -0.8 S 0 0\n" +
                                 molecule({"A", "S", "A", "S"}) +
                                 "[ polarization ]\n1 2 1 0.001\n3 4 2 0.001 0.02 16e8\n"
                                 "[ thole_polarization ]\n1 2 3 4 1 2.6 0.001 0.001\n" +
                                 tail);

    const double k = constants::coulomb_gromacs * 0.64 / 0.001;
    EXPECT_DOUBLE_EQ(only<Polarization>(t).k, k);
    EXPECT_DOUBLE_EQ(only<AnharmonicPolarization>(t).k, k);
    EXPECT_EQ(only<AnharmonicPolarization>(t).r_cut, 0.02);
    EXPECT_DOUBLE_EQ(only<TholePolarization>(t).strength, constants::coulomb_gromacs * 0.64);
    EXPECT_NEAR(only<TholePolarization>(t).screening, 26.0, 1e-12); // a cube root
    EXPECT_EQ(t.kind[1], ParticleKind::shell);
    ASSERT_EQ(t.dynamics_refusals.size(), 1U);
    EXPECT_THAT(t.dynamics_refusals.front(), HasSubstr("shells"));
}

TEST(GromacsPolarization, OfWaterHasThreeForceConstants)
{
    const Topology t = five("[ water_polarization ]\n"
                            "1 2 3 4 5 1 0.001 0.002 0.004 0.09572 0.15139 0.0137\n");

    EXPECT_EQ(only<WaterPolarization>(t).r_hh, 0.15139);
    EXPECT_EQ(only<WaterPolarization>(t).k_x, 0); // the shell has no charge here
}

TEST(GromacsMolecules, RepeatWithTheirTermsAndExclusions)
{
    const auto t = finish(five("[ bonds ]\n1 2 1 0.1 1000\n2 3 1 0.1 1000\n[ exclusions ]\n4 5\n",
                               "[ system ]\nthree lines\n[ molecules ]\nM 2\nM 0\nm 1\n"));

    EXPECT_EQ(t->title, "three lines");
    EXPECT_EQ(t->atoms(), 15);
    EXPECT_EQ(t->table<HarmonicBond>().size(), 6U);
    EXPECT_EQ(t->table<HarmonicBond>().parameters.size(), 1U);
    EXPECT_EQ(t->table<HarmonicBond>().entries[5].atom, (std::array<std::int32_t, 2>{11, 12}));
    EXPECT_EQ(*t->exclusions.begin(13), 14);
    EXPECT_EQ(t->residues.size(), 3U);
    EXPECT_EQ(t->residues[2].first_atom, 10);
}

TEST(GromacsMolecules, OfOneResidueAreNumberedOnFromTheOthers)
{
    const Topology t =
        read_text(force_field + "[ moleculetype ]\nP 3\n[ atoms ]\n1 A 7 ALA X 1\n2 A 8 GLY X 1\n"
                                "[ moleculetype ]\nW 1\n[ atoms ]\n1 A 1 SOL X 1\n"
                                "[ system ]\nt\n[ molecules ]\nP 1\nW 2\n");

    std::vector<std::string> numbers;
    for (const Residue& residue : t.residues) {
        numbers.push_back(residue.number);
    }
    EXPECT_THAT(numbers, ElementsAre("7", "8", "9", "10"));
}

TEST(GromacsMolecules, AreRefusedWhereTheyAreUnknownOrDoubled)
{
    const std::string head = force_field + molecule({"A"});

    EXPECT_THAT(fault_of(head + tail + "Mol 1\n"),
                HasSubstr("molecule type \"Mol\" is not defined"));
    EXPECT_THAT(fault_of(head + tail + "M -1\n"), HasSubstr("whole number"));
    EXPECT_THAT(fault_of(head + tail + "M\n"), HasSubstr("a name and a count"));
    EXPECT_THAT(fault_of(head + tail + "M 9999999999\n"), HasSubstr("too many"));
    EXPECT_THAT(fault_of(head + molecule({"A"}) + tail),
                HasSubstr("molecule type M is defined again"));
    EXPECT_THAT(fault_of(head), HasSubstr("no [ molecules ] directive"));
}

TEST(GromacsDirectives, AreRefusedInTheWrongPlaceOrUnknown)
{
    const std::string head = force_field + molecule({"A"});

    EXPECT_THAT(fault_of(head + "[ bondtypes ]\n" + tail),
                HasSubstr("after the first [ moleculetype ]"));
    EXPECT_THAT(fault_of(force_field + "[ bonds ]\n" + molecule({"A"}) + tail),
                HasSubstr("before the first [ moleculetype ]"));
    EXPECT_THAT(fault_of(head + "[ bond ]\n1 2 1\n" + tail), HasSubstr("did you mean [ bonds ]?"));
    EXPECT_THAT(fault_of(head + "[ bonds\n" + tail), HasSubstr("no closing ]"));
    EXPECT_THAT(fault_of(head + tail + "[ atoms ]\n"), HasSubstr("after [ molecules ]"));
}

TEST(GromacsDirectives, OfImplicitSolventAreToldAndIgnored)
{
    const Topology t = read_text(force_field + "[ implicit_genborn_params ]\nA 1 1 1 1 1\n" +
                                 molecule({"A"}) + tail);

    ASSERT_EQ(t.warnings.size(), 1U);
    EXPECT_THAT(t.warnings.front(), HasSubstr("implicit_genborn_params"));
}

TEST(GromacsIntermolecular, JoinsAtomsOfDifferentMolecules)
{
    const std::string head = force_field + molecule({"A", "A"}) +
                             "[ system ]\nt\n[ molecules ]\nM 2\n"
                             "[ intermolecular_interactions ]\n";

    const Topology t = read_text(head + "[ bonds ]\n1 4 6 0.5 1000\n[ angles ]\n1 2 3 1 90 10\n");

    EXPECT_EQ(t.table<HarmonicBond>().entries.front().atom, (std::array<std::int32_t, 2>{0, 3}));
    EXPECT_EQ(t.table<HarmonicAngle>().size(), 1U);
    EXPECT_THAT(t.exclusions.value, IsEmpty());
    EXPECT_THAT(fault_of(head + "[ bonds ]\n1 4 1 0.5 1000\n"), HasSubstr("cannot join molecules"));
    EXPECT_THAT(fault_of(head + "[ settles ]\n1 1 0.5 0.6\n"),
                HasSubstr("cannot stand in [ intermolecular_interactions ]"));
    EXPECT_THAT(fault_of(head + "[ bonds ]\n1 5 6 0.5 1000\n"),
                HasSubstr("the system has 4 atoms"));
}

TEST(GromacsWarnings, TellAChargeThatIsNotWhole)
{
    const Topology t = read_text(force_field + molecule({"C"}) + tail);

    ASSERT_EQ(t.warnings.size(), 1U);
    EXPECT_THAT(t.warnings.front(), HasSubstr("the charges sum to 0.5 e, not a whole number"));
}

} // namespace tessera
