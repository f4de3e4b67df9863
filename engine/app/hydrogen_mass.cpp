#include "engine/app/assemble.hpp"
#include "engine/cpu/atom_label.hpp"

#include <fmt/format.h>

namespace tessera
{

std::size_t repartition_hydrogen_mass(Topology& topology, double mass)
{
    std::vector<std::uint8_t> rigid(topology.mass.size(), 0);
    for (const RigidWater& water : topology.rigid_waters) {
        rigid[static_cast<std::size_t>(water.h1)] = rigid[static_cast<std::size_t>(water.h2)] = 1;
    }
    const std::vector<double> before = topology.mass;
    std::vector<std::uint8_t> done(topology.mass.size(), 0);
    std::size_t changed = 0;
    for (const auto& bond : topology.bonds) {
        for (int end = 0; end < 2; ++end) {
            const std::int32_t light = bond[static_cast<std::size_t>(end)];
            const std::int32_t heavy = bond[static_cast<std::size_t>(1 - end)];
            const auto h = static_cast<std::size_t>(light);
            const auto x = static_cast<std::size_t>(heavy);
            // by mass too: a carbon named HC is no hydrogen, one made heavier before still is
            const bool hydrogen = topology.is_hydrogen[h] != 0 && before[h] > 0 && before[h] < 4.5;
            if (!hydrogen || rigid[h] != 0 || done[h] != 0 || topology.is_hydrogen[x] != 0 ||
                !(before[x] > 0)) {
                continue;
            }
            done[h] = 1;
            ++changed;
            topology.mass[x] -= mass - before[h];
            topology.mass[h] = mass;
            if (topology.mass[x] < mass) {
                throw InputError(fmt::format("run.hydrogen_mass = {} u leaves atom {} only {:.4g} "
                                             "u (less than its hydrogens). "
                                             "Choose a smaller hydrogen mass.",
                                             mass, atom_label(topology, heavy), topology.mass[x]));
            }
        }
    }
    return changed;
}

} // namespace tessera
