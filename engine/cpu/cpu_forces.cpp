#include "engine/cpu/cpu_forces.hpp"

#include "engine/cpu/listed.hpp"
#include "engine/cpu/nonbonded.hpp"

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
    NonbondedForces(const Topology& topology, const NonbondedSettings& settings)
        : nonbonded_(topology, settings)
    {
    }
    [[nodiscard]] std::string_view phase() const override { return "pairs"; }
    [[nodiscard]] bool needs_search(const Box& box, std::span<const Vec3> positions,
                                    int /*threads*/) override
    {
        return nonbonded_.needs_search(box, positions);
    }
    void search(const Box& box, std::span<const Vec3> positions, int threads) override
    {
        nonbonded_.search(box, positions, threads);
    }
    void add_forces(const Box& box, std::span<const Vec3> positions, Wanted wanted, int threads,
                    ForceSums& forces, EnergySums& energies) override
    {
        nonbonded_.add_forces(box, positions, wanted, threads, forces, energies);
    }

private:
    Nonbonded nonbonded_;
};

} // namespace

std::vector<std::unique_ptr<ForceProvider>>
make_cpu_forces(const std::shared_ptr<const Topology>& topology, const NonbondedSettings& settings,
                const Box& box)
{
    static_cast<void>(box);
    std::vector<std::unique_ptr<ForceProvider>> out;
    out.push_back(std::make_unique<NonbondedForces>(*topology, settings));
    out.push_back(std::make_unique<ListedForces>(topology));
    return out;
}

} // namespace tessera
