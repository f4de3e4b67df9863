#include "engine/simulation/single_point.hpp"

#include "engine/base/error.hpp"
#include "engine/base/lent.hpp"
#include "engine/cpu/dispersion_correction.hpp"
#include "engine/cpu/listed.hpp"
#include "engine/cpu/long_range.hpp"
#include "engine/cpu/nonbonded.hpp"
#include "engine/cpu/virtual_sites.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace tessera
{

namespace
{

/// The atom at which forces left the range of sums, and the other one where it was a pair's force;
/// -1: none.
struct OutOfRange {
    std::int64_t atom, partner;
};

/// Every force there is, evaluated once.
class Evaluation {
public:
    Evaluation(const Topology& topology, const NonbondedSettings& settings)
        : topology_(topology), sites_(topology), listed_(topology),
          nonbonded_(lent(topology), once(settings)), long_range_(lent(topology), settings),
          tail_(topology, settings)
    {
    }

    void place(Places& places, int threads)
    {
        sites_.construct(places.box, places.positions, places.grid);
        nonbonded_.search(places.box, places.positions, threads);
    }

    OutOfRange evaluate(const Places& places, int threads, SumMode mode, SinglePoint& result)
    {
        constexpr Wanted everything{true, true};
        const auto& [grid, box, positions] = places;
        ForceSums forces(positions.size(), mode);
        result.sums = EnergySums();
        nonbonded_.add_forces(box, positions, everything, threads, forces, result.sums);
        long_range_.add_forces(box, positions, everything, threads, forces, result.sums);
        listed_.add_forces(box, positions, everything, threads, forces, result.sums);
        tail_.add(box, everything, result.sums);
        sites_.spread(box, positions, everything, forces, result.sums);
        result.forces.resize(positions.size());
        for (std::size_t a = 0; a < positions.size(); ++a) {
            result.forces[a] = forces.force(a);
        }
        for (const VirtualSite& site : topology_.virtual_sites) {
            result.forces[static_cast<std::size_t>(site.site)] = Vec3{};
        }
        return {forces.out_of_range(), forces.out_of_range_partner()};
    }

private:
    /// No list is kept, so none needs a buffer.
    static NonbondedSettings once(NonbondedSettings settings)
    {
        settings.list_buffer = 0;
        return settings;
    }

    const Topology& topology_;
    VirtualSites sites_;
    Listed listed_;
    Nonbonded nonbonded_;
    LongRange long_range_;
    DispersionTail tail_;
};

std::string label(const Topology& topology, std::int64_t atom)
{
    const auto a = static_cast<std::size_t>(atom);
    const Residue& residue = topology.residues[static_cast<std::size_t>(topology.residue[a])];
    return fmt::format("atom {} ({} of {} {})", atom + 1, topology.atom_name[a], residue.name,
                       residue.number);
}

/// nm from `atom` to the nearest other one that has a mass and is not excluded.
double nearest_distance(const Topology& topology, const Box& box, std::span<const Vec3> positions,
                        std::size_t atom)
{
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t b = 0; b < positions.size(); ++b) {
        const auto other = static_cast<std::int32_t>(b);
        if (b != atom && !std::binary_search(topology.exclusions.begin(atom),
                                             topology.exclusions.end(atom), other)) {
            nearest = std::min(nearest, norm(box.shortest(positions[b] - positions[atom])));
        }
    }
    return nearest;
}

void require_finite(const Topology& topology, const Box& box, const SinglePoint& result)
{
    constexpr int most_named = 5;
    std::string atoms;
    int found = 0;
    double nearest = 0;
    for (std::size_t a = 0; a < result.forces.size(); ++a) {
        const Vec3& f = result.forces[a];
        if (std::isfinite(f.x) && std::isfinite(f.y) && std::isfinite(f.z)) {
            continue;
        }
        if (found == 0) {
            nearest = nearest_distance(topology, box, result.positions, a);
        }
        if (++found <= most_named) {
            atoms += (atoms.empty() ? "" : ", ") + label(topology, static_cast<std::int64_t>(a));
        }
    }
    std::string what = found > 0 ? "the force is not finite on " + atoms : "";
    if (found > most_named) {
        what += fmt::format(" and {} more", found - most_named);
    }
    for (std::size_t k = 0; k < energy_kind_count && found == 0; ++k) {
        const double energy = result.sums.energy(static_cast<EnergyKind>(k));
        if (!std::isfinite(energy)) {
            what = fmt::format("the energy {} is {}", name_of(static_cast<EnergyKind>(k)), energy);
        }
    }
    constexpr double coincident = 0.02; // nm: 1/r^12 of any force field is beyond doubles' grid
    if (!what.empty() && nearest > coincident) {
        throw PhysicsError(fmt::format(
            "{} (no atom is nearer than {:.4g} nm to the first of them: charges or Lennard-Jones "
            "numbers are beyond what doubles hold). Look at them in the topology.",
            what, nearest));
    }
    if (!what.empty()) {
        throw PhysicsError(what + " (atoms coincide). Move them apart, or minimise, which does.");
    }
}

/// Mixed precision where it can hold the forces, else FP64 and a note.
SinglePoint mixed_single_point(const std::shared_ptr<const Topology>& topology,
                               const NonbondedSettings& settings, const Box& box,
                               std::span<const Vec3> positions, int threads)
{
    SinglePoint result;
    Places places = places_of(box, reach_of_places(list_reach(settings)), positions);
    Evaluation evaluation(*topology, settings);
    evaluation.place(places, threads);
    result.positions = places.positions;
    std::string reason;
    try {
        const OutOfRange broken = evaluation.evaluate(places, threads, SumMode::exact, result);
        if (broken.atom < 0) {
            require_finite(*topology, box, result);
            return result;
        }
        reason = broken.partner >= 0
                     ? fmt::format("the force between {} and {} is beyond the range of mixed "
                                   "precision ({:.6g} kJ/mol/nm, without charges {:.6g}). Look for "
                                   "overlapping atoms.",
                                   label(*topology, broken.atom), label(*topology, broken.partner),
                                   fixed::largest_pair_force, fixed::largest_pair_force_uncharged)
                     : fmt::format("a force on {} is beyond the range of exact sums. Look for "
                                   "overlapping atoms.",
                                   label(*topology, broken.atom));
    } catch (const PhysicsError& fault) {
        reason = fault.what();
    }
    NonbondedSettings in_fp64 = settings;
    in_fp64.precision = Precision::fp64;
    result = single_point(topology, in_fp64, box, positions, threads);
    result.notes.insert(result.notes.begin(), reason + " Everything was evaluated in FP64.");
    return result;
}

} // namespace

SinglePoint single_point(const std::shared_ptr<const Topology>& topology,
                         const NonbondedSettings& settings, const Box& box,
                         std::span<const Vec3> positions, int threads)
{
    if (positions.size() != topology->mass.size()) {
        throw InputError(
            fmt::format("there are {} positions for {} atoms. Give coordinates of this "
                        "topology.",
                        positions.size(), topology->mass.size()));
    }
    threads = std::max(1, threads);
    if (settings.precision == Precision::mixed) {
        return mixed_single_point(topology, settings, box, positions, threads);
    }
    SinglePoint result;
    Places places = places_of(box, reach_of_places(list_reach(settings)), positions);
    Evaluation evaluation(*topology, settings);
    evaluation.place(places, threads);
    result.positions = places.positions;
    const std::int64_t atom = evaluation.evaluate(places, threads, SumMode::exact, result).atom;
    if (atom >= 0) {
        result.notes.push_back(fmt::format("a force on {} is beyond the range of exact sums "
                                           "({:.3g} kJ/mol/nm): forces were summed "
                                           "in FP64 in order. Look for overlapping atoms.",
                                           label(*topology, atom), fixed::largest_force));
        evaluation.evaluate(places, 1, SumMode::floating, result);
    }
    require_finite(*topology, box, result);
    return result;
}

} // namespace tessera
