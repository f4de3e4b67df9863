#include "engine/base/error.hpp"
#include "engine/model/state.hpp"
#include "engine/simulation/single_point.hpp"
#include "tests/oracle/evaluate.hpp"
#include "tests/support/geometries.hpp"
#include "tests/support/systems.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace tessera
{
namespace
{

using support::exclude;
using support::free_atoms;
using support::mixed_table;

const Mat3 tilted{{{2.4, 0, 0}, {0.8, 2.3, 0}, {-0.7, 0.6, 2.2}}};

/// Four-site waters (oxygen, two hydrogens, the charge on a site) with flexible bonds.
struct Waters {
    std::shared_ptr<const Topology> topology;
    std::vector<Vec3> x;
};

Waters four_site_waters(int molecules)
{
    std::vector<double> charge;
    std::vector<std::int32_t> type;
    std::vector<std::array<std::int32_t, 2>> excluded;
    std::vector<Vec3> x;
    const std::vector<Vec3> oxygen =
        support::scattered(static_cast<std::size_t>(molecules), tilted, 0.3, 3);
    for (int m = 0; m < molecules; ++m) {
        for (const double q : {0.0, 0.52, 0.52, -1.04}) {
            charge.push_back(q);
        }
        for (const int t : {0, 1, 1, 1}) {
            type.push_back(t);
        }
        for (int i = 0; i < 4; ++i) {
            for (int j = i + 1; j < 4; ++j) {
                excluded.push_back({4 * m + i, 4 * m + j});
            }
        }
        const Vec3& o = oxygen[static_cast<std::size_t>(m)];
        x.insert(x.end(), {o, o + Vec3{0.1, 0.01, 0}, o + Vec3{-0.02, 0.09, 0.01}, Vec3{9, 9, 9}});
    }
    Topology t = free_atoms(charge, type, mixed_table({0.316, 0.0}, {0.65, 0.0}));
    exclude(t, excluded);
    for (int m = 0; m < molecules; ++m) {
        t.virtual_sites.push_back(
            {VirtualSiteKind::site3, 4 * m + 3, {4 * m, 4 * m + 1, 4 * m + 2}, {0.13, 0.13}});
        t.kind[static_cast<std::size_t>(4 * m + 3)] = ParticleKind::virtual_site;
        t.mass[static_cast<std::size_t>(4 * m + 3)] = 0;
        t.table<HarmonicBond>().add({4 * m, 4 * m + 1}, HarmonicBond{3e5, 0.1});
        t.table<HarmonicBond>().add({4 * m, 4 * m + 2}, HarmonicBond{3e5, 0.1});
    }
    return {finish(t), x};
}

NonbondedSettings settings()
{
    NonbondedSettings s;
    s.lj_cutoff = s.coulomb_cutoff = 0.9;
    s.lj_modifier = LjModifier::potential_shift;
    s.dispersion_correction = DispersionCorrection::energy_and_pressure;
    s.electrostatics = Electrostatics::ewald;
    s.ewald_beta = 3.4;
    return s;
}

TEST(SinglePoint, EqualsTheOracleWithTermsSitesAndTail)
{
    const Waters w = four_site_waters(12);
    const oracle::Answer expected =
        oracle::evaluate(*w.topology, settings(), oracle::Cell(tilted), w.x);

    const SinglePoint r = single_point(w.topology, settings(), Box(tilted), w.x, 2);

    double scale = 1;
    std::vector<Vec3> expected_forces;
    for (std::size_t a = 0; a < w.x.size(); ++a) {
        expected_forces.push_back(expected.force(a));
        scale = std::fmax(scale, norm(expected.force(a)));
    }
    constexpr double double_sums = 1e-11; // two FP64 sums in different orders
    for (std::size_t k = 0; k < energy_kind_count; ++k) {
        const auto kind = static_cast<EnergyKind>(k);
        EXPECT_NEAR(r.sums.energy(kind), expected.of(kind), double_sums * scale) << name_of(kind);
    }
    EXPECT_LT(support::relative_rms(r.forces, expected_forces), double_sums);
    EXPECT_LT(support::largest_element(r.sums.virial() - expected.virial), double_sums * scale);
    EXPECT_TRUE(r.notes.empty());
}

TEST(SinglePoint, RebuildsSitesAndLeavesNoForceOnThem)
{
    const Waters w = four_site_waters(4);

    const SinglePoint r = single_point(w.topology, settings(), Box(tilted), w.x, 1);

    for (std::size_t m = 0; m < 4; ++m) {
        const Vec3 o = r.positions[4 * m], h1 = r.positions[4 * m + 1], h2 = r.positions[4 * m + 2];
        const Vec3 site = o + 0.13 * (h1 - o) + 0.13 * (h2 - o);
        EXPECT_LT(norm(r.positions[4 * m + 3] - site),
                  4e-15); // half a quantum of the grid (3.6e-15 nm) along each axis
        EXPECT_EQ(r.forces[4 * m + 3], Vec3{});
    }
}

TEST(SinglePoint, HasTheSameBitsForAnyNumberOfThreads)
{
    const Waters w = four_site_waters(12);

    const SinglePoint one = single_point(w.topology, settings(), Box(tilted), w.x, 1);
    const SinglePoint three = single_point(w.topology, settings(), Box(tilted), w.x, 3);

    EXPECT_TRUE(one.sums == three.sums);
    EXPECT_TRUE(one.forces == three.forces);
}

TEST(SinglePoint, SumsInFloatingPointAndSaysSoWhenAtomsOverlap)
{
    const auto topology = finish(free_atoms({0, 0, 0}, {0, 0, 0}, mixed_table({0.34}, {0.996})));
    NonbondedSettings s;
    s.electrostatics = Electrostatics::none;
    const std::vector<Vec3> x{{0, 0, 0}, {0.05, 0, 0}, {1, 1, 1}};

    const SinglePoint r = single_point(topology, s, Box(), x, 2);

    ASSERT_EQ(r.notes.size(), 1U);
    EXPECT_NE(r.notes[0].find("FP64"), std::string::npos);
    EXPECT_LT(r.forces[0].x, -1e12); // pushed apart, not wrapped round
    EXPECT_GT(r.forces[1].x, 1e12);
}

// Two argon atoms: the closed formula, far beyond the range of exact sums.
TEST(SinglePoint, HasTheEnergyOfAtomsThatNearlyCoincide)
{
    const auto topology = finish(free_atoms({0, 0}, {0, 0}, mixed_table({0.34}, {0.996})));
    NonbondedSettings s;
    s.electrostatics = Electrostatics::none;
    s.lj_modifier = LjModifier::none;
    for (const double asked : {1e-2, 1e-3, 1e-6, 1e-10}) {
        const double r = to_nm(to_grid({asked, 0, 0})).x;
        const double s6 = std::pow(0.34 / r, 6);

        const SinglePoint p = single_point(topology, s, Box(), std::vector<Vec3>{{}, {r, 0, 0}}, 2);

        const double energy = 4 * 0.996 * (s6 * s6 - s6);
        const double force = 24 * 0.996 * (2 * s6 * s6 - s6) / r;
        EXPECT_NEAR(p.sums.potential() / energy, 1, 1e-12) << r; // a few roundings
        EXPECT_NEAR(p.forces[1].x / force, 1, 1e-12) << r;
        EXPECT_NEAR(p.sums.virial()[0].x / (-0.5 * r * force), 1, 1e-12) << r;
    }
}

TEST(SinglePoint, RefusesCoincidentAtomsByName)
{
    const auto topology =
        finish(free_atoms({1, 0, -1, 0}, {0, 0, 0, 0}, mixed_table({0.34}, {0.996})));
    NonbondedSettings s;
    s.lj_cutoff = s.coulomb_cutoff = 1;
    const Vec3 there{0.5, 0.6, 0.7};
    const Box box(tilted);
    for (const Electrostatics e : {Electrostatics::none, Electrostatics::cutoff}) {
        s.electrostatics = e;
        const std::vector<Vec3> x{there, {1.2, 1, 1}, {1.6, 1, 1}, there};
        try {
            single_point(topology, s, box, x, 2);
            ADD_FAILURE();
        } catch (const PhysicsError& error) {
            const std::string what = error.what();
            EXPECT_NE(what.find("atom 1 "), std::string::npos) << what;
            EXPECT_NE(what.find("atom 4 "), std::string::npos) << what;
            EXPECT_EQ(what.find("atom 2 "), std::string::npos) << what;
        }
    }
}

TEST(SinglePoint, RefusesCoordinatesOfAnotherTopology)
{
    const Waters w = four_site_waters(2);
    const std::vector<Vec3> too_few(7);

    EXPECT_THROW(single_point(w.topology, settings(), Box(tilted), too_few, 1), InputError);
}

} // namespace
} // namespace tessera
