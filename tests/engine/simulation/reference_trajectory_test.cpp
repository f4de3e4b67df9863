#include "engine/base/text_file.hpp"
#include "engine/math/units.hpp"
#include "engine/simulation/simulation.hpp"
#include "forcefields/gromacs_topology.hpp"
#include "tests/support/dynamics.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <sstream>

namespace tessera
{
namespace
{

const std::filesystem::path systems = TESSERA_SOURCE_DIR "/../shared/systems";

/// Rows of three numbers under "# t=... ps" headings, one block a frame.
std::vector<std::vector<Vec3>> read_frames(const std::filesystem::path& path)
{
    std::vector<std::vector<Vec3>> frames;
    for (const std::string& line : split_lines(read_file(path))) {
        if (line.starts_with("#")) {
            frames.emplace_back();
            continue;
        }
        std::istringstream in(line);
        Vec3 v;
        if (in >> v.x >> v.y >> v.z) {
            frames.back().push_back(v);
        }
    }
    return frames;
}

std::vector<std::map<std::string, double>> read_energies(const std::filesystem::path& path)
{
    const auto cut = [](const std::string& line) {
        std::vector<std::string> out;
        std::istringstream in(line);
        for (std::string cell; std::getline(in, cell, ',');) {
            out.push_back(cell);
        }
        return out;
    };
    const auto lines = split_lines(read_file(path));
    const auto names = cut(lines.front());
    std::vector<std::map<std::string, double>> rows;
    for (std::size_t k = 1; k < lines.size() && !lines[k].empty(); ++k) {
        const auto cells = cut(lines[k]);
        rows.emplace_back();
        for (std::size_t c = 0; c < names.size(); ++c) {
            rows.back()[names[c]] = std::stod(cells[c]);
        }
    }
    return rows;
}

double beta_for(double cutoff, double tolerance)
{
    double low = 0, high = 20;
    for (int k = 0; k < 200; ++k) {
        const double middle = 0.5 * (low + high);
        (std::erfc(middle * cutoff) > tolerance ? low : high) = middle;
    }
    return low;
}

struct Case {
    std::string name; // of the reference files
    Integrator integrator;
};

// 216 TIP3P waters, SETTLE, NVE, 2 fs; GROMACS 2022.5 in double precision. The step is the same
// algorithm; the forces of its Ewald pair kernel are those of a table: 9e-7 of the root mean
// square, at most 3e-3 kJ/mol/nm, away from erfc (with a reaction field 2.5e-8). Over 20 steps that
// moves a hydrogen by 3e-3/1.008 dt^2 20^2/2 = 2.4e-6 nm at worst, and by 1.5e-7 nm as measured.
class ReferenceTrajectory : public ::testing::TestWithParam<Case> {};

TEST_P(ReferenceTrajectory, IsFollowedFor20Steps)
{
    const auto folder = systems / "gmx-spc216";
    if (!std::filesystem::exists(folder)) {
        GTEST_SKIP() << "the handed systems are not beside the source: " << folder;
    }
    const auto reference = folder / "ref_nve_settle";
    GromacsTopologyOptions options;
    options.include = {systems / "_forcefields"};
    auto topology =
        finish(with_rigid_waters(read_gromacs_topology(folder / "spc216.top", options)));
    const auto x = read_frames(reference / (GetParam().name + "_x.txt.gz"));
    const auto v = read_frames(reference / (GetParam().name + "_v.txt.gz"));
    const auto energies = read_energies(reference / (GetParam().name + "_energies.csv"));
    NonbondedSettings nonbonded;
    nonbonded.lj_cutoff = nonbonded.coulomb_cutoff = 0.9;
    nonbonded.pme_grid = {24, 24, 24};
    nonbonded.pme_order = 8;
    nonbonded.ewald_beta = beta_for(0.9, 1e-6);
    nonbonded.list_buffer = 0.02;
    DynamicsSettings dynamics;
    dynamics.integrator = GetParam().integrator;
    dynamics.timestep = 0.002;
    dynamics.remove_com_every = 0;
    State start = support::at_positions(x[0], v[0], support::cube(1.86206));
    start.velocities_half_step_behind = dynamics.integrator == Integrator::leap_frog;
    Simulation simulation(topology, nonbonded, dynamics, start, 1);

    for (std::size_t step = 0; step <= 20; ++step) {
        const Observables& o = simulation.observables();
        auto expected = energies[step];
        const auto near = [&](double value, const char* name, double relative) {
            EXPECT_NEAR(value / expected[name], 1, relative) << name << " at step " << step;
        };
        near(o.potential, "Potential", 1e-6);
        near(o.kinetic, "Kinetic En.", 1e-6);
        near(o.energy[static_cast<std::size_t>(EnergyKind::lj)], "LJ (SR)", 1e-6);
        if (GetParam().integrator == Integrator::leap_frog) {
            // md-vv books the multipliers of half a step; the virial here is that of the time
            // itself
            EXPECT_NEAR(o.pressure / units::bar, expected["Pressure"], 0.03) << "at " << step;
        }
        if (step % 5 == 0) {
            const std::size_t frame = step / 5;
            double dx = 0, dv = 0;
            const State& now = simulation.state();
            for (std::size_t a = 0; a < x[0].size(); ++a) {
                const Vec3 d = now.box.shortest(to_nm(now.position[a]) - x[frame][a]);
                dx = std::fmax(dx, norm(d));
                dv = std::fmax(dv, norm(now.velocity[a] - v[frame][a]));
            }
            EXPECT_LT(dx, 2e-7) << "nm at step " << step;
            EXPECT_LT(dv, 1.5e-5) << "nm/ps at step " << step;
        }
        simulation.step();
    }
}

INSTANTIATE_TEST_SUITE_P(Gromacs, ReferenceTrajectory,
                         ::testing::Values(Case{"md", Integrator::leap_frog},
                                           Case{"md-vv", Integrator::velocity_verlet}),
                         [](const auto& instance) {
                             return instance.param.name == "md" ? "LeapFrog" : "VelocityVerlet";
                         });

} // namespace
} // namespace tessera
