#include "engine/math/units.hpp"
#include "forcefields/amber_parameters.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace tessera::amber
{

namespace
{

/// Are two atoms the same, bonded, or bonded to a common one?
class BondGraph {
public:
    explicit BondGraph(const Topology& topology) : neighbours_(topology.mass.size())
    {
        for (const auto& bond : topology.bonds) {
            neighbours_[static_cast<std::size_t>(bond[0])].push_back(bond[1]);
            neighbours_[static_cast<std::size_t>(bond[1])].push_back(bond[0]);
        }
    }
    [[nodiscard]] bool within_two_bonds(std::int32_t a, std::int32_t b) const
    {
        if (a == b) {
            return true;
        }
        for (const std::int32_t n : neighbours_[static_cast<std::size_t>(a)]) {
            if (n == b) {
                return true;
            }
            const auto& next = neighbours_[static_cast<std::size_t>(n)];
            if (std::find(next.begin(), next.end(), b) != next.end()) {
                return true;
            }
        }
        return false;
    }

private:
    std::vector<std::vector<std::int32_t>> neighbours_;
};

/// Scaling factors by dihedral type: the section's, or the one of Amber's force fields where it is
/// missing (files from before Amber 11).
std::vector<double> scale_factors(const Source& source, std::string_view flag, double otherwise)
{
    const auto count = static_cast<std::size_t>(source.pointers.dihedral_types);
    if (!source.file.has(flag)) {
        return std::vector<double>(count, otherwise);
    }
    auto scale = source.file.reals(flag, count, "POINTERS NPTRA");
    for (std::size_t p = 0; p < scale.size(); ++p) {
        if (scale[p] < 0) {
            source.file.error(flag, static_cast<std::int64_t>(p),
                              fmt::format("a negative scaling factor ({})", scale[p]),
                              "correct the value");
        }
    }
    return scale;
}

} // namespace

void add_dihedrals(const Source& source, const PairCoefficients& pairs, Topology& topology)
{
    const Pointers& n = source.pointers;
    AmberSections& file = source.file;
    const auto types = static_cast<std::size_t>(n.dihedral_types);
    const auto pk = file.reals("DIHEDRAL_FORCE_CONSTANT", types, "POINTERS NPTRA");
    const auto pn = file.reals("DIHEDRAL_PERIODICITY", types, "POINTERS NPTRA");
    const auto phase = file.reals("DIHEDRAL_PHASE", types, "POINTERS NPTRA");
    const auto scee = scale_factors(source, "SCEE_SCALE_FACTOR", 1.2);
    const auto scnb = scale_factors(source, "SCNB_SCALE_FACTOR", 2.0);

    auto& propers = topology.table<PeriodicDihedral>();
    auto& impropers = topology.table<PeriodicImproper>();
    for (std::size_t p = 0; p < types; ++p) {
        if (pn[p] != std::round(pn[p])) {
            file.error("DIHEDRAL_PERIODICITY", static_cast<std::int64_t>(p),
                       fmt::format("the periodicity {} is not whole (the energy would jump at 180 "
                                   "degrees)",
                                   pn[p]),
                       "correct the value");
        }
        const double k = pk[p] * units::kilocalorie;
        propers.parameters.push_back({k, phase[p], pn[p]});
        impropers.parameters.push_back({k, phase[p], pn[p]});
    }

    const BondGraph graph(topology);
    std::set<std::pair<std::int32_t, std::int32_t>> seen;
    std::size_t close_pairs = 0, repeated_pairs = 0;
    const auto add_pair = [&](std::int32_t i, std::int32_t l, std::size_t type) {
        if (graph.within_two_bonds(i, l)) {
            ++close_pairs; // in a ring of four or five: excluded, not scaled
            return;
        }
        if (!seen.insert({std::min(i, l), std::max(i, l)}).second) {
            ++repeated_pairs;
            return;
        }
        const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(l);
        if (scee[type] > 0) { // 0 means "not used"
            topology.table<Coulomb14>().add(
                {i, l},
                {topology.coulomb_constant * topology.charge[a] * topology.charge[b] / scee[type]});
        }
        if (scnb[type] > 0) {
            const std::int64_t row = pairs.at(topology.type[a], topology.type[b]);
            LennardJones14 lj{0, 0};
            if (row > 0) {
                const auto r = static_cast<std::size_t>(row - 1);
                lj = {pairs.b14[r] / scnb[type], pairs.a14[r] / scnb[type]};
            }
            topology.table<LennardJones14>().add({i, l}, lj);
        }
    };

    const auto read = [&](std::string_view flag, std::int64_t count, std::string_view pointer) {
        const auto list = file.integers(flag, static_cast<std::size_t>(5 * count),
                                        fmt::format("5 x {}, POINTERS {}", count, pointer));
        for (std::size_t e = 0; e + 4 < list.size(); e += 5) {
            // signs of the third and fourth mark dihedrals without a 1-4 pair and impropers
            const std::array<std::int64_t, 4> coordinate = {
                list[e], list[e + 1], std::abs(list[e + 2]), std::abs(list[e + 3])};
            std::array<std::int32_t, 4> atom{};
            bool good = read_atoms(source, flag, static_cast<std::int64_t>(e), coordinate, atom);
            const std::int64_t type = list[e + 4];
            if (type < 1 || type > n.dihedral_types) {
                file.error(flag, static_cast<std::int64_t>(e + 4),
                           fmt::format("{} names no parameters (there are {} of this kind)", type,
                                       n.dihedral_types),
                           "the list is damaged: write the file anew");
                good = false;
            }
            if (!good) {
                continue;
            }
            const bool is_improper = list[e + 3] < 0;
            const auto row = static_cast<std::int32_t>(type - 1);
            if (is_improper) {
                impropers.entries.push_back({atom, row});
            } else {
                propers.entries.push_back({atom, row});
            }
            if (!is_improper && list[e + 2] >= 0) {
                add_pair(atom[0], atom[3], static_cast<std::size_t>(row));
            }
        }
    };
    read("DIHEDRALS_INC_HYDROGEN", n.dihedrals_hydrogen, "NPHIH");
    read("DIHEDRALS_WITHOUT_HYDROGEN", n.dihedrals_other, "NPHIA");

    if (close_pairs > 0) {
        topology.warnings.push_back(fmt::format(
            "{}: {} dihedrals ask for a 1-4 pair of atoms that are one or two bonds apart (in a "
            "small ring); those pairs are excluded, not counted as 1-4.",
            file.file(), close_pairs));
    }
    if (repeated_pairs > 0) {
        topology.warnings.push_back(
            fmt::format("{}: {} dihedrals ask again for a 1-4 pair that another one has made; each "
                        "pair counts once, with the scaling of its first dihedral.",
                        file.file(), repeated_pairs));
    }
}

} // namespace tessera::amber
