#pragma once

#include "engine/backend/sums.hpp"
#include "engine/cpu/place_grid.hpp"
#include "engine/geometry/box.hpp"
#include "engine/model/topology.hpp"

#include <span>

namespace tessera
{

/// Massless sites that follow their parents (VirtualSiteKind), in FP64. Sites may be built from
/// sites: they are constructed in the topology's order and spread in the reverse order. Parents are
/// taken at the nearest image of the first parent.
class VirtualSites {
public:
    /// Keeps a reference: the topology must outlive this object.
    explicit VirtualSites(const Topology& topology);

    [[nodiscard]] bool empty() const;

    /// Sets the positions (nm) of all sites. Throws PhysicsError that names the site when its
    /// parents leave it undefined (coincident, or in line where a plane is needed). Each stands
    /// whole steps of `places` from its first parent.
    void construct(const Box& box, std::span<Vec3> positions, const PlaceGrid& places = {}) const;

    /// Sets the velocities (nm/ps) of all sites: the time derivative of construct().
    void construct_velocities(const Box& box, std::span<const Vec3> positions,
                              std::span<Vec3> velocities) const;

    /// Moves the sites' forces to their parents: F_k = (dx_site/dx_k)^T F_site. A site's own force
    /// is then 0. Where wanted, the virial gets -1/2 (sum over parents of r outer F - that of the
    /// site): what it lacks when the site's forces were booked at the site.
    void spread(const Box& box, std::span<const Vec3> positions, Wanted wanted, ForceSums& forces,
                EnergySums& sums) const;

private:
    const Topology* topology_;
};

} // namespace tessera
