#pragma once

#include "tests/support/geometries.hpp"
#include "tests/support/systems.hpp"

namespace tessera::support
{

/// A topology with its start positions and cell.
struct System {
    Topology topology;
    std::vector<Vec3> positions;
    Mat3 cell;
};

/// Flexible four-site waters (bonds, angle, a site on the bisector that carries the charge), turned
/// at random, and sodium ions: net charge, exclusions, sites, two Lennard-Jones types. Positions
/// are left unwrapped, so molecules straddle the faces.
inline System waters_and_ions(int waters, int ions, const Mat3& cell, unsigned seed)
{
    Dice dice(seed);
    const std::vector<Vec3> at =
        scattered(static_cast<std::size_t>(waters + ions), cell, 0.3, seed);
    std::vector<double> charge;
    std::vector<std::int32_t> type;
    std::vector<Vec3> x;
    for (int w = 0; w < waters; ++w) {
        const Vec3 u = dice.in_cube(1);
        const Vec3 v = dice.in_cube(1);
        const Vec3 axis = (1 / norm(u)) * u;
        const Vec3 off = v - dot(v, axis) * axis;
        const Vec3 side = (0.0757 / norm(off)) * off;
        const Vec3& o = at[static_cast<std::size_t>(w)];
        x.insert(x.end(), {o, o + 0.0586 * axis - side, o + 0.0586 * axis + side, o});
        charge.insert(charge.end(), {0.0, 0.52, 0.52, -1.04});
        type.insert(type.end(), {0, 1, 1, 1});
    }
    for (int k = 0; k < ions; ++k) {
        x.push_back(at[static_cast<std::size_t>(waters + k)]);
        charge.push_back(1.0);
        type.push_back(2);
    }
    Topology t = free_atoms(charge, type, mixed_table({0.315, 0.0, 0.25}, {0.65, 0.0, 0.2}));
    std::vector<std::array<std::int32_t, 2>> excluded;
    for (int w = 0; w < waters; ++w) {
        const std::int32_t o = 4 * w;
        t.table<HarmonicBond>().add({o, o + 1}, {400000, 0.0957});
        t.table<HarmonicBond>().add({o, o + 2}, {400000, 0.0957});
        t.table<HarmonicAngle>().add({o + 1, o, o + 2}, {400, 1.824});
        t.kind[static_cast<std::size_t>(o + 3)] = ParticleKind::virtual_site;
        t.mass[static_cast<std::size_t>(o + 3)] = 0;
        t.virtual_sites.push_back(
            {VirtualSiteKind::site3, o + 3, {o, o + 1, o + 2}, {0.128, 0.128}});
        for (std::int32_t a = 0; a < 4; ++a) {
            for (std::int32_t b = a + 1; b < 4; ++b) {
                excluded.push_back({o + a, o + b});
            }
        }
    }
    exclude(t, excluded);
    return {std::move(t), std::move(x), cell};
}

} // namespace tessera::support
