#include "engine/cpu/virtual_sites.hpp"

#include "engine/base/error.hpp"
#include "engine/cpu/atom_label.hpp"
#include "engine/cpu/position_grid.hpp"
#include "engine/math/dual.hpp"
#include "engine/model/state.hpp"
#include "engine/physics/virtual_sites.hpp"

#include <cmath>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace tessera
{

namespace
{

/// Calls f(formula, parameters) for a site's kind.
template <class F>
void with_formula(const VirtualSite& site, F&& f)
{
    const double* p = site.parameters.data();
    switch (site.kind) {
    case VirtualSiteKind::site2:
        return f(virtual_site::Linear{1}, p);
    case VirtualSiteKind::site2fd:
        return f(virtual_site::FixedDistance2{}, p);
    case VirtualSiteKind::site3:
        return f(virtual_site::Linear{2}, p);
    case VirtualSiteKind::site3fd:
        return f(virtual_site::FixedDistance3{}, p);
    case VirtualSiteKind::site3fad:
        return f(virtual_site::FixedAngle3{}, p);
    case VirtualSiteKind::site3out:
        return f(virtual_site::OutOfPlane3{}, p);
    case VirtualSiteKind::site4fdn:
        return f(virtual_site::FixedDistance4{}, p);
    case VirtualSiteKind::siten: // the first weight follows from the others
        return f(virtual_site::Linear{static_cast<int>(site.parents.size()) - 1}, p + 1);
    }
}

bool is_finite(const Vec3& v)
{
    return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}

/// False for NaN.
bool is_on_grid(const Vec3& v)
{
    constexpr double farthest = PositionGrid::farthest;
    return std::fabs(v.x) < farthest && std::fabs(v.y) < farthest && std::fabs(v.z) < farthest;
}

/// x_k - x_0 at the nearest image, for the parents k = 1, 2, ...
void gather(const VirtualSite& site, const Box& box, std::span<const Vec3> positions,
            std::vector<Vec3>& d)
{
    const Vec3 origin = positions[static_cast<std::size_t>(site.parents[0])];
    d.clear();
    for (std::size_t k = 1; k < site.parents.size(); ++k) {
        d.push_back(box.shortest(positions[static_cast<std::size_t>(site.parents[k])] - origin));
    }
}

[[noreturn]] void fail_undefined(const Topology& topology, const VirtualSite& site)
{
    std::string parents;
    for (const std::int32_t parent : site.parents) {
        parents += (parents.empty() ? "" : ", ") + atom_label(topology, parent);
    }
    throw PhysicsError(fmt::format(
        "virtual site {} is undefined by the positions of its parents {} (they coincide, lie in "
        "line "
        "where a plane is needed, or are not finite). Check the start coordinates, or shorten the "
        "time step.",
        atom_label(topology, site.site), parents));
}

} // namespace

VirtualSites::VirtualSites(const Topology& topology) : topology_(&topology) {}

bool VirtualSites::empty() const
{
    return topology_->virtual_sites.empty();
}

void VirtualSites::construct(const Box& box, std::span<Vec3> positions,
                             const PlaceGrid& places) const
{
    std::vector<Vec3> d;
    for (const VirtualSite& site : topology_->virtual_sites) {
        gather(site, box, positions, d);
        with_formula(site, [&](const auto& formula, const double* p) {
            const Vec3 offset = formula.offset(p, d.data());
            if (!is_on_grid(offset)) {
                fail_undefined(*topology_, site);
            }
            // rounded before it is added: else the image of the parent would reach the last bit
            positions[static_cast<std::size_t>(site.site)] =
                positions[static_cast<std::size_t>(site.parents[0])] +
                to_nm(places.rounded(to_grid(offset)));
        });
    }
}

void VirtualSites::construct_velocities(const Box& box, std::span<const Vec3> positions,
                                        std::span<Vec3> velocities) const
{
    std::vector<Vec3> d;
    std::vector<BasicVec3<Dual>> moving;
    for (const VirtualSite& site : topology_->virtual_sites) {
        gather(site, box, positions, d);
        const Vec3 v0 = velocities[static_cast<std::size_t>(site.parents[0])];
        moving.clear();
        for (std::size_t k = 0; k < d.size(); ++k) {
            const Vec3 v = velocities[static_cast<std::size_t>(site.parents[k + 1])] - v0;
            moving.push_back({{d[k].x, v.x}, {d[k].y, v.y}, {d[k].z, v.z}});
        }
        with_formula(site, [&](const auto& formula, const double* p) {
            const BasicVec3<Dual> offset = formula.offset(p, moving.data());
            velocities[static_cast<std::size_t>(site.site)] =
                v0 + Vec3{offset.x.slope, offset.y.slope, offset.z.slope};
        });
    }
}

void VirtualSites::spread(const Box& box, std::span<const Vec3> positions, Wanted wanted,
                          ForceSums& forces, EnergySums& sums) const
{
    const auto& sites = topology_->virtual_sites;
    std::vector<Vec3> d;
    std::vector<Vec3> parent_force;
    for (std::size_t s = sites.size(); s-- > 0;) {
        const VirtualSite& site = sites[s];
        const Vec3 force = forces.force(static_cast<std::size_t>(site.site));
        gather(site, box, positions, d);
        parent_force.assign(d.size(), {});
        Vec3 offset;
        with_formula(site, [&](const auto& formula, const double* p) {
            formula.spread(p, d.data(), force, parent_force.data());
            offset = formula.offset(p, d.data());
        });

        Vec3 rest = force;
        Mat3 moment = -0.5 * outer(offset, force);
        for (std::size_t k = 0; k < d.size(); ++k) {
            if (!is_finite(parent_force[k])) {
                fail_undefined(*topology_, site);
            }
            rest -= parent_force[k];
            moment += 0.5 * outer(d[k], parent_force[k]);
            forces.add(static_cast<std::size_t>(site.parents[k + 1]), parent_force[k]);
        }
        forces.add(static_cast<std::size_t>(site.parents[0]), rest);
        forces.set(static_cast<std::size_t>(site.site), {});
        if (wanted.virial) {
            sums.add_virial(-1.0 * moment);
        }
    }
}

} // namespace tessera
