#include "engine/simulation/forces_by_class.hpp"

#include "engine/base/error.hpp"
#include "engine/cpu/dispersion_correction.hpp"
#include "engine/cpu/exclusion_corrections.hpp"
#include "engine/cpu/listed.hpp"
#include "engine/cpu/long_range.hpp"
#include "engine/cpu/mesh_c6.hpp"
#include "engine/cpu/nonbonded.hpp"
#include "engine/cpu/virtual_sites.hpp"
#include "engine/plans/constraint_plan.hpp"
#include "engine/simulation/reference_pairs.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace tessera
{

namespace
{

NonbondedSettings of_path(NonbondedSettings settings, PairPath path)
{
    if (path == PairPath::reference) {
        settings.precision = Precision::fp64;
    }
    return settings;
}

NonbondedSettings without_buffer(NonbondedSettings settings)
{
    settings.list_buffer = 0; // no list is kept
    return settings;
}

/// Pairs alone: no corrections, no self terms.
PairShare pairs_alone(const Topology& topology)
{
    PairShare share;
    for (std::int32_t a = 0; a < topology.atoms(); ++a) {
        share.corrected.add_row({});
    }
    return share;
}

ExclusionCorrections corrections_of(const std::shared_ptr<const Topology>& topology,
                                    const NonbondedSettings& settings)
{
    return {topology, make_pair_form(settings, topology->coulomb_constant),
            settings.lj_pme ? make_mesh_c6(topology->pairs, settings.lj_combination)
                            : std::vector<double>(topology->pairs.c6.size(), 0.0)};
}

} // namespace

struct ForceClasses::Parts {
    Parts(std::shared_ptr<const Topology> t, const NonbondedSettings& s, PairPath path)
        : topology(std::move(t)), settings(s), sites(*topology), listed(*topology),
          long_range(topology, s), tail(*topology, s), corrections(corrections_of(topology, s))
    {
        if (path == PairPath::production) {
            nonbonded.emplace(topology, without_buffer(s));
            nonbonded->restrict_to(*topology, pairs_alone(*topology));
        }
    }

    std::shared_ptr<const Topology> topology;
    NonbondedSettings settings;
    VirtualSites sites;
    Listed listed;
    LongRange long_range;
    DispersionTail tail;
    ExclusionCorrections corrections;
    std::optional<Nonbonded> nonbonded; ///< production path only

    /// Refuses sums that are worthless.
    void require_range(const ForceSums& forces) const
    {
        if (forces.out_of_range() < 0) {
            return;
        }
        const std::int64_t partner = forces.out_of_range_partner();
        throw PhysicsError(fmt::format(
            "a force on {}{} is not finite or beyond the range of the sums (atoms overlap). "
            "Minimise the structure before its accuracy is judged.",
            describe_atom(*topology, forces.out_of_range()),
            partner >= 0 ? " from " + describe_atom(*topology, partner) : std::string()));
    }

    /// Spreads virtual sites' forces.
    std::vector<Vec3> on_atoms(const Box& box, std::span<const Vec3> x, ForceSums& forces,
                               EnergySums* sums) const
    {
        EnergySums ignored;
        sites.spread(box, x, {sums != nullptr, sums != nullptr}, forces,
                     sums != nullptr ? *sums : ignored);
        std::vector<Vec3> out(forces.size());
        for (std::size_t a = 0; a < out.size(); ++a) {
            out[a] = forces.force(a);
        }
        for (const VirtualSite& site : topology->virtual_sites) {
            out[static_cast<std::size_t>(site.site)] = {};
        }
        return out;
    }
};

ForceClasses::ForceClasses(std::shared_ptr<const Topology> topology,
                           const NonbondedSettings& settings, PairPath path)
    : parts_(std::make_unique<Parts>(std::move(topology), of_path(settings, path), path))
{
}

ForceClasses::~ForceClasses() = default;
ForceClasses::ForceClasses(ForceClasses&&) noexcept = default;
ForceClasses& ForceClasses::operator=(ForceClasses&&) noexcept = default;

ForcesByClass ForceClasses::evaluate(const Box& box, std::span<const Vec3> positions, int threads)
{
    return evaluate(box, {positions.begin(), positions.end()}, threads, true);
}

ForcesByClass ForceClasses::total(const Box& box, std::vector<Vec3> positions, int threads)
{
    return evaluate(box, std::move(positions), threads, false);
}

ForcesByClass ForceClasses::evaluate(const Box& box, std::vector<Vec3> x, int threads,
                                     bool keeps_classes)
{
    constexpr Wanted everything{true, true};
    Parts& p = *parts_;
    threads = std::max(1, threads);
    p.sites.construct(box, x);

    ForcesByClass out;
    ForceSums sums(x.size(), SumMode::exact), earlier(keeps_classes ? x.size() : 0, SumMode::exact);
    const auto close = [&](ForceClass c) { // one class is summed after the other, in one array
        p.require_range(sums);
        if (keeps_classes) {
            earlier.merge(sums);
            out.of(c) = p.on_atoms(box, x, sums, nullptr);
            sums.clear();
        }
    };

    if (p.nonbonded) {
        p.nonbonded->search(box, x, threads);
        p.nonbonded->add_forces(box, x, everything, threads, sums, out.sums);
        out.has_fp32_pairs = p.nonbonded->has_tiles();
    } else {
        add_reference_pairs(*p.topology, p.settings, box, x, threads, sums, out.sums);
    }
    for (const auto& f : sums.fixed()) {
        for (std::size_t k = 0; k < 3; ++k) {
            out.pair_force_sum[k] += f[k];
        }
    }
    close(ForceClass::pairs);

    p.long_range.add_forces(box, x, everything, threads, sums, out.sums);
    if (!keeps_classes) {
        p.long_range.let_go();
    }
    close(ForceClass::reciprocal);

    p.listed.add_forces(box, x, everything, threads, sums, out.sums);
    if (!p.corrections.is_empty()) {
        const PositionGrid grid(box);
        p.corrections.add_forces(grid, x, everything, threads, sums, out.sums);
    }
    close(ForceClass::bonded);

    p.tail.add(box, everything, out.sums);
    out.of(ForceClass::total) = p.on_atoms(box, x, keeps_classes ? earlier : sums, &out.sums);
    return out;
}

} // namespace tessera
