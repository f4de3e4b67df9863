// Writes small trajectories whose every number is known in closed form, into the folder given.
// h5md_readers_test.py opens them with other people's readers.
#include "io/trajectory_h5md.hpp"
#include "tests/io/small_systems.hpp"

#include <cstdio>
#include <exception>
#include <string>

namespace tessera
{
namespace
{

TrajectorySettings settings_for(const std::string& path)
{
    TrajectorySettings s;
    s.path = path;
    s.velocities = true;
    s.forces = true;
    s.velocity_time_offset = -0.001;
    s.observables = {{"temperature", "K"}, {"pressure", "bar"}};
    s.energies = {{"potential", "kJ mol-1"}, {"kinetic", "kJ mol-1"}};
    s.provenance = {"[run]\nsteps = 40\n", "0.1.0", "someone", {{"run", 42}, {"thermostat", 7}}};
    return s;
}

/// Ten atoms in a tilted cell that grows; atom i starts at (0.2 i, 0.3, 0.4) and moves with
/// (i, -2, 0.5) nm/ps, so that some leave the cell more than once.
void write_growing(const std::string& path, int frames, bool as_float64, bool is_packed = false)
{
    const auto topology = finish(test::argon(10));
    TrajectorySettings s = settings_for(path);
    s.position_precision = as_float64 ? FloatWidth::float64 : FloatWidth::float32;
    s.deflate_level = is_packed ? 4 : 0;
    s.position_grid = is_packed ? 0x1p-10 : 0; // nm
    H5mdTrajectory out = H5mdTrajectory::create(s, *topology);
    double scale = 1;
    for (int frame = 0; frame < frames; ++frame, scale *= 1.001) {
        const double time = 0.5 * frame;
        std::vector<Vec3> x, v, f;
        for (int i = 0; i < 10; ++i) {
            v.push_back({1.0 * i, -2, 0.5});
            x.push_back(Vec3{0.2 * i, 0.3, 0.4} + time * v.back());
            f.push_back({10.0 * i, 20, -30.0 * frame});
        }
        const Box box(scale * Mat3{{{2, 0, 0}, {0.5, 3, 0}, {-0.25, 0.75, 4}}});
        const std::vector<double> observables = {300.0 + frame, -1.0 * frame};
        out.append({250 * frame, time, box, x, v, f, observables});
        for (int k = 0; k < 5; ++k) {
            const std::vector<double> energies = {-100.0 + k, 50.0 * frame};
            out.append_energies(250 * frame + 50 * k, time + 0.1 * k, energies);
        }
    }
    out.close();
}

/// One atom, x = 1 + 0.1 t, a frame every ten steps of 2 fs; the run stops at step 23 and goes on
/// from a checkpoint at step 20.
void write_continued(const std::string& path)
{
    const auto topology = finish(test::argon(1));
    TrajectorySettings s = settings_for(path);
    s.observables.clear();
    s.forces = false;
    const auto run = [&](H5mdTrajectory& out, int from, int to) {
        for (int step = from; step <= to; ++step) {
            const double time = step * 0.002;
            const std::vector<Vec3> x = {{1 + 0.1 * time, 0, 0}}, v = {{0.1, 0, 0}};
            if (step % 10 == 0) {
                out.append({step, time, Box(3.0 * identity3()), x, v, {}, {}});
            }
            const std::vector<double> energies = {1.0 * step, 0};
            out.append_energies(step, time, energies);
        }
    };
    {
        H5mdTrajectory out = H5mdTrajectory::create(s, *topology);
        run(out, 0, 23);
        out.close();
    }
    H5mdTrajectory out = H5mdTrajectory::append_to(s, *topology, 20);
    run(out, 20, 40);
    out.close();
}

/// The same atom with its velocity every twenty steps and its force every thirty, stopped at step
/// 23 and continued from step 20.
void write_strides(const std::string& path, bool periodic)
{
    const auto topology = finish(test::argon(1));
    TrajectorySettings s = settings_for(path);
    s.observables.clear();
    s.energies.clear();
    s.periodic = periodic;
    s.velocities = s.forces = false;
    s.velocities_apart = s.forces_apart = true;
    const auto run = [&](H5mdTrajectory& out, int from, int to) {
        for (int step = from; step <= to; ++step) {
            const double time = step * 0.002;
            const Box box = periodic ? Box((3.0 + time) * identity3()) : Box();
            const std::vector<Vec3> x = {{1 + 0.1 * time, 0, 0}}, v = {{0.1, 0, time}};
            if (step % 20 == 0) {
                out.append_velocities(step, time, box, v);
            }
            if (step % 30 == 0) {
                out.append_forces(step, time, box, x);
            }
            if (step % 10 == 0) {
                out.append({step, time, box, x, {}, {}, {}});
            }
        }
    };
    {
        H5mdTrajectory out = H5mdTrajectory::create(s, *topology);
        run(out, 0, 23);
        out.close();
    }
    H5mdTrajectory out = H5mdTrajectory::append_to(s, *topology, 20);
    run(out, 20, 40);
    out.close();
}

/// A bonded chain in open space.
void write_open(const std::string& path)
{
    const auto topology = finish(test::chain(3));
    TrajectorySettings s = settings_for(path);
    s.periodic = false;
    s.velocities = s.forces = false;
    s.observables.clear();
    H5mdTrajectory out = H5mdTrajectory::create(s, *topology);
    const std::vector<Vec3> x = {{0, 0, 0}, {0.1, 0, 0}, {0.2, 0, 0}};
    out.append({0, 0.0, Box(), x, {}, {}, {}});
    out.close();
}

} // namespace
} // namespace tessera

int main(int count, char** arguments)
{
    try {
        const std::string folder = count > 1 ? arguments[1] : ".";
        tessera::write_growing(folder + "/empty.h5md", 0, false);
        tessera::write_growing(folder + "/one.h5md", 1, false);
        tessera::write_growing(folder + "/five.h5md", 5, false);
        tessera::write_growing(folder + "/double.h5md", 3, true);
        tessera::write_growing(folder + "/packed.h5md", 5, false, true);
        tessera::write_continued(folder + "/continued.h5md");
        tessera::write_strides(folder + "/strides.h5md", true);
        tessera::write_strides(folder + "/strides_open.h5md", false);
        tessera::write_open(folder + "/open.h5md");
    } catch (const std::exception& fault) {
        std::fprintf(stderr, "%s\n", fault.what());
        return 1;
    }
    return 0;
}
