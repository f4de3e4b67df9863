#include "tests/oracle/evaluate.hpp"
#include "tests/oracle/pair_energies.hpp"
#include "tests/oracle/term_energies.hpp"
#include "tests/oracle/virtual_sites.hpp"
#include "tests/support/geometries.hpp"
#include "tests/support/systems.hpp"

#include <gtest/gtest.h>

// The oracle's own checks: hand values, published constants and identities. None of them looks at
// the engine's formulas.
namespace tessera::oracle
{
namespace
{

using support::Dice;
using support::exclude;
using support::free_atoms;
using support::mixed_table;
using support::scattered;

/// Hand values are short sums of doubles: a few units in the last place.
constexpr double by_hand = 1e-12;
/// Some 10^4 waves and images, added one after the other: rounding of 10^2 units in the last place.
constexpr double lattice_sum = 1e-12;

NonbondedSettings plain(Electrostatics e, double rc)
{
    NonbondedSettings s;
    s.electrostatics = e;
    s.lj_cutoff = rc;
    s.coulomb_cutoff = rc;
    s.lj_modifier = LjModifier::none;
    return s;
}

TEST(Dual, DifferentiatesElementaryFunctions)
{
    const auto x = Dual<1>::along(0.7, 0);

    EXPECT_NEAR((x * x * x).d[0], 3 * 0.49, by_hand);
    EXPECT_NEAR((Dual<1>(1.0) / x).d[0], -1 / 0.49, by_hand);
    EXPECT_NEAR(sqrt(x).d[0], 0.5 / std::sqrt(0.7), by_hand);
    EXPECT_NEAR(exp(x).d[0], std::exp(0.7), by_hand);
    EXPECT_NEAR(log(x).d[0], 1 / 0.7, by_hand);
    EXPECT_NEAR((sin(x) * sin(x) + cos(x) * cos(x)).d[0], 0, by_hand);
    EXPECT_NEAR(atan2(x, Dual<1>(1.0)).d[0], 1 / 1.49, by_hand);
    EXPECT_NEAR((erf(x) + erfc(x)).d[0], 0, by_hand);
    EXPECT_NEAR(erf(x).d[0], (std::erf(0.7 + 1e-6) - std::erf(0.7 - 1e-6)) / 2e-6, 1e-9);
}

TEST(OracleAngle, IsRightBetweenAxes)
{
    const Vec3 o{0, 0, 0};
    const double quarter = std::acos(-1.0) / 2;

    EXPECT_NEAR(bend(Vec3{2, 0, 0}, o, Vec3{0, 3, 0}), quarter, by_hand);
    EXPECT_NEAR(bend(Vec3{2, 0, 0}, o, Vec3{-1, 0, 0}), 2 * quarter, by_hand);
    EXPECT_NEAR(bend(Vec3{1, 0, 0}, o, Vec3{1, std::sqrt(3.0), 0}), 2 * quarter / 3, by_hand);
}

TEST(OracleDihedral, FollowsIupac)
{
    const double pi = std::acos(-1.0);
    const auto at = [](double degrees) { // seen along +z from below: clockwise is right-handed
        const double a = degrees * std::acos(-1.0) / 180;
        return Points<double, 4>{Vec3{1, 0, 0}, Vec3{0, 0, 0}, Vec3{0, 0, 1},
                                 Vec3{std::cos(a), std::sin(a), 1}};
    };

    EXPECT_NEAR(twist(at(0)), 0, by_hand);
    EXPECT_NEAR(twist(at(90)), pi / 2, by_hand);
    EXPECT_NEAR(twist(at(-60)), -pi / 3, by_hand);
    EXPECT_NEAR(std::fabs(twist(at(180))), pi, by_hand);
}

TEST(OracleTerms, MatchHandValues)
{
    const Points<double, 2> bond{Vec3{0, 0, 0}, Vec3{0.12, 0, 0}};
    const Points<double, 3> right{Vec3{0.1, 0, 0}, Vec3{0, 0, 0}, Vec3{0, 0.2, 0}};
    const Points<double, 4> trans{Vec3{1, 0, 0}, Vec3{0, 0, 0}, Vec3{0, 0, 1}, Vec3{-1, 0, 1}};

    EXPECT_NEAR(energy_of(HarmonicBond{1000, 0.1}, bond), 0.2, by_hand);
    EXPECT_NEAR(energy_of(CubicBond{1000, 50, 0.1}, bond), 0.4 + 1000 * 50 * 8e-6, by_hand);
    EXPECT_NEAR(energy_of(RestraintBond{1000, 0.01, 0.05, 0.1}, bond), 1.25 + 50 * 0.02, by_hand);
    EXPECT_NEAR(energy_of(G96Angle{10, -0.5}, right), 1.25, by_hand);
    EXPECT_NEAR(energy_of(CrossBondBond{100, 0.05, 0.1}, right), 0.5, by_hand);
    EXPECT_NEAR(energy_of(PeriodicDihedral{5, 0, 3}, trans), 0, by_hand);
    EXPECT_NEAR(energy_of(RyckaertBellemans{1, 2, 3, 4, 5, 6}, trans), 21, by_hand);
}

TEST(OracleCmap, ReturnsTheGridAtTheGridAndBendsSmoothlyBetween)
{
    // U = cos(phi) + cos(psi - phi): an interpolating spline of 24 points is within (pi/12)^4/100
    Cmap map;
    map.size = 24;
    const double pi = std::acos(-1.0);
    for (int i = 0; i < 24; ++i) {
        for (int j = 0; j < 24; ++j) {
            map.values.push_back(std::cos(-pi + pi * i / 12) + std::cos(pi * (j - i) / 12));
        }
    }
    const auto chain = [](double phi, double psi) {
        const Vec3 e{std::cos(psi), std::sin(psi), 0};
        // atoms 1, 2, 3 span a right angle: the second dihedral turns about x
        return Points<double, 5>{Vec3{std::cos(phi), -std::sin(phi), 0}, Vec3{0, 0, 0},
                                 Vec3{0, 0, 1}, Vec3{1, 0, 1}, Vec3{1, -e.y, 1 - e.x}};
    };

    const auto x = chain(0.4, -2.1);
    const double phi = twist(Points<double, 4>{x[0], x[1], x[2], x[3]});
    const double psi = twist(Points<double, 4>{x[1], x[2], x[3], x[4]});
    EXPECT_NEAR(energy_of(map, x), std::cos(phi) + std::cos(psi - phi), 1e-4);
    const auto g = chain(pi / 3, pi / 6);
    const double at_grid = std::cos(twist(Points<double, 4>{g[0], g[1], g[2], g[3]})) +
                           std::cos(twist(Points<double, 4>{g[1], g[2], g[3], g[4]}) -
                                    twist(Points<double, 4>{g[0], g[1], g[2], g[3]}));
    EXPECT_NEAR(energy_of(map, g), at_grid, 1e-12);
}

TEST(OracleForces, AreTheSlopeOfTheEnergy)
{
    // central differences with 1e-5 nm are good to ~1e-6 of a force
    Topology t =
        free_atoms({0.5, -0.7, 0.3, 0.4, -0.1}, {0, 0, 0, 0, 0}, mixed_table({0.3}, {0.5}));
    t.table<MorseBond>().add({0, 1}, MorseBond::typical());
    t.table<UreyBradley>().add({0, 1, 2}, UreyBradley::typical());
    t.table<CombinedBendingTorsion>().add({0, 1, 2, 3}, CombinedBendingTorsion::typical());
    const Mat3 h{{{2.0, 0, 0}, {0.3, 2.1, 0}, {-0.4, 0.5, 1.9}}};
    NonbondedSettings s = plain(Electrostatics::ewald, 0.85);
    s.lj_modifier = LjModifier::force_switch;
    s.lj_switch = 0.5;
    s.ewald_beta = 3.5;
    std::vector<Vec3> x = scattered(5, h, 0.2, 3);
    const Answer answer = evaluate(t, s, h, x);

    for (std::size_t a = 0; a < x.size(); ++a) {
        for (int d = 0; d < 3; ++d) {
            const double keep = x[a][d];
            x[a][d] = keep + 1e-5;
            const double up = evaluate(t, s, h, x).total();
            x[a][d] = keep - 1e-5;
            const double down = evaluate(t, s, h, x).total();
            x[a][d] = keep;
            EXPECT_NEAR(answer.gradient[a][d], (up - down) / 2e-5,
                        1e-6 * (1 + std::fabs(answer.gradient[a][d])));
        }
    }
}

TEST(OracleVirial, IsHalfTheSlopeAlongEveryStrain)
{
    Topology t = free_atoms({0.5, -0.7, 0.3, 0.0}, {0, 0, 0, 0}, mixed_table({0.3}, {0.5}));
    t.table<HarmonicAngle>().add({0, 1, 2}, HarmonicAngle::typical());
    t.charge[3] = 0.4;
    t.kind[3] = ParticleKind::virtual_site;
    t.virtual_sites.push_back({VirtualSiteKind::site3fd, 3, {0, 1, 2}, {0.4, 0.03}});
    exclude(t, {{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}});
    const Mat3 h{{{2.0, 0, 0}, {0.3, 2.1, 0}, {-0.4, 0.5, 1.9}}};
    NonbondedSettings s = plain(Electrostatics::ewald, 0.85);
    s.ewald_beta = 3.5;
    const std::vector<Vec3> x = {{0.1, 0.1, 0.1}, {0.25, 0.12, 0.1}, {1.95, 0.2, 0.15}, {}};
    const Answer answer = evaluate(t, s, h, x);
    const auto strained_energy = [&](int k, int l, double e) {
        Mat3 box = h;
        std::vector<Vec3> y = x;
        for (int r = 0; r < 3; ++r) {
            box[r][l] += e * h[r][k];
        }
        for (std::size_t a = 0; a < x.size(); ++a) {
            y[a][l] += e * x[a][k];
        }
        return evaluate(t, s, box, y).total();
    };

    for (int k = 0; k < 3; ++k) {
        for (int l = 0; l < 3; ++l) {
            const double slope =
                (strained_energy(k, l, 1e-6) - strained_energy(k, l, -1e-6)) / 2e-6;
            EXPECT_NEAR(answer.virial[k][l], 0.5 * slope, 1e-5 * (1 + std::fabs(slope)));
        }
    }
}

TEST(OracleEwald, GivesTheMadelungConstantOfRockSalt)
{
    // 1.747564594633182: sequence A085469 of the OEIS; energy of an ion pair -M ke/d
    std::vector<Vec3> x;
    std::vector<double> q;
    const double d = 0.28;
    for (int k = 0; k < 8; ++k) {
        x.push_back({d * (k & 1), d * (k >> 1 & 1), d * (k >> 2 & 1)});
        q.push_back(((k & 1) + (k >> 1 & 1) + (k >> 2 & 1)) % 2 == 0 ? 1.0 : -1.0);
    }
    const Topology t = free_atoms(q, std::vector<std::int32_t>(8, 0), mixed_table({0.0}, {0.0}));
    const Mat3 h{{{2 * d, 0, 0}, {0, 2 * d, 0}, {0, 0, 2 * d}}};

    const double energy = crystal_coulomb_energy(t, h, x, 6.0);

    EXPECT_NEAR(energy / (-4 * t.coulomb_constant / d), 1.747564594633182, lattice_sum);
}

TEST(OracleEwald, GivesTheWignerConstantOfALoneIon)
{
    // a unit charge in a neutralising background on the simple cubic lattice: 2.837297479480619/2
    // ke/L
    const Topology t = free_atoms({1.0}, {0}, mixed_table({0.0}, {0.0}));
    const Mat3 h{{{1.5, 0, 0}, {0, 1.5, 0}, {0, 0, 1.5}}};

    const double energy = crystal_coulomb_energy(t, h, std::vector<Vec3>{{0.2, 0.7, 0.1}}, 5.0);

    EXPECT_NEAR(-2 * energy * 1.5 / t.coulomb_constant, 2.837297479480619, lattice_sum);
}

TEST(OracleEwald, DoesNotDependOnTheSplittingInATiltedChargedCell)
{
    Topology t = free_atoms({0.5, -0.8, 0.3, 1.0, -0.2}, {0, 0, 0, 0, 0}, mixed_table({0}, {0}));
    exclude(t, {{0, 1}, {1, 2}});
    const Mat3 h{{{1.4, 0, 0}, {0.5, 1.3, 0}, {-0.6, 0.4, 1.2}}};
    const std::vector<Vec3> x = scattered(5, h, 0.25, 11);

    const double soft = crystal_coulomb_energy(t, h, x, 3.0);
    const double hard = crystal_coulomb_energy(t, h, x, 7.0);

    EXPECT_NEAR(soft / hard, 1.0, lattice_sum);
}

TEST(OracleEwald, SplitSumsAddUpToTheCrystal)
{
    // erfc(beta rc) with beta rc = 6 drops 2e-17 of a pair
    Topology t = free_atoms({0.5, -0.8, 0.3}, {0, 0, 0}, mixed_table({0}, {0}));
    exclude(t, {{0, 1}});
    const Mat3 h{{{2.4, 0, 0}, {0.5, 2.3, 0}, {-0.6, 0.4, 2.2}}};
    const std::vector<Vec3> x = scattered(3, h, 0.25, 5);
    NonbondedSettings s = plain(Electrostatics::ewald, 1.0);
    s.ewald_beta = 6.0;

    const Answer answer = evaluate(t, s, h, x);

    EXPECT_NEAR(answer.total() / crystal_coulomb_energy(t, h, x, 4.0), 1.0, 1e-12);
}

TEST(OracleDispersionEwald, AgreesWithThePlainLatticeSum)
{
    // the plain sum beyond 12 nm is an integral: lattice noise there is ~1e-7 of the total
    for (const LjCombination mixing :
         {LjCombination::geometric, LjCombination::lorentz_berthelot}) {
        const Topology t = free_atoms({0, 0, 0}, {0, 1, 0}, mixed_table({0.25, 0.35}, {0.4, 0.9}));
        const Mat3 h{{{1.4, 0, 0}, {0.3, 1.3, 0}, {-0.2, 0.4, 1.25}}};
        const std::vector<Vec3> x = scattered(3, h, 0.3, 9);
        NonbondedSettings s = plain(Electrostatics::none, 0.6);
        s.lj_pme = true;
        s.lj_ewald_beta = 12.0; // (1 - share) at 0.6 nm: e^-52
        s.lj_combination = mixing;
        double c12 = 0;
        double c6_mixed = 0; // of the pair table, which the mesh's C6 need not equal
        for (std::size_t j = 1; j < 3; ++j) {
            for (std::size_t i = 0; i < j; ++i) {
                const Vec3 image = image_near(Cell(h), x[j], x[i]);
                const double r = separation(x[i], image);
                if (r < 0.6) {
                    const std::size_t at = t.pairs.at(t.type[i], t.type[j]);
                    c12 += t.pairs.c12[at] * std::pow(r, -12);
                    c6_mixed +=
                        (mesh_c6(t, s, t.type[i], t.type[j]) - t.pairs.c6[at]) * std::pow(r, -6);
                }
            }
        }

        const double mesh = evaluate(t, s, h, x).total() - c12 - c6_mixed;

        EXPECT_NEAR(mesh / crystal_dispersion_energy(t, s, h, x, 12.0), 1.0, 1e-6);
    }
}

TEST(OracleCutPowers, VanishWithTheirForceAtTheCutOff)
{
    for (const LjModifier m : {LjModifier::force_switch, LjModifier::potential_switch}) {
        const CutPower cut{6, m, 0.7, 1.0};

        const auto end = cut(Dual<1>::along(1.0, 0));

        EXPECT_NEAR(end.v, 0, 1e-12);
        EXPECT_NEAR(end.d[0], 0, 1e-10);
        EXPECT_NEAR(cut(0.7 + 1e-12) / cut(0.7 - 1e-12), 1.0, 1e-10);
    }
}

TEST(OracleDispersionCorrection, MatchesTheClosedFormOfPlainCutOff)
{
    const Topology t = free_atoms({0, 0, 0, 0}, {0, 0, 0, 0}, mixed_table({0.3}, {0.5}));
    const Mat3 h{{{3, 0, 0}, {0, 3, 0}, {0, 0, 3}}};
    NonbondedSettings s = plain(Electrostatics::none, 1.0);
    s.dispersion_correction = DispersionCorrection::energy_and_pressure;
    Answer answer(4);

    add_dispersion_correction(answer, t, s, h);

    const double tail = -2 * std::acos(-1.0) / 3 * 16 / 27.0 * t.pairs.c6[0];
    EXPECT_NEAR(answer.total() / tail, 1.0, by_hand);
    EXPECT_NEAR(answer.virial[0][0] / -tail, 1.0, by_hand);
}

TEST(OracleSites, StandWhereTheyShould)
{
    Topology t = free_atoms({0, 0, 0, 0}, {0, 0, 0, 0}, mixed_table({0.3}, {0.5}));
    t.virtual_sites.push_back({VirtualSiteKind::site3out, 3, {0, 1, 2}, {0.5, 0.5, 2.0}});

    const auto x = with_sites_built(t, Cell{}, {{0, 0, 0}, {0.1, 0, 0}, {0, 0.1, 0}, {9, 9, 9}});

    EXPECT_NEAR(x[3].x, 0.05, by_hand);
    EXPECT_NEAR(x[3].y, 0.05, by_hand);
    EXPECT_NEAR(x[3].z, 0.02, by_hand);
}

} // namespace
} // namespace tessera::oracle
