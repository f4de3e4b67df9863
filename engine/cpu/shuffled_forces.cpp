#include "engine/cpu/shuffled_forces.hpp"

#include "engine/base/contract.hpp"
#include "engine/cpu/place_grid.hpp"
#include "engine/plans/shuffle.hpp"

#include <numeric>

namespace tessera
{

namespace
{

class ShuffledForces : public ForceProvider {
public:
    ShuffledForces(std::unique_ptr<ForceProvider> inner,
                   std::shared_ptr<const std::vector<std::int32_t>> atom_of, std::uint64_t seed)
        : inner_(std::move(inner)), atom_of_(std::move(atom_of)), numbers_(seed),
          image_(atom_of_->size(), {0, 0, 0}), position_(atom_of_->size())
    {
    }
    [[nodiscard]] std::string_view phase() const override { return inner_->phase(); }
    [[nodiscard]] bool is_long_range() const override { return inner_->is_long_range(); }
    [[nodiscard]] std::vector<PhaseHash> phase_hashes() const override
    {
        return inner_->phase_hashes();
    }
    [[nodiscard]] bool needs_search(const Box& box, std::span<const Vec3> positions,
                                    int threads) override
    {
        constexpr std::size_t calls_between = 20;
        const bool early = numbers_.below(calls_between) == 0;
        return inner_->needs_search(box, placed(box, positions), threads) || early;
    }
    void search(const Box& box, std::span<const Vec3> positions, int threads) override
    {
        choose_images(box);
        inner_->search(box, placed(box, positions), cut(threads));
    }
    void let_go() override { inner_->let_go(); }
    void add_forces(const Box& box, std::span<const Vec3> positions, Wanted wanted, int threads,
                    ForceSums& forces, EnergySums& energies) override
    {
        TESSERA_EXPECT(forces.mode() == SumMode::exact);
        ForceSums own(forces.size(), SumMode::exact);
        inner_->add_forces(box, placed(box, positions), wanted, cut(threads), own, energies);
        for (std::size_t k = 0; k < atom_of_->size(); ++k) {
            auto& sum = forces.fixed()[number(k)];
            for (std::size_t c = 0; c < 3; ++c) { // unsigned: sums may wrap
                sum[c] = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum[c]) +
                                                   static_cast<std::uint64_t>(own.fixed()[k][c]));
            }
        }
        if (own.out_of_range() >= 0) {
            const std::int64_t partner = own.out_of_range_partner();
            forces.mark_pair((*atom_of_)[static_cast<std::size_t>(own.out_of_range())],
                             partner < 0 ? -1 : (*atom_of_)[static_cast<std::size_t>(partner)]);
        }
    }

private:
    [[nodiscard]] std::size_t number(std::size_t k) const
    {
        return static_cast<std::size_t>((*atom_of_)[k]);
    }
    [[nodiscard]] int cut(int threads)
    {
        return 1 + static_cast<int>(numbers_.below(static_cast<std::size_t>(threads) + 1));
    }
    void choose_images(const Box& box)
    {
        if (!PlaceGrid(box, reach_of_places(0)).holds_images()) {
            return;
        }
        for (Vec3& n : image_) {
            for (int k = 0; k < 3; ++k) {
                n[k] = static_cast<double>(numbers_.below(3)) - 1;
            }
        }
    }
    std::span<const Vec3> placed(const Box& box, std::span<const Vec3> positions)
    {
        for (std::size_t k = 0; k < position_.size(); ++k) {
            position_[k] = positions[number(k)];
            if (box.is_periodic()) {
                position_[k] += row_times(image_[k], box.vectors());
            }
        }
        return position_;
    }

    std::unique_ptr<ForceProvider> inner_;
    std::shared_ptr<const std::vector<std::int32_t>> atom_of_; ///< of the other numbers
    ShuffleNumbers numbers_;
    std::vector<Vec3> image_; ///< cell vectors added to every atom, by its other number
    std::vector<Vec3> position_;
};

} // namespace

std::vector<std::unique_ptr<ForceProvider>>
make_shuffled_forces(const std::shared_ptr<const Topology>& topology, std::uint64_t seed,
                     const std::function<std::vector<std::unique_ptr<ForceProvider>>(
                         const std::shared_ptr<const Topology>&)>& make)
{
    ShuffleNumbers numbers(seed);
    std::vector<std::int32_t> order(topology->mass.size());
    std::iota(order.begin(), order.end(), 0);
    numbers.permute(order.begin(), order.end());
    const auto atom_of = std::make_shared<const std::vector<std::int32_t>>(std::move(order));
    auto out = make(std::make_shared<const Topology>(renumbered(*topology, *atom_of, numbers)));
    for (auto& provider : out) {
        seed = mixed_bits(seed + 1);
        provider = std::make_unique<ShuffledForces>(std::move(provider), atom_of, seed);
    }
    return out;
}

} // namespace tessera
