// h5md_many_frames FILE ATOMS FRAMES [CUT [LEVEL]]: writes a trajectory of so many atoms and
// frames, or (CUT not -1) cuts one behind frame CUT and goes on; deflated at LEVEL, 0 not. Atom i
// of frame k stands at (k + 0.001 i, 0, 0) nm.
#include "io/trajectory_h5md.hpp"
#include "tests/io/small_systems.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>

namespace tessera
{
namespace
{

void write(const std::string& path, int atoms, int frames, int cut, int level)
{
    const auto topology = finish(test::argon(atoms));
    TrajectorySettings settings;
    settings.path = path;
    settings.deflate_level = level;
    settings.observables = {{"temperature", "K"}};
    settings.energies = {{"potential", "kJ mol-1"}};
    H5mdTrajectory out = cut < 0 ? H5mdTrajectory::create(settings, *topology)
                                 : H5mdTrajectory::append_to(settings, *topology, cut, cut);
    for (int k = cut + 1; k < frames; ++k) {
        std::vector<Vec3> x;
        for (int i = 0; i < atoms; ++i) {
            x.push_back({k + 0.001 * i, 0, 0});
        }
        const std::vector<double> row = {1.0 * k};
        out.append_energies(k, 0.001 * k, row);
        out.append({k, 0.001 * k, Box(1000.0 * identity3()), x, {}, {}, row});
    }
    out.close();
}

} // namespace
} // namespace tessera

int main(int count, char** arguments)
{
    try {
        if (count < 4) {
            return 2;
        }
        tessera::write(arguments[1], std::atoi(arguments[2]), std::atoi(arguments[3]),
                       count > 4 ? std::atoi(arguments[4]) : -1,
                       count > 5 ? std::atoi(arguments[5]) : 0);
    } catch (const std::exception& fault) {
        std::fprintf(stderr, "%s\n", fault.what());
        return 4;
    }
    return 0;
}
