#include "engine/model/restraint_reference.hpp"

#include "engine/base/error.hpp"

#include <fmt/format.h>

namespace tessera
{

void set_restraint_reference(Topology& topology, std::span<const Vec3> reference)
{
    auto& table = topology.table<PositionRestraint>();
    if (table.empty()) {
        return;
    }
    if (reference.size() != topology.mass.size()) {
        throw InputError(fmt::format(
            "the reference of the position restraints has {} atoms, the topology has {}. Give "
            "coordinates of the whole system as system.restraint_reference.",
            reference.size(), topology.mass.size()));
    }
    std::vector<PositionRestraint> own;
    own.reserve(table.size());
    for (auto& entry : table.entries) {
        PositionRestraint restraint = table.term(entry);
        const Vec3& x = reference[static_cast<std::size_t>(entry.atom[0])];
        restraint.x0 = x.x;
        restraint.y0 = x.y;
        restraint.z0 = x.z;
        entry.parameter = static_cast<std::int32_t>(own.size());
        own.push_back(restraint);
    }
    table.parameters = std::move(own);
}

} // namespace tessera
