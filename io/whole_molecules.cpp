#include "io/whole_molecules.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace tessera
{

namespace
{

RaggedList ties_of(const Topology& t)
{
    std::vector<std::array<std::int32_t, 2>> ties(t.bonds.begin(), t.bonds.end());
    for (const DistanceConstraint& constraint : t.constraints) {
        ties.push_back({constraint.i, constraint.j});
    }
    for (const RigidWater& water : t.rigid_waters) {
        ties.push_back({water.o, water.h1});
        ties.push_back({water.o, water.h2});
    }
    for (const VirtualSite& site : t.virtual_sites) {
        ties.push_back({site.site, site.parents.front()});
    }
    const std::size_t bonds = ties.size();
    for (std::size_t k = 0; k < bonds; ++k) {
        ties.push_back({ties[k][1], ties[k][0]});
    }
    std::sort(ties.begin(), ties.end());

    RaggedList out;
    std::size_t at = 0;
    for (std::int32_t atom = 0; atom < t.atoms(); ++atom) {
        for (; at < ties.size() && ties[at][0] == atom; ++at) {
            out.value.push_back(ties[at][1]);
        }
        out.offset.push_back(static_cast<std::int64_t>(out.value.size()));
    }
    return out;
}

CellShift rounded(const Vec3& fraction)
{
    return {static_cast<std::int32_t>(std::lrint(fraction.x)),
            static_cast<std::int32_t>(std::lrint(fraction.y)),
            static_cast<std::int32_t>(std::lrint(fraction.z))};
}

Vec3 shifted(const Box& box, const Vec3& x, const CellShift& shift)
{
    return x + box.shift(shift[0], shift[1], shift[2]);
}

} // namespace

MoleculeWalk molecule_walk(const Topology& topology)
{
    const RaggedList ties = ties_of(topology);
    std::vector<bool> is_reached(static_cast<std::size_t>(topology.atoms()), false);
    MoleculeWalk walk;
    walk.molecules.reserve(topology.molecules.rows());
    std::map<std::vector<MoleculeWalk::Stop>, std::int32_t> number_of_way;
    std::vector<MoleculeWalk::Stop> stops;
    for (std::size_t molecule = 0; molecule < topology.molecules.rows(); ++molecule) {
        const std::int32_t first = *topology.molecules.begin(molecule);
        const auto reach = [&](std::int32_t atom, std::int32_t from) {
            if (!is_reached[static_cast<std::size_t>(atom)]) {
                is_reached[static_cast<std::size_t>(atom)] = true;
                stops.push_back({atom - first, from - first});
            }
        };
        stops.clear();
        std::size_t next = 0;
        for (const std::int32_t* member = topology.molecules.begin(molecule);
             member != topology.molecules.end(molecule); ++member) {
            // tied by a term that is no chemical bond: measured from the first atom
            reach(*member, first);
            for (; next < stops.size(); ++next) {
                const std::int32_t atom = first + stops[next].atom;
                const auto row = static_cast<std::size_t>(atom);
                std::for_each(ties.begin(row), ties.end(row),
                              [&](std::int32_t other) { reach(other, atom); });
            }
        }
        const auto new_way = static_cast<std::int32_t>(walk.ways.size());
        const auto [known, is_new] = number_of_way.try_emplace(stops, new_way);
        if (is_new) {
            walk.ways.push_back(stops);
        }
        walk.molecules.push_back({first, known->second});
    }
    return walk;
}

std::vector<CellShift> whole_molecule_shifts(const MoleculeWalk& walk, const Box& box,
                                             std::span<const Vec3> positions)
{
    std::vector<CellShift> shifts(positions.size(), CellShift{});
    if (!box.is_periodic()) {
        return shifts;
    }
    for (const auto& [first, way] : walk.molecules) {
        const std::vector<MoleculeWalk::Stop>& stops = walk.ways[static_cast<std::size_t>(way)];
        Vec3 sum;
        for (const auto& [atom, from] : stops) {
            const auto i = static_cast<std::size_t>(first + atom),
                       j = static_cast<std::size_t>(first + from);
            const Vec3 apart = positions[i] - shifted(box, positions[j], shifts[j]);
            shifts[i] =
                atom == from ? CellShift{} : rounded(box.to_fraction(box.shortest(apart) - apart));
            sum += shifted(box, positions[i], shifts[i]);
        }
        const Vec3 centre = (1.0 / static_cast<double>(stops.size())) * sum;
        const Vec3 fraction = box.to_fraction(centre);
        const CellShift home =
            rounded({-std::floor(fraction.x), -std::floor(fraction.y), -std::floor(fraction.z)});
        for (const auto& stop : stops) {
            CellShift& shift = shifts[static_cast<std::size_t>(first + stop.atom)];
            for (std::size_t k = 0; k < 3; ++k) {
                shift[k] += home[k];
            }
        }
    }
    return shifts;
}

} // namespace tessera
