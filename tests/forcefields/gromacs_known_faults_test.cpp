#include "tests/forcefields/scratch_topology.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gmock/gmock.h>

/// Cases of the list of known faults of other engines (B01, B02, B06, B07, B08).

namespace tessera
{

namespace
{

using test::fault_of;
using test::force_field;
using test::molecule;
using test::read_text;
using test::tail;
using ::testing::HasSubstr;

// the reference energies are given with 10 digits and more
constexpr double reference_digits = 1e-10;

double lj14_energy(const Topology& t, double r)
{
    double sum = 0;
    const auto& table = t.table<LennardJones14>();
    for (const auto& entry : table.entries) {
        const double inv_r6 = 1.0 / std::pow(r, 6);
        sum += table.term(entry).c12 * inv_r6 * inv_r6 - table.term(entry).c6 * inv_r6;
    }
    return sum;
}

double pair_energy(const Topology& t, std::int32_t a, std::int32_t b, double r)
{
    const std::size_t at =
        t.pairs.at(t.type[static_cast<std::size_t>(a)], t.type[static_cast<std::size_t>(b)]);
    const double inv_r6 = 1.0 / std::pow(r, 6);
    return t.pairs.c12[at] * inv_r6 * inv_r6 - t.pairs.c6[at] * inv_r6;
}

bool is_excluded(const Topology& t, std::int32_t a, std::int32_t b)
{
    const auto row = static_cast<std::size_t>(a);
    return std::binary_search(t.exclusions.begin(row), t.exclusions.end(row), b);
}

const std::string chain_bonds = "[ bonds ]\n1 2 1 0.15 0\n2 3 1 0.15 0\n3 4 1 0.15 0\n";

std::string b01(const std::string& pairs, const std::string& exclusions)
{
    return force_field + molecule({"A", "A", "A", "A"}) + chain_bonds + "[ pairs ]\n" + pairs +
           "[ exclusions ]\n" + exclusions + tail;
}

std::string b02(const std::string& types)
{
    return force_field + "[ dihedraltypes ]\n" + types + molecule({"A", "A", "A", "A"}) +
           chain_bonds + "[ dihedrals ]\n1 2 3 4 9\n" + tail;
}

const std::string b02_lines = "A A A A 9 0 2.0 1\nA A A A 9 180 5.0 2\nA A A A 9 0 1.5 3\n";

const std::string water = R"([ defaults ]
1 2 yes 0.5 0.8333
[ atomtypes ]
OW 8 16.0  -0.834 A 0.315061 0.6364
HW 1 1.008  0.417 A 0 0
[ moleculetype ]
SOL 2
[ atoms ]
1 OW 1 SOL OW  1
2 HW 1 SOL HW1 1
3 HW 1 SOL HW2 1
#ifndef FLEXIBLE
[ settles ]
1 1 0.09572 0.15139
#ifdef NEVER
[ bonds ]
#else
[ exclusions ]
1 2 3
2 1 3
3 1 2
#endif
#else
#ifdef NEVER
this is no line at all
#endif
[ bonds ]
1 2 1 0.09572 502416.0
1 3 1 0.09572 502416.0
[ angles ]
2 1 3 1 104.52 628.02
#endif
[ system ]
water
[ molecules ]
SOL 10
)";

/// A ring of n atoms of charge 0.1, alternating where n is even, pairs of opposite atoms.
std::string ring(int n)
{
    std::string text = "[ defaults ]\n1 2 yes 0.5 0.8333\n[ atomtypes ]\nR 6 12.0 0.0 A 0.34 0.36\n"
                       "[ moleculetype ]\nM 3\n[ atoms ]\n";
    for (int k = 1; k <= n; ++k) {
        const char* charge = n % 2 == 0 && k % 2 == 0 ? "-0.1" : "0.1";
        text += fmt::format("{0} R 1 RNG C{0} {0} {1}\n", k, charge);
    }
    text += "[ bonds ]\n";
    for (int k = 1; k <= n; ++k) {
        text += fmt::format("{} {} 1 0.14 0\n", k, k % n + 1);
    }
    if (n == 6) {
        text += "[ pairs ]\n1 4 1\n2 5 1\n3 6 1\n";
    }
    return text + tail;
}

} // namespace

TEST(GromacsKnownFaults, B01PairsAndExclusionsHoldInEitherOrder)
{
    for (const auto& [pair, exclusion] :
         {std::pair{"4 1 1 0.30 0.20\n", "4 1\n"}, std::pair{"1 4 1 0.30 0.20\n", "1 4\n"}}) {
        const Topology t = read_text(b01(pair, exclusion));

        EXPECT_EQ(t.table<LennardJones14>().size(), 1U);
        EXPECT_NEAR(lj14_energy(t, 0.32), -0.1743860539971, reference_digits);
        EXPECT_EQ(t.exclusions.value.size(), 12U); // all six pairs, both ways
    }
}

TEST(GromacsKnownFaults, B01ARepeatedPairCountsOnceAndIsTold)
{
    const Topology t = read_text(b01("4 1 1 0.30 0.20\n1 4 1 0.30 0.20\n", "1 4\n4 1\n"));

    EXPECT_EQ(t.table<LennardJones14>().size(), 1U);
    ASSERT_FALSE(t.warnings.empty());
    EXPECT_THAT(t.warnings.front(), HasSubstr("counts once"));
    EXPECT_THAT(fault_of(b01("4 1 1 0.30 0.20\n1 4 1 0.30 0.21\n", "1 4\n")),
                HasSubstr("with other parameters"));
}

TEST(GromacsKnownFaults, B02ConsecutiveLinesOfADihedralAdd)
{
    const Topology t = read_text(b02(b02_lines + "B A A A 9 0 1.0 1\n"));

    const auto& table = t.table<PeriodicDihedral>();
    double energy = 0;
    const double phi = 60.0 * M_PI / 180.0;
    for (const auto& entry : table.entries) {
        const PeriodicDihedral& p = table.term(entry);
        energy += p.k * (1.0 + std::cos(p.multiplicity * phi - p.phi0));
    }
    EXPECT_EQ(table.size(), 3U);
    EXPECT_NEAR(energy, 10.5, 1e-12); // a few roundings of numbers near 10
}

TEST(GromacsKnownFaults, B02ASecondBlockOfADihedralIsRefused)
{
    const std::string fault = fault_of(b02(b02_lines + "B A A A 9 0 1.0 1\nA A A A 9 0 2.0 1\n"));

    EXPECT_THAT(fault, HasSubstr("topol.top:13"));
    EXPECT_THAT(fault, HasSubstr("second block"));
    EXPECT_THAT(fault, HasSubstr("A-A-A-A"));
    EXPECT_THAT(fault, HasSubstr("topol.top:9"));
}

TEST(GromacsKnownFaults, B02ALineRepeatedAtOnceIsRefused)
{
    const std::string fault = fault_of(b02("A A A A 9 0 2.0 1\nA A A A 9 0 2.0 1\n"));

    EXPECT_THAT(fault, HasSubstr("topol.top:10"));
    EXPECT_THAT(fault, HasSubstr("count twice"));
}

TEST(GromacsKnownFaults, B06WaterIsRigidUnlessFlexible)
{
    const auto rigid = finish(read_text(water));
    const auto flexible = finish(read_text(water, {"FLEXIBLE"}));

    EXPECT_EQ(rigid->rigid_waters.size(), 10U); // three constraints each
    EXPECT_EQ(rigid->table<HarmonicBond>().size(), 0U);
    EXPECT_EQ(rigid->table<HarmonicAngle>().size(), 0U);
    EXPECT_EQ(flexible->rigid_waters.size(), 0U);
    EXPECT_EQ(flexible->table<HarmonicBond>().size(), 20U);
    EXPECT_EQ(flexible->table<HarmonicAngle>().size(), 10U);
    for (const auto& t : {rigid, flexible}) {
        EXPECT_EQ(t->exclusions.value.size(), 60U);
        EXPECT_EQ(t->molecules.rows(), 10U);
        EXPECT_EQ(t->bonds.size(), 20U);
    }
}

TEST(GromacsKnownFaults, B06SettlesOnOtherMoleculesIsRefused)
{
    const std::string line = "[ settles ]\n1 1 0.1 0.16\n";

    EXPECT_THAT(fault_of(force_field + molecule({"A", "B", "B", "B"}) + line + tail),
                HasSubstr("three atoms with mass"));
    EXPECT_THAT(fault_of(force_field + molecule({"A", "B"}) + line + tail),
                HasSubstr("three atoms with mass"));
}

TEST(GromacsKnownFaults, B07PairTypesWinFor14AndNonbondParamsElsewhere)
{
    const std::string types = force_field + "[ nonbond_params ]\nA B 1 0.35 0.20\n";
    const std::string rest =
        molecule({"A", "A", "B", "B"}) + chain_bonds + "[ pairs ]\n1 4 1\n" + tail;

    const Topology t = read_text(types + "[ pairtypes ]\nB A 1 0.30 0.05\n" + rest);

    EXPECT_NEAR(lj14_energy(t, 0.32), -0.04359651349928, reference_digits);
    EXPECT_NEAR(pair_energy(t, 0, 3, 0.32), 0.9751906385695, reference_digits);
    EXPECT_THAT(fault_of(types + rest), HasSubstr("no parameters for the 1-4 pair"));
}

TEST(GromacsKnownFaults, B08RingsExcludeByBondsAndPairOnce)
{
    const Topology pentagon = read_text(ring(5));
    const Topology hexagon = read_text(ring(6));

    EXPECT_EQ(pentagon.exclusions.value.size(), 20U); // every pair
    EXPECT_EQ(pentagon.table<LennardJones14>().size(), 0U);
    EXPECT_EQ(hexagon.exclusions.value.size(), 30U);
    EXPECT_TRUE(is_excluded(hexagon, 0, 3));
    EXPECT_EQ(hexagon.table<LennardJones14>().size(), 3U);
    EXPECT_NEAR(lj14_energy(hexagon, 0.28), 15.27316523951, reference_digits);
    double coulomb = 0;
    for (const auto& entry : hexagon.table<Coulomb14>().entries) {
        coulomb += hexagon.table<Coulomb14>().term(entry).strength / 0.28;
    }
    EXPECT_NEAR(coulomb, -12.40445537733, reference_digits);
}

} // namespace tessera
