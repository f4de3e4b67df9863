#include "engine/cpu/cpu_forces.hpp"

#include "engine/backend/crew.hpp"
#include "engine/base/error.hpp"
#include "engine/cpu/dispersion_correction.hpp"
#include "engine/cpu/listed.hpp"
#include "engine/cpu/long_range.hpp"
#include "engine/cpu/nonbonded.hpp"
#include "engine/cpu/shuffled_forces.hpp"

#include <algorithm>

namespace tessera
{

namespace
{

class ListedForces : public ForceProvider {
public:
    explicit ListedForces(std::shared_ptr<const Topology> topology)
        : topology_(std::move(topology)), listed_(*topology_)
    {
    }
    [[nodiscard]] std::string_view phase() const override { return "bonded"; }
    void add_forces(const Box& box, std::span<const Vec3> positions, Wanted wanted, int threads,
                    ForceSums& forces, EnergySums& energies) override
    {
        add_ahead(box, positions, wanted, threads, forces, energies);
        is_done_ = false;
    }
    bool add_ahead(const Box& box, std::span<const Vec3> positions, Wanted wanted, int threads,
                   ForceSums& forces, EnergySums& energies) override
    {
        if (is_done_) {
            return false;
        }
        listed_.add_forces(box, positions, wanted, threads, forces, energies);
        is_done_ = true;
        return true;
    }

private:
    std::shared_ptr<const Topology> topology_;
    Listed listed_;
    bool is_done_ = false; ///< ahead
};

class NonbondedForces : public ForceProvider {
public:
    NonbondedForces(const std::shared_ptr<const Topology>& topology,
                    const NonbondedSettings& settings)
        : nonbonded_(topology, settings)
    {
    }
    void restrict_to(const Topology& topology, PairShare share)
    {
        nonbonded_.restrict_to(topology, std::move(share));
    }
    [[nodiscard]] std::string_view phase() const override { return "pairs"; }
    [[nodiscard]] bool needs_search(const Box& box, std::span<const Vec3> positions,
                                    int threads) override
    {
        return nonbonded_.needs_search(box, positions, threads);
    }
    void search(const Box& box, std::span<const Vec3> positions, int threads) override
    {
        nonbonded_.search(box, positions, threads);
    }
    void let_go() override { nonbonded_.let_go(); }
    void add_forces(const Box& box, std::span<const Vec3> positions, Wanted wanted, int threads,
                    ForceSums& forces, EnergySums& energies) override
    {
        nonbonded_.add_forces(box, positions, wanted, threads, forces, energies);
    }
    bool add_ahead(const Box& box, std::span<const Vec3> positions, Wanted wanted, int threads,
                   ForceSums& forces, EnergySums&) override
    {
        return nonbonded_.add_ahead(box, positions, wanted, threads, forces.mode());
    }

private:
    Nonbonded nonbonded_;
};

class LongRangeForces : public ForceProvider {
public:
    explicit LongRangeForces(std::shared_ptr<LongRange> long_range)
        : long_range_(std::move(long_range))
    {
    }
    [[nodiscard]] std::string_view phase() const override { return "mesh"; }
    [[nodiscard]] bool is_long_range() const override { return true; }
    void add_forces(const Box& box, std::span<const Vec3> positions, Wanted wanted, int threads,
                    ForceSums& forces, EnergySums& energies) override
    {
        long_range_->add_forces(box, positions, wanted, threads, forces, energies);
    }
    bool add_ahead(const Box& box, std::span<const Vec3> positions, Wanted wanted, int threads,
                   ForceSums&, EnergySums& energies) override
    {
        return long_range_->add_ahead(box, positions, wanted, threads, energies);
    }
    void make_room() override { long_range_->make_room(); }
    void let_go() override { long_range_->let_go(); }
    [[nodiscard]] std::vector<PhaseHash> phase_hashes() const override
    {
        return long_range_->phase_hashes();
    }

private:
    std::shared_ptr<LongRange> long_range_;
};

class DispersionTailEnergy : public ForceProvider {
public:
    DispersionTailEnergy(const Topology& topology, const NonbondedSettings& settings)
        : tail_(topology, settings)
    {
    }
    [[nodiscard]] std::string_view phase() const override { return "dispersion tail"; }
    void add_forces(const Box& box, std::span<const Vec3>, Wanted wanted, int, ForceSums&,
                    EnergySums& energies) override
    {
        if (wanted.energies || wanted.virial) {
            tail_.add(box, wanted, energies);
        }
    }

private:
    DispersionTail tail_;
};

using Providers = std::vector<std::unique_ptr<ForceProvider>>;

Providers make_plainly(const std::shared_ptr<const Topology>& topology,
                       const NonbondedSettings& settings)
{
    Providers out;
    out.push_back(std::make_unique<NonbondedForces>(topology, settings));
    out.push_back(
        std::make_unique<LongRangeForces>(std::make_shared<LongRange>(topology, settings)));
    out.push_back(std::make_unique<ListedForces>(topology));
    if (settings.dispersion_correction != DispersionCorrection::none) {
        out.push_back(std::make_unique<DispersionTailEnergy>(*topology, settings));
    }
    return out;
}

} // namespace

Providers make_cpu_forces(const std::shared_ptr<const Topology>& topology,
                          const NonbondedSettings& settings)
{
    if (settings.shuffle_seed == 0) {
        return make_plainly(topology, settings);
    }
    return make_shuffled_forces(topology, settings.shuffle_seed,
                                [&](const std::shared_ptr<const Topology>& other) {
                                    return make_plainly(other, settings);
                                });
}

PartForces::PartForces(std::shared_ptr<const Topology> whole, const NonbondedSettings& settings,
                       Transport& ranks)
    : whole_(std::move(whole)), settings_(settings), ranks_(ranks),
      has_charges_(std::any_of(whole_->charge.begin(), whole_->charge.end(),
                               [](double q) { return q != 0.0; })),
      long_range_(std::make_shared<LongRange>(whole_, settings))
{
}

Providers PartForces::of(const std::shared_ptr<const LocalTopology>& part)
{
    const std::shared_ptr<const Topology> topology(part, &part->topology);
    const bool books = ranks_.rank() == 0;
    auto pairs = std::make_unique<NonbondedForces>(topology, settings_);
    pairs->restrict_to(*topology, {part->owner, part->corrected, has_charges_,
                                   [this](bool mine) { return Crew(1, &ranks_).any(mine); },
                                   books ? whole_.get() : nullptr});

    std::vector<std::int32_t> spread;
    spread.reserve(part->global().size());
    for (std::size_t n = 0; n < part->global().size(); ++n) {
        spread.push_back(part->is_own(n) ? part->global()[n] : -1);
    }
    long_range_->restrict_to(spread, ranks_);

    Providers out;
    out.push_back(std::move(pairs));
    out.push_back(std::make_unique<LongRangeForces>(long_range_));
    out.push_back(std::make_unique<ListedForces>(topology));
    if (books && settings_.dispersion_correction != DispersionCorrection::none) {
        out.push_back(std::make_unique<DispersionTailEnergy>(*whole_, settings_));
    }
    return out;
}

} // namespace tessera
