#include "forcefields/amber_parameters.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <string>
#include <utility>

namespace tessera::amber
{

namespace
{

using Pair = std::pair<std::int32_t, std::int32_t>;

Pair ordered(std::int32_t a, std::int32_t b)
{
    return {std::min(a, b), std::max(a, b)};
}

/// The rigid shape of a water that carries extra points, nm.
struct WaterFrame {
    std::int32_t o = -1, h1 = -1, h2 = -1;
    double d_oh = 0, d_hh = 0;
};

/// What the file says about distances: bonds by their atoms, and H-H distances that follow from
/// angles.
class Geometry {
public:
    Geometry(const std::vector<Bond>& bonds, const Topology& topology)
    {
        const auto& parameters = topology.table<HarmonicBond>().parameters;
        for (const Bond& bond : bonds) {
            const double r0 = parameters[static_cast<std::size_t>(bond.type)].r0;
            length_[ordered(bond.i, bond.j)] = r0;
            neighbours_[bond.i].push_back(bond.j);
            neighbours_[bond.j].push_back(bond.i);
        }
        add_angles(topology.table<HarmonicAngle>());
        add_angles(topology.table<UreyBradley>());
    }
    [[nodiscard]] const std::vector<std::int32_t>& neighbours(std::int32_t a) const
    {
        static const std::vector<std::int32_t> none;
        const auto it = neighbours_.find(a);
        return it == neighbours_.end() ? none : it->second;
    }
    /// 0: the file does not say.
    [[nodiscard]] double distance(std::int32_t a, std::int32_t b) const
    {
        const auto it = length_.find(ordered(a, b));
        return it == length_.end() ? 0 : it->second;
    }

private:
    template <class Table>
    void add_angles(const Table& table)
    {
        for (const auto& entry : table.entries) {
            const double r1 = distance(entry.atom[1], entry.atom[0]);
            const double r2 = distance(entry.atom[1], entry.atom[2]);
            const double r13 =
                std::sqrt(r1 * r1 + r2 * r2 - 2 * r1 * r2 * std::cos(table.term(entry).theta0));
            length_.try_emplace(ordered(entry.atom[0], entry.atom[2]), r13);
        }
    }

    std::map<Pair, double> length_;
    std::map<std::int32_t, std::vector<std::int32_t>> neighbours_;
};

constexpr std::uint8_t by_mass_alone = 2; ///< in is_extra_point: no type EP

std::string name_of(const Topology& topology, std::int32_t atom)
{
    const auto a = static_cast<std::size_t>(atom);
    const Residue& residue = topology.residues[static_cast<std::size_t>(topology.residue[a])];
    return fmt::format("atom {} ({} of {} {})", atom + 1, topology.atom_name[a], residue.name,
                       residue.number);
}

} // namespace

std::vector<std::uint8_t> find_extra_points(const Topology& topology,
                                            const std::vector<std::string>& amber_types)
{
    std::vector<std::uint8_t> is_extra_point(topology.mass.size(), 0);
    for (std::size_t a = 0; a < is_extra_point.size(); ++a) {
        const bool is_named = a < amber_types.size() && amber_types[a].substr(0, 2) == "EP";
        is_extra_point[a] = is_named ? 1 : (topology.mass[a] == 0 ? by_mass_alone : 0);
    }
    return is_extra_point;
}

void add_extra_points(const Source& source, const std::vector<Bond>& bonds, Topology& topology)
{
    const auto is_extra = [&source](std::int32_t a) {
        return source.is_extra_point[static_cast<std::size_t>(a)] != 0;
    };
    if (std::none_of(source.is_extra_point.begin(), source.is_extra_point.end(),
                     [](std::uint8_t is) { return is != 0; })) {
        return;
    }
    const Geometry geometry(bonds, topology);
    const auto refuse = [&](std::int32_t atom, const std::string& why) {
        const bool is_named =
            source.is_extra_point[static_cast<std::size_t>(atom)] != by_mass_alone;
        source.file.error(
            "ATOM_NAME", atom,
            fmt::format("extra point {}{}: {}", name_of(topology, atom),
                        is_named ? "" : " (it is taken for one since its MASS is 0)", why),
            is_named ? "extra points are built for waters only: one or two on an oxygen with two "
                       "hydrogens"
                     : "give it its mass in %FLAG MASS, if it is an atom; extra points are built "
                       "for waters only");
    };

    std::map<std::int32_t, std::vector<std::int32_t>> points_of; // by the oxygen that carries them
    for (std::int32_t a = 0; a < topology.atoms(); ++a) {
        if (!is_extra(a)) {
            continue;
        }
        const auto& carriers = geometry.neighbours(a);
        if (carriers.size() != 1 || is_extra(carriers[0])) {
            refuse(a, fmt::format("it has {} bonds (one is needed, to the atom that carries it)",
                                  carriers.size()));
            continue;
        }
        topology.kind[static_cast<std::size_t>(a)] = ParticleKind::virtual_site;
        topology.mass[static_cast<std::size_t>(a)] = 0;
        topology.atomic_number[static_cast<std::size_t>(a)] = 0;
        topology.is_hydrogen[static_cast<std::size_t>(a)] = 0;
        points_of[carriers[0]].push_back(a);
    }

    for (const auto& [o, points] : points_of) {
        WaterFrame water{o, -1, -1, 0, 0};
        std::vector<std::int32_t> hydrogens;
        for (const std::int32_t n : geometry.neighbours(o)) {
            if (!is_extra(n)) {
                hydrogens.push_back(n);
            }
        }
        if (topology.atomic_number[static_cast<std::size_t>(o)] != 8 || hydrogens.size() != 2 ||
            points.size() > 2) {
            refuse(
                points.front(),
                fmt::format("{} carries {} extra points and has {} other bonds (a place for them "
                            "is known in waters only)",
                            name_of(topology, o), points.size(), hydrogens.size()));
            continue;
        }
        water.h1 = std::min(hydrogens[0], hydrogens[1]);
        water.h2 = std::max(hydrogens[0], hydrogens[1]);
        water.d_oh = geometry.distance(o, water.h1);
        water.d_hh = geometry.distance(water.h1, water.h2);
        if (water.d_oh != geometry.distance(o, water.h2) || !(water.d_hh > 0) ||
            !(water.d_hh < 2 * water.d_oh)) {
            refuse(points.front(), "the file gives its water no shape (two equal O-H bonds, and an "
                                   "H-H bond or an H-O-H angle)");
            continue;
        }
        // |r1 + r2| of the vectors from O to the hydrogens, along the bisector
        const double sum = std::sqrt(4 * water.d_oh * water.d_oh - water.d_hh * water.d_hh);
        const double d = geometry.distance(o, points[0]);
        if (points.size() == 1) {
            const double a = d / sum;
            topology.virtual_sites.push_back(
                {VirtualSiteKind::site3, points[0], {water.o, water.h1, water.h2}, {a, a}});
            continue;
        }
        // TIP5P: two lone pairs behind the oxygen, at the tetrahedral angle unless the file has
        // one. M. W. Mahoney, W. L. Jorgensen, J. Chem. Phys. 112, 8910 (2000)
        const double between = geometry.distance(points[0], points[1]);
        const double sine = between > 0 ? 0.5 * between / d : std::sqrt(2.0 / 3.0);
        const double a = -d * std::sqrt(1 - sine * sine) / sum;
        const double c = d * sine / (0.5 * water.d_hh * sum); // |r1 x r2| = d_hh |r1 + r2| / 2
        for (std::size_t k = 0; k < 2; ++k) {
            topology.virtual_sites.push_back({VirtualSiteKind::site3out,
                                              points[k],
                                              {water.o, water.h1, water.h2},
                                              {a, a, k == 0 ? c : -c}});
        }
    }
}

} // namespace tessera::amber
