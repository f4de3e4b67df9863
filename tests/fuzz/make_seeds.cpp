// Writes seeds of the formats that are not text, or of which no file is at hand: make_seeds TARGET,
// into the folder it stands in.
#include "io/checkpoint.hpp"
#include "io/write_text.hpp"
#include "tests/fuzz/seed_systems.hpp"
#include "tests/io/netcdf_bytes.hpp"

#include <cstdio>
#include <exception>

namespace tessera::fuzz
{
namespace
{

void trajectory_seeds()
{
    for (const bool is_double : {false, true}) {
        TrajectorySettings settings = seed_settings(is_double ? "double.h5md" : "single.h5md");
        settings.position_precision = is_double ? FloatWidth::float64 : FloatWidth::float32;
        H5mdTrajectory out = H5mdTrajectory::create(settings, *seed_topology());
        for (const std::int64_t step : {0, 10, 20}) {
            append_seed_frame(out, step);
        }
        out.close();
    }
    H5mdTrajectory::create(seed_settings("empty.h5md"), *seed_topology()).close();
}

void checkpoint_seeds()
{
    Checkpoint checkpoint;
    checkpoint.state.box = Box(3.0 * identity3());
    checkpoint.state.step = 5;
    checkpoint.state.time = 0.01;
    checkpoint.state.position = {{1, 2, 3}, {-4, 5, std::int64_t{1} << 40}};
    checkpoint.state.velocity = {{1, 2, 3}, {0.5, 0, 0}};
    checkpoint.doubles["heat"] = {0.25};
    checkpoint.integers["counter"] = {-1, 7};
    checkpoint.deck_text = "[run]\nsteps = 5\n";
    checkpoint.topology_hash = "0123456789abcdef";
    checkpoint.program_version = "0.1.0";
    write_checkpoint("state.h5", checkpoint);
    checkpoint.doubles.clear();
    checkpoint.state.box = Box();
    write_checkpoint("open.h5", checkpoint);
}

void netcdf_seeds()
{
    for (const int version : {1, 2, 5}) {
        test::NetcdfBytes file(version);
        file.attribute("Conventions", "AMBERRESTART").attribute("title", "seed");
        file.dimension("spatial", 3).dimension("atom", 2).dimension("cell_spatial", 3);
        file.dimension("cell_angular", 3);
        file.variable("time", {}, 6, {1.5}, {file.text_attribute("units", "picosecond")});
        file.variable("coordinates", {1, 0}, 6, {1, 2, 3, 4, 5, 6},
                      {file.text_attribute("units", "angstrom")});
        file.variable("velocities", {1, 0}, 6, {1, 2, 3, 4, 5, 6},
                      {file.text_attribute("units", "angstrom/picosecond"),
                       file.number_attribute("scale_factor", 20.455)});
        file.variable("cell_lengths", {2}, 6, {30, 30, 30},
                      {file.text_attribute("units", "angstrom")});
        file.variable("cell_angles", {3}, 6, {90, 90, 90},
                      {file.text_attribute("units", "degree")});
        write_text(fmt::format("restart{}.nc", version), file.bytes());

        test::NetcdfBytes frames(version);
        frames.attribute("Conventions", "AMBER");
        frames.dimension("frame", 0).dimension("spatial", 3).dimension("atom", 1).records(2);
        frames.variable("coordinates", {0, 2, 1}, 5, {1, 2, 3, 4, 5, 6});
        write_text(fmt::format("frames{}.nc", version), frames.bytes());
    }
}

void charmm_seeds()
{
    write_text("normal.crd",
               "* TITLE\n*\n    2\n"
               "    1    1 TIP3 OH2   -0.55120   0.89700   1.24000 WAT  1      0.00000\n"
               "    2    1 TIP3 H1     0.10000   0.20000   0.30000 WAT  1      0.00000\n");
    write_text("extended.crd",
               "* TITLE\n*\n         1  EXT\n"
               "         1         1  TIP3      OH2            -0.5512000000        0.8970000000"
               "        1.2400000000  WAT       1               0.0000000000\n");
}

void write_seeds(const std::string& target)
{
    if (target == "h5md" || target == "trajectory") {
        trajectory_seeds();
    } else if (target == "checkpoint") {
        checkpoint_seeds();
    } else if (target == "amber_netcdf") {
        netcdf_seeds();
    } else if (target == "charmm_crd") {
        charmm_seeds();
    }
}

} // namespace
} // namespace tessera::fuzz

int main(int count, char** arguments)
{
    try {
        tessera::fuzz::write_seeds(count > 1 ? arguments[1] : "");
    } catch (const std::exception& fault) {
        std::fprintf(stderr, "%s\n", fault.what());
        return 1;
    }
    return 0;
}
