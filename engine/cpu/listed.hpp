#pragma once

#include "engine/backend/sums.hpp"
#include "engine/geometry/box.hpp"
#include "engine/model/topology.hpp"

#include <memory>
#include <span>

namespace tessera
{

/// The bonded terms, all kinds of ListedTerms, in FP64: gather, formula, scatter, eight entries at
/// once where the processor has the vectors (the same bits; ADR 0013).
///
/// Forces in kJ/mol/nm, energies booked at Term::kind, virial -1/2 sum d outer F over the
/// displacement vectors d of the terms (nearest images), never over absolute positions. Position
/// restraints alone book -1/2 x F on the diagonal (reference coordinates do not scale with the
/// cell).
class Listed {
public:
    /// Keeps a reference: the topology must outlive this object. Prepares tables (correction maps).
    explicit Listed(const Topology& topology);
    ~Listed();
    Listed(Listed&&) noexcept;
    Listed& operator=(Listed&&) noexcept;

    /// Adds to forces and sums; not const, as its work arrays are kept. Positions in nm, topology
    /// order, virtual sites in place. With exact sums the bits do not depend on `threads`; floating
    /// sums use one thread. Throws PhysicsError that names term and atoms when a term is outside
    /// its domain (FENE beyond r_max, ...) or not finite; the sums are then worthless. Throws
    /// InputError when a bond at rest is longer than half the cell's shortest height.
    void add_forces(const Box& box, std::span<const Vec3> positions, Wanted wanted, int threads,
                    ForceSums& forces, EnergySums& sums);

private:
    struct Work;
    std::unique_ptr<Work> work_;
};

} // namespace tessera
