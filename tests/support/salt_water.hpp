#pragma once

#include "engine/plans/settings.hpp"
#include "tests/support/dynamics.hpp"

namespace tessera::support
{

/// n^3 sites: rigid TIP3P waters, the last four of them 2 + 2 ions instead; no overlap, 0 K.
/// Parameters: W. L. Jorgensen et al., J. Chem. Phys. 79, 926 (1983); the ions are toys of its
/// size.
struct SaltWater {
    std::shared_ptr<const Topology> topology;
    State start;
    NonbondedSettings nonbonded;
};
inline SaltWater salt_water(int n)
{
    WaterLattice lattice = water_lattice(n, 0.31);
    const auto waters = lattice.topology.rigid_waters.size() - 4;
    std::vector<Vec3> x(lattice.positions.begin(),
                        lattice.positions.begin() + static_cast<std::ptrdiff_t>(3 * waters));
    std::vector<double> charge, mass;
    std::vector<std::int32_t> type;
    std::vector<std::array<std::int32_t, 2>> excluded;
    for (std::size_t w = 0; w < waters; ++w) {
        charge.insert(charge.end(), {-0.834, 0.417, 0.417});
        mass.insert(mass.end(), {15.9994, 1.008, 1.008});
        type.insert(type.end(), {0, 1, 1});
        const auto o = static_cast<std::int32_t>(3 * w);
        excluded.insert(excluded.end(), {{o, o + 1}, {o, o + 2}, {o + 1, o + 2}});
    }
    for (std::size_t ion = 0; ion < 4; ++ion) {
        x.push_back(lattice.positions[3 * (waters + ion)]);
        charge.push_back(ion % 2 == 0 ? 1 : -1);
        mass.push_back(30);
        type.push_back(2);
    }
    Topology t = free_atoms(charge, type, mixed_table({0.315061, 0, 0.3}, {0.6364, 0, 0.5}));
    t.mass = mass;
    t.rigid_waters = lattice.topology.rigid_waters;
    t.rigid_waters.resize(waters);
    exclude(t, excluded);

    SaltWater out{finish(std::move(t)), at_positions(x, {}, lattice.box), {}};
    NonbondedSettings& s = out.nonbonded;
    s.lj_cutoff = s.coulomb_cutoff = 0.48 * lattice.box.shortest_height();
    s.list_buffer = 0.02 * lattice.box.shortest_height();
    s.ewald_beta = 3.5 / s.coulomb_cutoff; // erfc = 7e-7
    const int points = n <= 3 ? 16 : 20;
    s.pme_grid = {points, points, points};
    s.pme_order = 6;
    return out;
}

} // namespace tessera::support
