#include "engine/cpu/dispersion_correction.hpp"
#include "engine/cpu/long_range.hpp"
#include "engine/cpu/nonbonded.hpp"
#include "tests/support/systems.hpp"

#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

// Configurations and energies of the NIST Standard Reference Simulation Website; see
// tests/data/nist-*.
namespace tessera
{
namespace
{

using support::exclude;
using support::free_atoms;
using support::mixed_table;

struct Configuration {
    Mat3 cell;
    std::vector<Vec3> x;
    std::vector<std::string> last; ///< first or last word of a line: element or type
};

std::vector<std::vector<std::string>> words_of(const std::string& name)
{
    std::ifstream file(std::string(TESSERA_SOURCE_DIR "/tests/data/") + name);
    std::vector<std::vector<std::string>> lines;
    for (std::string line; std::getline(file, line);) {
        std::istringstream text(line);
        std::vector<std::string> words;
        for (std::string word; text >> word;) {
            words.push_back(word);
        }
        if (!words.empty() && words[0][0] != '#') {
            lines.push_back(words);
        }
    }
    return lines;
}

Vec3 vector_at(const std::vector<std::string>& words, std::size_t first)
{
    return {std::stod(words.at(first)), std::stod(words.at(first + 1)),
            std::stod(words.at(first + 2))};
}

/// Lengths are multiplied by `unit`.
Configuration read(const std::string& name, double unit)
{
    const auto lines = words_of(name);
    Configuration c;
    const bool is_xyz = name.substr(name.size() - 4) == ".xyz";
    const std::vector<std::string>& cell = lines.at(is_xyz ? 1 : 0);
    const Vec3 edge = vector_at(cell, is_xyz ? 1 : 0);
    const Vec3 tilt = is_xyz ? vector_at(cell, 4) : Vec3{};
    c.cell = unit * Mat3{{{edge.x, 0, 0}, {tilt.x, edge.y, 0}, {tilt.y, tilt.z, edge.z}}};
    for (std::size_t k = 2; k < lines.size(); ++k) {
        c.x.push_back(unit * vector_at(lines[k], 1));
        c.last.push_back(is_xyz ? lines[k].front() : lines[k].back());
    }
    return c;
}

struct LjCase {
    const char* file;
    double cutoff, energy, virial, tail; ///< virial: sum r.F; tail with the repulsive part
};

class NistLennardJones : public testing::TestWithParam<LjCase> {};

TEST_P(NistLennardJones, HasThePublishedEnergyVirialAndTail)
{
    const LjCase& c = GetParam();
    const Configuration configuration = read(std::string("nist-lj/") + c.file, 1.0);
    const std::size_t n = configuration.x.size();
    const Topology topology = free_atoms(
        std::vector<double>(n, 0.0), std::vector<std::int32_t>(n, 0), mixed_table({1.0}, {1.0}));
    NonbondedSettings s;
    s.lj_cutoff = c.cutoff;
    s.lj_modifier = LjModifier::none;
    s.electrostatics = Electrostatics::none;
    s.dispersion_correction = DispersionCorrection::energy;
    const Box box(configuration.cell);
    Nonbonded nonbonded(topology, s);
    nonbonded.search(box, configuration.x);
    ForceSums forces(n, SumMode::exact);
    EnergySums sums;

    nonbonded.add_forces(box, configuration.x, {true, true}, 2, forces, sums);
    DispersionTail(topology, s).add(box, {true, true}, sums);

    // published with ten decimals; 10^5 pairs rounded to 2^-40 each
    EXPECT_NEAR(sums.energy(EnergyKind::lj), c.energy, 2e-9);
    if (c.virial != 0) {
        EXPECT_NEAR(-2 * trace(sums.virial()), c.virial, 2e-8); // forces are rounded to 2^-36
    }
    const double density = static_cast<double>(n) / box.volume();
    const double repulsive_tail = 8.0 / 9.0 * 3.14159265358979323846 * static_cast<double>(n) *
                                  density * std::pow(c.cutoff, -9);
    EXPECT_NEAR(sums.energy(EnergyKind::dispersion_correction), c.tail - repulsive_tail, 2e-9);
}

INSTANTIATE_TEST_SUITE_P(Configurations, NistLennardJones,
                         testing::Values(LjCase{"lj_sample_config_periodic1.txt", 3,
                                                -4351.5401945439, -568.6654653182, -198.4888837442},
                                         LjCase{"lj_sample_config_periodic1.txt", 4,
                                                -4467.4957249480, -1263.8833718721, -83.7689864033},
                                         LjCase{"lj_sample_config_periodic2.txt", 3,
                                                -690.0040451729, -568.4573407379, -24.2296000664},
                                         LjCase{"lj_sample_config_periodic2.txt", 4,
                                                -704.6033197270, -655.9875607066, -10.2257063481},
                                         LjCase{"lj_sample_config_periodic3.txt", 3,
                                                -1146.6674208337, -1164.9496507132, -49.6222209360},
                                         LjCase{"lj_sample_config_periodic3.txt", 4,
                                                -1175.3805672254, -1337.1026173010, -20.9422466008},
                                         LjCase{"lj_sample_config_periodic4.txt", 3, -16.7903213046,
                                                -46.2491967463, -0.5451660015},
                                         LjCase{"lj_sample_config_periodic4.txt", 4, -17.0604532203,
                                                -47.8688281911, -0.2300783928},
                                         LjCase{"lj_triclinic_sample_config_periodic3.xyz", 3,
                                                -505.7856794526847, 0, -29.37186430697248}),
                         [](const auto& test) { return "n" + std::to_string(test.index); });

/// SPC/E: q_H 0.42380 e, sigma 3.16555789 A, epsilon/kB 78.19743111 K, the molecule excluded.
Topology spce(const Configuration& c)
{
    std::vector<double> charge;
    std::vector<std::int32_t> type;
    std::vector<std::array<std::int32_t, 2>> excluded;
    for (std::size_t a = 0; a < c.x.size(); ++a) {
        const bool is_oxygen = a % 3 == 0;
        charge.push_back(is_oxygen ? -0.8476 : 0.4238);
        type.push_back(is_oxygen ? 0 : 1);
        const auto i = static_cast<std::int32_t>(a);
        if (is_oxygen) {
            excluded.push_back({i, i + 1});
            excluded.push_back({i, i + 2});
            excluded.push_back({i + 1, i + 2});
        }
    }
    Topology t = free_atoms(
        charge, type, mixed_table({0.316555789, 0.0}, {78.19743111 * 0.00831446261815324, 0}));
    exclude(t, excluded);
    return t;
}

NonbondedSettings ewald(double beta)
{
    NonbondedSettings s;
    s.lj_cutoff = s.coulomb_cutoff = 1.0;
    s.lj_modifier = LjModifier::none;
    s.electrostatics = Electrostatics::ewald;
    s.ewald_beta = beta;
    return s;
}

struct Result {
    EnergySums sums;
    ForceSums forces;
};

Result evaluated(const Topology& topology, const NonbondedSettings& s, const Configuration& c)
{
    Result r{{}, ForceSums(c.x.size(), SumMode::exact)};
    const Box box(c.cell);
    Nonbonded nonbonded(topology, s);
    nonbonded.search(box, c.x);
    nonbonded.add_forces(box, c.x, {true, true}, 2, r.forces, r.sums);
    LongRange(topology, s).add_forces(box, c.x, {true, true}, 2, r.forces, r.sums);
    return r;
}

TEST(NistSpce, HasThePublishedTermsOfTheCubicCells)
{
    constexpr double kelvin = 0.00831446261815324; // kJ/mol
    struct Case {
        const char* file;
        double dispersion, real, self, intra; ///< K, six digits
    };
    for (const Case& c : {Case{"nist-spce/spce_sample_config_periodic1.txt", 9.95387e4, -5.58889e5,
                               -2.84469e6, 2.80999e6},
                          Case{"nist-spce/spce_sample_config_periodic2.txt", 1.93712e5, -1.19295e6,
                               -5.68938e6, 5.61998e6}}) {
        const Configuration configuration = read(c.file, 0.1);

        const Result r = evaluated(spce(configuration), ewald(2.8), configuration);

        // half a unit of the sixth digit of each published term
        EXPECT_NEAR(r.sums.energy(EnergyKind::lj) / kelvin, c.dispersion, 0.6);
        EXPECT_NEAR(r.sums.energy(EnergyKind::coulomb_real) / kelvin, c.real + c.self + c.intra,
                    16);
    }
}

TEST(NistSpce, HasTheTermsOfFeasstToEightDigits)
{
    const Configuration cubic = read("nist-spce/spce_sample_config_periodic1.txt", 0.1);
    const Result r = evaluated(spce(cubic), ewald(2.8), cubic);
    const double pairs = r.sums.energy(EnergyKind::lj) + r.sums.energy(EnergyKind::coulomb_real);
    const double expected = -3819.2497140430355 + 23363.573741866534 - 23652.080370504391;
    EXPECT_NEAR(pairs, expected, 23652 * 1e-8); // the Coulomb constant is known to 1e-9

    const Configuration tilted = read("nist-spce/spce_triclinic_sample_periodic1.xyz", 0.1);
    const Result t = evaluated(spce(tilted), ewald(2.85), tilted);
    EXPECT_NEAR(t.sums.energy(EnergyKind::lj), 931.15451, 1e-5);
    EXPECT_NEAR(t.sums.energy(EnergyKind::coulomb_real), -6046.43627 + 95078.89447 - 96297.75579,
                1e-3);
}

struct ConvergedCase {
    const char* file;
    const char* forces;
    double energy; ///< e^2/Angstrom
};

class NistConverged : public testing::TestWithParam<ConvergedCase> {};

TEST_P(NistConverged, EwaldAndMeshReachTheConvergedEnergyAndForces)
{
    const Configuration c = read(GetParam().file, 0.1);
    Topology charges = spce(c);
    std::fill(charges.pairs.c6.begin(), charges.pairs.c6.end(), 0.0);
    std::fill(charges.pairs.c12.begin(), charges.pairs.c12.end(), 0.0);
    NonbondedSettings s = ewald(5.4); // erfc(5.4) = 2e-14 at the cut-off
    s.pme_grid = {96, 96, 96};
    s.pme_order = 10;
    const auto published = words_of(GetParam().forces);
    ASSERT_EQ(published.size(), c.x.size());
    for (const Electrostatics method : {Electrostatics::ewald, Electrostatics::pme}) {
        s.electrostatics = method;
        if (method == Electrostatics::ewald && c.x.size() > 500) {
            continue; // 10^5 waves times 1200 atoms: seconds, and the cubic cell has shown it
        }

        const Result r = evaluated(charges, s, c);

        const double unit = 10 * charges.coulomb_constant; // e^2/A in kJ/mol
        const double energy =
            r.sums.energy(EnergyKind::coulomb_real) + r.sums.energy(EnergyKind::coulomb_reciprocal);
        // the spline's own error at order 10 and 3 to 6 points a 1/beta
        const double accuracy = method == Electrostatics::ewald ? 1e-10 : 1e-8;
        EXPECT_NEAR(energy / unit / GetParam().energy, 1.0, accuracy);
        double difference = 0, size = 0;
        for (std::size_t a = 0; a < c.x.size(); ++a) {
            const Vec3 expected = (10 * unit) * vector_at(published[a], 0);
            difference += norm2(r.forces.force(a) - expected);
            size += norm2(expected);
        }
        EXPECT_LT(std::sqrt(difference / size), method == Electrostatics::ewald ? 1e-10 : 1e-6);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Cells, NistConverged,
    testing::Values(
        ConvergedCase{"nist-spce/spce_sample_config_periodic1.txt",
                      "nist-spce/converged_ewald_forces_spce_sample_config_periodic1.txt",
                      -3.514744864168},
        ConvergedCase{"nist-spce/spce_triclinic_sample_periodic1.xyz",
                      "nist-spce/converged_ewald_forces_spce_triclinic_sample_periodic1.txt",
                      -4.959681423322}),
    [](const auto& test) { return test.index == 0 ? "cubic" : "triclinic"; });

} // namespace
} // namespace tessera
