#include "tests/forcefields/scratch_topology.hpp"

#include <cmath>
#include <fmt/format.h>
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
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// one or two roundings of a product
constexpr double few_roundings = 4e-16;

std::string with_defaults(const std::string& defaults, const std::string& types = "")
{
    return "[ defaults ]\n" + defaults + "\n[ atomtypes ]\nA 18 40.0 0.1 A 0.3 0.5\n" +
           "B 18 40.0 0.2 A -0.2 0.4\n" + types + molecule({"A", "B"}) + "[ pairs ]\n1 2 1\n" +
           tail;
}

double relative(double value, double reference)
{
    return std::fabs(value - reference) / std::fabs(reference);
}

} // namespace

TEST(GromacsDefaults, AcceptNumbersAndWords)
{
    EXPECT_EQ(read_text(with_defaults("1 3 yes 0.5 0.5")).combination_rule, 3);
    EXPECT_EQ(read_text(with_defaults("LJ Arithmetic YES")).combination_rule, 2);
    EXPECT_EQ(read_text(with_defaults("lj GeomSigEps yes 0.5 0.8333")).combination_rule, 3);
    EXPECT_EQ(read_text(force_field + molecule({"A"}) + tail).combination_rule, 2);
}

TEST(GromacsDefaults, AreRefusedWhereTheEngineHasNoForm)
{
    EXPECT_THAT(fault_of(with_defaults("2 1 no")), HasSubstr("Buckingham"));
    EXPECT_THAT(fault_of(with_defaults("1 4 yes")), HasSubstr("comb-rule"));
    EXPECT_THAT(fault_of(with_defaults("1 2 maybe")), HasSubstr("gen-pairs"));
    EXPECT_THAT(fault_of(with_defaults("1 2 yes 1 1 9")), HasSubstr("repulsion power"));
    EXPECT_THAT(fault_of(with_defaults("1")), HasSubstr("two fields"));
    EXPECT_THAT(fault_of(with_defaults("1 2 yes\n1 2 yes")), HasSubstr("second [ defaults ]"));
}

TEST(GromacsDefaults, ScaleTheGeneratedPairs)
{
    const Topology t = read_text("[ defaults ]\n1 2 yes 0.5 0.8\n[ atomtypes ]\n"
                                 "A 18 40.0 0.1 A 0.3 0.5\nB 18 40.0 0.2 A 0.2 0.4\n" +
                                 molecule({"A", "B"}) + "[ pairs ]\n1 2 1\n" + tail);

    const double epsilon = std::sqrt(0.5 * 0.4), sigma6 = std::pow(0.25, 6);
    const LennardJones14& lj = t.table<LennardJones14>().parameters.front();
    EXPECT_LT(relative(lj.c6, 0.5 * 4 * epsilon * sigma6), 4 * few_roundings);
    EXPECT_LT(relative(lj.c12, 0.5 * 4 * epsilon * sigma6 * sigma6), 8 * few_roundings);
    EXPECT_LT(relative(t.table<Coulomb14>().parameters.front().strength,
                       constants::coulomb_gromacs * 0.8 * 0.1 * 0.2),
              few_roundings);
}

TEST(GromacsDefaults, ScaleNonbondParamsInGeneratedPairs)
{
    const Topology t =
        read_text(with_defaults("1 2 yes 0.5 1", "[ nonbond_params ]\nB A 1 0.5 2\n"));

    const double sigma6 = std::pow(0.5, 6);
    EXPECT_LT(relative(t.table<LennardJones14>().parameters.front().c6, 0.5 * 8 * sigma6),
              few_roundings);
    EXPECT_LT(relative(t.pairs.c6[t.pairs.at(0, 1)], 8 * sigma6), few_roundings);
    EXPECT_EQ(t.pairs.c6[t.pairs.at(0, 1)], t.pairs.c6[t.pairs.at(1, 0)]);
}

TEST(GromacsAtomTypes, AreToldApartByWhereTheLetterStands)
{
    const Topology t = read_text("[ defaults ]\n1 2 yes\n[ atomtypes ]\n"
                                 "plain          12.0 0.1 A 0.3 0.5\n"
                                 "number 6       13.0 0.2 A 0.3 0.5\n"
                                 "bonded CT      14.0 0.3 A 0.3 0.5\n"
                                 "both   CT  7   15.0 0.4 A 0.3 0.5\n" +
                                 molecule({"plain", "number", "bonded", "both"}) + tail);

    EXPECT_THAT(t.mass, ElementsAre(12.0, 13.0, 14.0, 15.0));
    EXPECT_THAT(t.charge, ElementsAre(0.1, 0.2, 0.3, 0.4));
    EXPECT_THAT(t.atomic_number, ElementsAre(0, 6, 0, 7));
    EXPECT_THAT(t.pairs.type_names, ElementsAre("plain", "number", "bonded", "both"));
}

TEST(GromacsAtomTypes, LookUpBondedParametersByTheirBondedType)
{
    const Topology t = read_text("[ defaults ]\n1 3 yes\n[ atomtypes ]\n"
                                 "opls_1 CT 6 12.0 0.1 A 0.3 0.5\nopls_2 HC 1 1.0 0.1 A 0.3 0.5\n"
                                 "[ bondtypes ]\nHC CT 1 0.109 284512\n" +
                                 molecule({"opls_1", "opls_2"}) + "[ bonds ]\n1 2 1\n" + tail);

    EXPECT_EQ(t.table<HarmonicBond>().parameters.front(), (HarmonicBond{284512, 0.109}));
}

TEST(GromacsAtomTypes, ANegativeSigmaHasNoAttraction)
{
    const Topology t = read_text(with_defaults("1 2 yes"));

    const double sigma12 = std::pow(0.25, 12);
    EXPECT_EQ(t.pairs.c6[t.pairs.at(0, 1)], 0);
    EXPECT_LT(relative(t.pairs.c12[t.pairs.at(0, 1)], 4 * std::sqrt(0.5 * 0.4) * sigma12),
              8 * few_roundings);
    EXPECT_EQ(t.pairs.c6[t.pairs.at(1, 1)], 0);
    EXPECT_GT(t.pairs.c6[t.pairs.at(0, 0)], 0);
    EXPECT_THAT(t.pairs.sigma, ElementsAre(0.3, 0.0));
}

TEST(GromacsAtomTypes, CombineGeometricallyByRuleOneAndThree)
{
    const std::string types = "A 12.0 0 A 0.004 9e-6\nB 12.0 0 A 0.001 4e-6\n";
    const std::string rest = molecule({"A", "B"}) + tail;
    const Topology one = read_text("[ defaults ]\n1 1 no\n[ atomtypes ]\n" + types + rest);
    const Topology three = read_text("[ defaults ]\n1 3 no\n[ atomtypes ]\n"
                                     "A 12.0 0 A 0.4 0.9\nB 12.0 0 A 0.1 0.4\n" +
                                     rest);

    EXPECT_LT(relative(one.pairs.c6[1], 0.002), few_roundings);
    EXPECT_LT(relative(one.pairs.c12[1], 6e-6), few_roundings);
    EXPECT_LT(relative(std::pow(one.pairs.sigma[0], 6), 9e-6 / 0.004), 1e-14); // a sixth root
    EXPECT_LT(relative(three.pairs.c6[1], 4 * 0.6 * std::pow(0.2, 6)), 8 * few_roundings);
}

TEST(GromacsAtomTypes, DefinedTwiceAreToldAndTheLastHolds)
{
    const Topology t =
        read_text(force_field + "A 18 20.0 0.0 A 0.34 0.996\n" + molecule({"A"}) + tail);

    EXPECT_THAT(t.mass, ElementsAre(20.0));
    ASSERT_EQ(t.warnings.size(), 1U);
    EXPECT_THAT(t.warnings.front(), HasSubstr("topol.top:8: atom type A is defined again"));
}

TEST(GromacsAtomTypes, WithWrongFieldsAreRefused)
{
    EXPECT_THAT(fault_of(force_field + "D 18 39.9 0.0 A 0.34\n" + molecule({"A"}) + tail),
                HasSubstr("7 fields"));
    EXPECT_THAT(fault_of(force_field + "D 18 39.9 0.0 Q 0.34 1\n" + molecule({"A"}) + tail),
                HasSubstr("ptype must be"));
    EXPECT_THAT(fault_of(force_field + "D 18 heavy 0.0 A 0.34 1\n" + molecule({"A"}) + tail),
                HasSubstr("the mass must be a number, not \"heavy\""));
}

TEST(GromacsTypes, WithUnknownNamesAreRefusedWithTheNearest)
{
    EXPECT_THAT(fault_of(force_field + "[ bondtypes ]\nA Z9 1 0.1 1\n" + molecule({"A"}) + tail),
                HasSubstr("unknown bonded type \"Z9\""));
    EXPECT_THAT(
        fault_of(force_field + "[ nonbond_params ]\nA Z9 1 0.1 1\n" + molecule({"A"}) + tail),
        HasSubstr("unknown atom type \"Z9\""));
}

TEST(GromacsTypes, OfOneKindTakeTheLastDefinitionAndTellIt)
{
    const Topology t = read_text(force_field + "[ bondtypes ]\nA B 1 0.1 1\nB A 1 0.2 2\n" +
                                 molecule({"A", "B"}) + "[ bonds ]\n1 2 1\n" + tail);

    EXPECT_EQ(t.table<HarmonicBond>().parameters.front(), (HarmonicBond{2, 0.2}));
    ASSERT_EQ(t.warnings.size(), 1U);
    EXPECT_THAT(t.warnings.front(), HasSubstr("the later one is used"));
}

TEST(GromacsTypes, AskForTheRightNumberOfParameters)
{
    EXPECT_THAT(
        fault_of(force_field + "[ angletypes ]\nA A A 5 100 1 0.2\n" + molecule({"A"}) + tail),
        HasSubstr("Urey-Bradley angle (function type 5) needs 4 parameters (8 with a "
                  "perturbed state), not 3"));
    EXPECT_THAT(fault_of(force_field + "[ angletypes ]\nA A A 7 100 1\n" + molecule({"A"}) + tail),
                HasSubstr("no function type 7"));
    EXPECT_THAT(
        fault_of(force_field + "[ dihedraltypes ]\nA A A A 9 0 1 1.5\n" + molecule({"A"}) + tail),
        HasSubstr("multiplicity"));
}

TEST(GromacsDihedralTypes, TheMostExactEntryHoldsThenTheFirst)
{
    const std::string types = force_field + "[ dihedraltypes ]\n"
                                            "X B B X 9 0 1 1\n"
                                            "A B B X 9 0 2 1\n"
                                            "X B B C 9 0 3 1\n"
                                            "A B B C 9 0 4 1\n";
    const auto k_of = [&](const std::vector<std::string>& atoms) {
        const Topology t =
            read_text(types + molecule(atoms, 0) + "[ dihedrals ]\n1 2 3 4 9\n" + tail);
        return t.table<PeriodicDihedral>().parameters.front().k;
    };

    EXPECT_EQ(k_of({"A", "B", "B", "C"}), 4);
    EXPECT_EQ(k_of({"C", "B", "B", "A"}), 4);
    EXPECT_EQ(k_of({"A", "B", "B", "A"}), 2);
    EXPECT_EQ(k_of({"B", "B", "B", "A"}), 2); // read backwards
    EXPECT_EQ(k_of({"C", "B", "B", "C"}), 3);
    EXPECT_EQ(k_of({"B", "B", "B", "B"}), 1);
}

TEST(GromacsDihedralTypes, OfTwoTypesAreInnerOnesButOuterForImpropers)
{
    const Topology t = read_text(force_field + "[ dihedraltypes ]\nB C 1 0 5 2\nA A 2 30 7\n" +
                                 molecule({"A", "C", "B", "A"}, 0) +
                                 "[ dihedrals ]\n1 2 3 4 1\n1 2 3 4 2\n" + tail);

    EXPECT_EQ(t.table<PeriodicDihedral>().parameters.front().k, 5);
    EXPECT_EQ(t.table<HarmonicImproper>().parameters.front().k, 7);
}

TEST(GromacsDihedralTypes, OfFunctionOneUseTheFirstOfSeveralLines)
{
    const std::string types = force_field + "[ dihedraltypes ]\nA A A A 9 0 1 1\nA A A A 9 0 2 2\n";
    const std::string atoms = molecule({"A", "A", "A", "A"}, 0) + "[ dihedrals ]\n";

    EXPECT_EQ(read_text(types + atoms + "1 2 3 4 1\n" + tail).table<PeriodicDihedral>().size(), 1U);
    EXPECT_EQ(read_text(types + atoms + "1 2 3 4 9\n" + tail).table<PeriodicDihedral>().size(), 2U);
}

TEST(GromacsCmapTypes, AreFoundByTypesAndByResidue)
{
    std::string map_a, map_b;
    for (int k = 0; k < 16; ++k) {
        map_a += fmt::format(" {}{}", k, k == 7 ? "\\\n" : "");
        map_b += fmt::format(" {}", k + 100);
    }
    const std::string types = force_field + "[ cmaptypes ]\nA A B A A 1 4 4\\\n" + map_a +
                              "\nA-* A-RES C-RES A-RES A-* 1 4 4" + map_b + "\n";

    const Topology t = read_text(types + molecule({"A", "A", "B", "A", "A", "C", "A", "A"}, 0) +
                                 "[ cmap ]\n1 2 3 4 5 1\n4 5 6 7 8 1\n" + tail);

    const auto& table = t.table<Cmap>();
    ASSERT_EQ(table.size(), 2U);
    EXPECT_EQ(table.term(table.entries[0]).size, 4);
    EXPECT_EQ(table.term(table.entries[0]).values[9], 9);
    EXPECT_EQ(table.term(table.entries[1]).values[9], 109);
    EXPECT_THAT(
        fault_of(types + molecule({"C", "C", "C", "C", "C"}, 0) + "[ cmap ]\n1 2 3 4 5 1\n" + tail),
        HasSubstr("no correction map for atoms 1 X1 to 5 X5"));
    EXPECT_THAT(
        fault_of(force_field + "[ cmaptypes ]\nA A B A A 1 4 4 1 2 3\n" + molecule({"A"}) + tail),
        HasSubstr("needs 16 values, not 3"));
}

} // namespace tessera
