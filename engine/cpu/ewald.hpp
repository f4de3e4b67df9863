#pragma once

#include "engine/backend/sums.hpp"
#include "engine/cpu/mesh_kernel.hpp"
#include "engine/geometry/box.hpp"

#include <span>
#include <vector>

namespace tessera
{

/// Ewald's reciprocal sum wave by wave, without a mesh: exact to rounding (waves until exp(-k^2/4
/// beta^2) is below 1e-17), cost atoms times waves. For small systems and as a reference of the
/// mesh.
class Ewald {
public:
    Ewald(const CoulombWaves& waves, std::vector<double> charges);

    /// Energy into coulomb_reciprocal; `canonical` as made by canonical_positions for this box.
    void add_forces(const Box& box, std::span<const Vec3> canonical, Wanted wanted, int threads,
                    ForceSums& forces, EnergySums& energies) const;

private:
    CoulombWaves waves_;
    std::vector<double> charge_;
};

} // namespace tessera
