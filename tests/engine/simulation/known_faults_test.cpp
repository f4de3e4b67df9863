#include "engine/base/error.hpp"
#include "engine/math/units.hpp"
#include "engine/simulation/simulation.hpp"
#include "engine/simulation/single_point.hpp"
#include "tests/forcefields/scratch_topology.hpp"
#include "tests/support/dynamics.hpp"
#include "tests/support/geometries.hpp"
#include "tests/support/memory.hpp"

#include <cmath>
#include <fmt/format.h>
#include <gmock/gmock.h>

// Known faults of other engines, through the whole engine: from text or topology to energies,
// forces and pressures. tests/known_faults.md lists where each case is tested.
namespace tessera
{
namespace
{

using support::cube;
using support::exclude;
using support::free_atoms;
using support::mixed_table;

NonbondedSettings plain(double cutoff)
{
    NonbondedSettings s;
    s.lj_cutoff = s.coulomb_cutoff = cutoff;
    s.lj_modifier = LjModifier::none;
    s.electrostatics = Electrostatics::none;
    return s;
}

Topology argon(int atoms, double charge = 0)
{
    const auto n = static_cast<std::size_t>(atoms);
    Topology t = free_atoms(std::vector<double>(n, charge), std::vector<std::int32_t>(n, 0),
                            mixed_table({0.34}, {0.996}));
    t.mass.assign(n, 39.948);
    return t;
}

/// Four atoms in a chain of bonds of no force, a 1-4 pair and an exclusion as given.
std::string chain(const std::string& pair, const std::string& exclusion)
{
    return "[ defaults ]\n1 2 no 1.0 1.0\n[ atomtypes ]\nA 18 39.948 0.0 A 0.34 0.996\n"
           "[ moleculetype ]\nM 3\n[ atoms ]\n1 A 1 M A1 1\n2 A 1 M A2 1\n3 A 1 M A3 1\n"
           "4 A 1 M A4 1\n[ bonds ]\n1 2 1 0.15 0\n2 3 1 0.15 0\n3 4 1 0.15 0\n[ pairs ]\n" +
           pair + "[ exclusions ]\n" + exclusion + test::tail;
}

TEST(KnownFaults, B01PairsAndExclusionsInEitherOrderGiveTheSameEnergy)
{
    const std::vector<Vec3> x{{0, 0, 0}, {0.05, 0.14, 0}, {0.2, 0.16, 0.03}, {0.32, 0, 0}};
    for (const auto& [pair, exclusion] :
         {std::pair{"4 1 1 0.30 0.20\n", "4 1\n"}, std::pair{"1 4 1 0.30 0.20\n", "1 4\n"},
          std::pair{"4 1 1 0.30 0.20\n1 4 1 0.30 0.20\n", "1 4\n4 1\n"}}) {
        const auto topology = finish(test::read_text(chain(pair, exclusion)));

        const SinglePoint p = single_point(topology, plain(1.2), cube(10), x, 1);

        // the grid of positions is 2^-48 nm, that of energies 2^-40 kJ/mol
        EXPECT_NEAR(p.sums.energy(EnergyKind::lj_14), -0.1743860539971, 1e-11) << pair;
        EXPECT_EQ(p.sums.energy(EnergyKind::lj), 0) << pair;
    }
}

/// A ring with charges of 0.1, alternating where n is even; pairs of opposite atoms in a hexagon.
std::string ring(int n)
{
    std::string text = "[ defaults ]\n1 2 yes 0.5 0.8333\n[ atomtypes ]\nR 6 12.0 0.0 A 0.34 0.36\n"
                       "[ moleculetype ]\nM 3\n[ atoms ]\n";
    for (int k = 1; k <= n; ++k) {
        text += fmt::format("{0} R 1 RNG C{0} {0} {1}\n", k, n == 6 && k % 2 == 0 ? -0.1 : 0.1);
    }
    text += "[ bonds ]\n";
    for (int k = 1; k <= n; ++k) {
        text += fmt::format("{} {} 1 0.14 0\n", k, k % n + 1);
    }
    return text + (n == 6 ? "[ pairs ]\n1 4 1\n2 5 1\n3 6 1\n" : "") + test::tail;
}

TEST(KnownFaults, B08RingsHaveEachPairOnceOrNotAtAll)
{
    NonbondedSettings settings = plain(4);
    settings.electrostatics = Electrostatics::cutoff;
    for (const int n : {5, 6}) {
        std::vector<Vec3> x;
        const double radius = 0.07 / std::sin(units::degree * 180 / n);
        for (int k = 0; k < n; ++k) {
            const double phi = units::degree * 360 * k / n;
            x.push_back({radius * std::cos(phi), radius * std::sin(phi), 0});
        }

        const SinglePoint p =
            single_point(finish(test::read_text(ring(n))), settings, cube(10), x, 1);

        EXPECT_EQ(p.sums.energy(EnergyKind::lj), 0);
        EXPECT_EQ(p.sums.energy(EnergyKind::coulomb_real), 0);
        // positions are rounded to 2^-48 nm, three energies of 5 kJ/mol
        EXPECT_NEAR(p.sums.energy(EnergyKind::lj_14), n == 6 ? 15.27316523951 : 0, 1e-10);
        EXPECT_NEAR(p.sums.energy(EnergyKind::coulomb_14), n == 6 ? -12.40445537733 : 0, 1e-10);
    }
}

TEST(KnownFaults, B10OctahedraOfRoundedAnglesAreOneCell)
{
    const std::vector<Vec3> inside =
        support::scattered(60, Mat3{{{3, 0, 0}, {-1, 2.828, 0}, {-1, -1.414, 2.449}}}, 0.3, 5);
    std::vector<double> energies;
    for (const double angle : {109.4712190, 109.4712206, 109.4712219}) {
        const Box box = Box::from_lengths_and_angles({3, 3, 3}, {angle, angle, angle});

        EXPECT_NEAR(box.volume(), 20.78461, 1e-5) << angle;
        for (int k = 0; k < 3; ++k) {
            EXPECT_NEAR(box.heights()[k], 2.44949, 1e-5) << angle;
        }
        energies.push_back(
            single_point(finish(argon(60)), plain(1.2247), box, inside, 1).sums.potential());
    }
    EXPECT_NEAR(energies[0] / energies[1], 1, 1e-6);
    EXPECT_NEAR(energies[2] / energies[1], 1, 1e-6);
}

TEST(KnownFaults, B13AtomsOnAndFarBeyondTheFacesKeepTheirPairInBothPrecisions)
{
    for (const Mat3& cell : {Mat3{{{3, 0, 0}, {0, 3, 0}, {0, 0, 3}}},
                             Mat3{{{3, 0, 0}, {1.5, 3, 0}, {-1.0, 1.25, 3}}}}) {
        for (int axis = 0; axis < 3; ++axis) {
            for (const double at : {-1e-9, -0.0, 0.0, 1.5, -1.5, 3.0, 2.9999999, -8.229, 13.132}) {
                // a third atom, out of reach but where the first two stand half a cell away
                Vec3 a{0.4, 0.4, 0.4}, c{1.7, 1.7, 1.7};
                a[axis] = at;
                c[axis] = at + 1.5;
                Vec3 b = a;
                b[(axis + 1) % 3] += 0.4;
                for (const Precision precision : {Precision::fp64, Precision::mixed}) {
                    NonbondedSettings s = plain(1.2);
                    s.precision = precision;

                    const SinglePoint p =
                        single_point(finish(argon(3)), s, Box(cell), std::vector{a, b, c}, 2);

                    EXPECT_NEAR(p.sums.potential(), -0.9358725098195, 1e-11) << at << " " << axis;
                    const double f =
                        24 * 0.996 / 0.4 * (2 * std::pow(0.34 / 0.4, 12) - std::pow(0.34 / 0.4, 6));
                    // mixed: 2^-23 nm and 2^-16 kJ/mol/nm
                    EXPECT_NEAR(p.forces[1][(axis + 1) % 3], f,
                                precision == Precision::mixed ? 1e-4 : 1e-10);
                    EXPECT_LT(norm(p.forces[2]), 1e-30);
                    EXPECT_TRUE(p.notes.empty());
                }
            }
        }
    }
}

/// TIP3P molecules, O-H1 along x and H2 in the xy plane, no Lennard-Jones: n^3 of them, `edge`
/// apart, the first with its oxygen at `origin`.
struct Waters {
    std::shared_ptr<const Topology> topology;
    std::vector<Vec3> x;
};
Waters waters(int n, double edge, const Vec3& origin)
{
    const double d = 0.09572, angle = 104.52 * units::degree;
    std::vector<double> charge;
    std::vector<std::array<std::int32_t, 2>> excluded;
    std::vector<Vec3> x;
    for (int k = 0; k < n * n * n; ++k) {
        const auto i = static_cast<std::int32_t>(x.size());
        const Vec3 o = origin + edge * Vec3{k % n + 0.0, k / n % n + 0.0, k / n / n + 0.0};
        x.insert(x.end(),
                 {o, o + Vec3{d, 0, 0}, o + d * Vec3{std::cos(angle), std::sin(angle), 0}});
        charge.insert(charge.end(), {-0.834, 0.417, 0.417});
        excluded.insert(excluded.end(), {{i, i + 1}, {i, i + 2}, {i + 1, i + 2}});
    }
    Topology t =
        free_atoms(charge, std::vector<std::int32_t>(x.size(), 0), mixed_table({0.0}, {0.0}));
    exclude(t, excluded);
    return {finish(std::move(t)), x};
}

NonbondedSettings tight_mesh(int points)
{
    NonbondedSettings s = plain(0.95);
    s.electrostatics = Electrostatics::pme;
    s.ewald_beta = 4.2;
    s.pme_grid = {points, points, points};
    s.pme_order = 8;
    return s;
}

TEST(KnownFaults, B16SixtyFourMoleculesHaveSixtyFourTimesTheEnergyOfOne)
{
    // 4^3 cells of 2 nm: each molecule sees the lattice of one in a cube of 2 nm
    for (const double origin : {1.0, 0.0}) { // in the middle, split across the corners
        const Waters w = waters(4, 2.0, {origin, origin, origin});
        for (const Precision precision : {Precision::fp64, Precision::mixed}) {
            NonbondedSettings s = tight_mesh(128);
            s.precision = precision;

            const SinglePoint p = single_point(w.topology, s, cube(8), w.x, 2);

            EXPECT_NEAR(p.sums.potential(), 64 * -0.0877283,
                        64 * (precision == Precision::mixed ? 0.02 : 1e-4)); // of each molecule
        }
    }
}

TEST(KnownFaults, B16TheEnergyWithoutExcludedPairsIsTheIntegralOfTheForce)
{
    const Waters w = waters(1, 3.0, {0, 0, 0});
    const NonbondedSettings s = tight_mesh(48);
    const SinglePoint p = single_point(w.topology, s, cube(3), w.x, 1);
    for (std::size_t a = 0; a < 3; ++a) {
        for (int k = 0; k < 3; ++k) {
            const auto energy = [&](double h) {
                std::vector<Vec3> y = w.x;
                y[a][k] += h;
                return single_point(w.topology, s, cube(3), y, 1).sums.potential();
            };

            EXPECT_NEAR(p.forces[a][k], -(energy(1e-4) - energy(-1e-4)) / 2e-4, 1e-5);
        }
    }
    NonbondedSettings mixed = s;
    mixed.precision = Precision::mixed;
    const double energy = single_point(w.topology, mixed, cube(3), w.x, 1).sums.potential();
    EXPECT_NEAR(energy, -0.0258477, 0.02);
}

/// One molecule at rest whose pressure comes from one kind of term.
struct Strained {
    const char* name;
    Topology topology;
    std::vector<Vec3> x;
};
std::vector<Strained> strained_molecules()
{
    const std::vector<Vec3> bent{
        {-0.05, 0, 0}, {0.05, 0.01, 0}, {0.1, 0.1, -0.03}, {0.2, 0.12, 0.05}, {0.25, 0.22, 0}};
    std::vector<Strained> all;
    const auto add = [&](const char* name, std::size_t atoms, const auto& put) {
        Strained s{name,
                   support::massive_atoms(std::vector<double>(atoms, 12.0)),
                   {bent.begin(), bent.begin() + static_cast<std::ptrdiff_t>(atoms)}};
        put(s);
        all.push_back(s);
    };
    add("bond", 2, [](Strained& s) {
        s.x[1] = {0.05, 0, 0};
        s.topology.table<HarmonicBond>().add({0, 1}, {200000, 0.15});
    });
    add("angle", 3, [](Strained& s) {
        s.topology.table<HarmonicAngle>().add({0, 1, 2}, HarmonicAngle::typical());
    });
    add("dihedral", 4, [](Strained& s) {
        s.topology.table<PeriodicDihedral>().add({0, 1, 2, 3}, PeriodicDihedral::typical());
    });
    add("map", 5, [](Strained& s) {
        s.topology.table<Cmap>().add({0, 1, 2, 3, 4}, Cmap::typical());
    });
    add("pair14", 4, [](Strained& s) {
        s.topology.table<LennardJones14>().add({0, 3}, LennardJones14::typical());
        s.topology.table<Coulomb14>().add({0, 3}, Coulomb14::typical());
    });
    add("constraint", 3, [](Strained& s) { // held against two stretched bonds
        s.topology.constraints = {{0, 1, norm(s.x[0] - s.x[1])}};
        s.topology.table<HarmonicBond>().add({0, 2}, {3000, 0.1});
        s.topology.table<HarmonicBond>().add({1, 2}, {3000, 0.2});
    });
    return all;
}

TEST(KnownFaults, B20ThePressureTensorDoesNotFeelTheBoundary)
{
    const Box box = cube(3);
    const double scale = 281474976710656.0; // places on the position grid: moves are exact
    for (const Strained& s : strained_molecules()) {
        const auto topology = finish(s.topology);
        const auto pressure_at = [&](const Vec3& place, int wrap) {
            std::vector<Vec3> x;
            for (const Vec3& p : s.x) {
                const Vec3 on_grid{std::rint(p.x * scale) / scale, std::rint(p.y * scale) / scale,
                                   std::rint(p.z * scale) / scale};
                Vec3 here = place + on_grid;
                if (wrap == 1) {
                    here = box.wrap(here);
                } else if (wrap == 2) {
                    const int n = static_cast<int>(x.size());
                    here += box.shift(n - 1, -2 * n, n * n);
                }
                x.push_back(here);
            }
            DynamicsSettings settings;
            settings.integrator = Integrator::velocity_verlet;
            settings.remove_com_every = 0;
            Simulation simulation(topology, plain(1.0), settings,
                                  support::at_positions(x, std::vector<Vec3>(x.size()), box), 1);
            return simulation.observables().pressure_tensor;
        };
        const Mat3 middle = pressure_at({1.5, 1.5, 1.5}, 0);
        ASSERT_GT(support::largest_element(middle), 0.01) << s.name;
        for (const Vec3& place : {Vec3{0, 1.5, 1.5},
                                  {0, 3, 1.5},
                                  {0, 0, 0},
                                  {3, 3, 3},
                                  {2.96875, 0.5, 1.25},
                                  {-17.5, 8.25, 100.125}}) {
            for (const int wrap : {0, 1, 2}) {
                const Mat3 there = pressure_at(place, wrap);

                EXPECT_LT(support::largest_element(there - middle),
                          1e-10 * support::largest_element(middle))
                    << s.name << " " << place.x << " wrap " << wrap;
            }
        }
        if (s.name == std::string("bond")) {
            EXPECT_NEAR(trace(middle) / 3 / units::bar, 205.005, 1e-3);
            EXPECT_NEAR(middle[0].x / units::bar, 615.01, 1e-2);
            EXPECT_EQ(middle[1].y, 0);
        }
    }
}

TEST(KnownFaults, B35ForcesOfClashesHaveTheRightSignOrAreTold)
{
    const auto topology = finish(argon(2));
    for (const double r : {0.05, 0.09, 0.0952, 0.0953, 0.1}) {
        const SinglePoint p = single_point(topology, plain(1.2), cube(3),
                                           std::vector<Vec3>{{1, 1, 1}, {1 + r, 1, 1}}, 1);
        const double s6 = std::pow(0.34 / r, 6);

        EXPECT_NEAR(p.forces[1].x * r / (24 * 0.996 * (2 * s6 * s6 - s6)), 1, 1e-11) << r;
        EXPECT_NEAR(p.sums.potential() / (4 * 0.996 * (s6 * s6 - s6)), 1, 1e-11) << r;
    }
    // ten charged atoms within 1e-10 nm
    std::vector<Vec3> heap;
    for (int a = 0; a < 10; ++a) {
        heap.push_back(Vec3{1, 1, 1} + 1e-11 * Vec3{a + 0.0, a * a % 7 + 0.0, 3.0 * a});
    }
    NonbondedSettings charged = plain(1.2);
    charged.electrostatics = Electrostatics::cutoff;
    const SinglePoint p = single_point(finish(argon(10, 1.0)), charged, cube(3), heap, 1);
    EXPECT_FALSE(p.notes.empty());
    EXPECT_GT(p.sums.potential(), 1e90);
    EXPECT_LT(p.forces[0].z, 0); // outwards at both ends
    EXPECT_GT(p.forces[9].z, 0);
}

/// 500 argon atoms 0.375 nm apart, the last beside the first.
std::vector<Vec3> fluid_with_clash(double apart)
{
    std::vector<Vec3> x;
    for (int a = 0; a < 499; ++a) {
        x.push_back({0.375 * (a % 8) + 0.1, 0.375 * (a / 8 % 8) + 0.1, 0.375 * (a / 64) + 0.1});
    }
    x.push_back(x[0] + Vec3{0.6 * apart, 0.8 * apart, 0});
    return x;
}

TEST(KnownFaults, B35ARunStopsAtAClashAndNamesItsAtoms)
{
    for (const Precision precision : {Precision::fp64, Precision::mixed}) {
        NonbondedSettings s = plain(1.2);
        s.precision = precision;
        DynamicsSettings settings;
        try {
            Simulation simulation(finish(argon(500)), s, settings,
                                  support::at_positions(fluid_with_clash(0.05), {}, cube(3)), 1);
            simulation.run(1);
            FAIL() << "a force of 1e13 kJ/mol/nm must not be taken";
        } catch (const PhysicsError& error) {
            const std::string what = error.what();
            EXPECT_TRUE(what.find("atom 1 ") != std::string::npos ||
                        what.find("atom 500 ") != std::string::npos)
                << what;
        }
    }
}

TEST(KnownFaults, B35AMinimiserResolvesAClashAndNeverRises)
{
    for (const double apart : {0.05, 0.1}) {
        DynamicsSettings settings;
        settings.integrator = Integrator::steepest_descent;
        settings.minimizer_tolerance = 1;
        Simulation simulation(finish(argon(500)), plain(1.2), settings,
                              support::at_positions(fluid_with_clash(apart), {}, cube(3)), 1);
        double energy = simulation.observables().potential;
        for (int k = 1; k <= 200; ++k) {
            simulation.run(k);
            const double now = simulation.observables().potential;
            ASSERT_LE(now, energy) << k;
            energy = now;
        }
        double shortest = 1;
        const std::vector<GridPosition>& x = simulation.state().position;
        for (std::size_t a = 0; a < x.size(); ++a) {
            for (std::size_t b = 0; b < a; ++b) {
                shortest = std::fmin(shortest, norm(cube(3).shortest(to_nm(x[a]) - to_nm(x[b]))));
            }
        }
        EXPECT_GT(shortest, 0.25) << apart;
        EXPECT_LT(energy, 0);
    }
}

TEST(KnownFaults, B37VelocitiesOfAnAmberFileGiveTheirTemperature)
{
    DynamicsSettings settings;
    settings.integrator = Integrator::velocity_verlet;
    Simulation simulation(
        finish(argon(2)), plain(1.2), settings,
        support::at_positions({{0, 0, 0}, {2, 0, 0}}, {{0.20455, 0, 0}, {-0.20455, 0, 0}}, cube(5)),
        1);

    EXPECT_NEAR(simulation.observables().kinetic, 1.67145238347, 1e-10);
    EXPECT_NEAR(simulation.observables().temperature, 134.019676, 1e-6);
}

TEST(KnownFaults, B45TwoIonsInACellOfAMicrometreCostNoMemory)
{
    Topology ions = free_atoms({1, -1}, {0, 0}, mixed_table({0.0}, {0.0}));
    NonbondedSettings s = plain(1.0);
    s.electrostatics = Electrostatics::cutoff;
    const auto topology = finish(std::move(ions));
    for (const Precision precision : {Precision::fp64, Precision::mixed}) {
        s.precision = precision;

        // 1.2e9 cells of the cut-off would take gigabytes
        const std::int64_t allowed =
            std::max(support::peak_resident_bytes(), support::resident_bytes() + 64 * 1048576);
        const SinglePoint p = single_point(
            topology, s, cube(1000), std::vector<Vec3>{{999.8, 0.1, 500}, {0.2, 0.1, 500}}, 2);

        EXPECT_LE(support::peak_resident_bytes(), allowed);
        EXPECT_NEAR(p.sums.potential(), -138.93545764438 / 0.4, 1e-7);
    }
}

} // namespace
} // namespace tessera
