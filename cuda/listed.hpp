#pragma once

#include "engine/backend/sums.hpp"
#include "engine/geometry/box.hpp"
#include "engine/model/topology.hpp"

#include <memory>
#include <span>

namespace tessera
{

/// The bonded terms that have a kernel. The kernel is written once for all terms: another one is a
/// word here and an instantiation in listed.cu.
using CudaListedTerms =
    TypeList<HarmonicBond, HarmonicAngle, UreyBradley, PeriodicDihedral, PeriodicImproper,
             HarmonicImproper, RyckaertBellemans, LennardJones14, Coulomb14>;

/// Bonded terms of CudaListedTerms on the GPU, in FP64 with exact sums.
class CudaListed {
public:
    /// Uploads tuples and parameters. The topology is not needed afterwards.
    explicit CudaListed(const Topology& topology);
    ~CudaListed();
    CudaListed(CudaListed&&) noexcept;
    CudaListed& operator=(CudaListed&&) noexcept;

    /// Adds to forces and sums what engine/cpu/listed.hpp would add for the same terms, and waits
    /// for it. Positions in nm, any images. Throws PhysicsError that names the term and its atoms
    /// when a force is not finite or beyond the force grid; the sums are then worthless.
    void add_forces(const Box& box, std::span<const Vec3> positions, Wanted wanted,
                    ForceSums& forces, EnergySums& sums);

private:
    struct Device;
    std::unique_ptr<Device> device_;
};

} // namespace tessera
