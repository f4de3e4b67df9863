#pragma once

#include "engine/backend/sums.hpp"
#include "engine/model/topology.hpp"
#include "engine/plans/cluster_pair_list.hpp"
#include "engine/plans/settings.hpp"

#include <memory>
#include <span>

namespace tessera
{

/// Pairs on a cluster pair list, within the cut-off, on the GPU: FP64 with exact sums.
/// Lennard-Jones plain or with potential shift; Coulomb none, plain or shifted cut-off, reaction
/// field, or the real-space part of Ewald. Corrections of excluded pairs and self terms are not
/// made here.
///
/// As on the CPU, forms that have units (double_parameters.hpp) are evaluated in units
/// (unit_body.hpp); others, and all pairs where one is beyond the range of units, pair by pair
/// (pair_body.hpp).
class CudaNonbonded {
public:
    /// Throws NotBuilt for settings that have no kernel (switches, LJ-PME), by name.
    CudaNonbonded(const Topology& topology, const NonbondedSettings& settings);
    ~CudaNonbonded();
    CudaNonbonded(CudaNonbonded&&) noexcept;
    CudaNonbonded& operator=(CudaNonbonded&&) noexcept;

    /// Uploads a list; lists of "all pairs" are refused (NotBuilt).
    void load(const ClusterPairList& list);

    /// Adds forces and, where wanted, energies lj and coulomb_real, and waits for them: the same
    /// bits as engine/cpu/nonbonded.hpp without its corrections. Positions in nm, [atoms], in the
    /// images the list was made for; `shifts` are the list's shift vectors, nm. The virial is not
    /// made. Throws PhysicsError when a pair's force is not finite or beyond 8.4e6 kJ/mol/nm.
    void add_forces(std::span<const Vec3> positions, std::span<const Vec3> shifts, Wanted wanted,
                    ForceSums& forces, EnergySums& sums);

private:
    struct Device;
    std::unique_ptr<Device> device_;
};

} // namespace tessera
