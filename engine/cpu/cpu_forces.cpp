#include "engine/cpu/cpu_forces.hpp"

#include "engine/cpu/dispersion_correction.hpp"
#include "engine/cpu/listed.hpp"
#include "engine/cpu/long_range.hpp"
#include "engine/cpu/nonbonded.hpp"
#include "engine/cpu/shuffled_forces.hpp"

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
        listed_.add_forces(box, positions, wanted, threads, forces, energies);
    }

private:
    std::shared_ptr<const Topology> topology_;
    Listed listed_;
};

class NonbondedForces : public ForceProvider {
public:
    NonbondedForces(const std::shared_ptr<const Topology>& topology,
                    const NonbondedSettings& settings)
        : nonbonded_(topology, settings)
    {
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

private:
    Nonbonded nonbonded_;
};

class LongRangeForces : public ForceProvider {
public:
    LongRangeForces(const Topology& topology, const NonbondedSettings& settings)
        : long_range_(topology, settings)
    {
    }
    [[nodiscard]] std::string_view phase() const override { return "mesh"; }
    [[nodiscard]] bool is_long_range() const override { return true; }
    void add_forces(const Box& box, std::span<const Vec3> positions, Wanted wanted, int threads,
                    ForceSums& forces, EnergySums& energies) override
    {
        long_range_.add_forces(box, positions, wanted, threads, forces, energies);
    }
    void let_go() override { long_range_.let_go(); }
    [[nodiscard]] std::vector<PhaseHash> phase_hashes() const override
    {
        return long_range_.phase_hashes();
    }

private:
    LongRange long_range_;
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
    out.push_back(std::make_unique<LongRangeForces>(*topology, settings));
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

} // namespace tessera
