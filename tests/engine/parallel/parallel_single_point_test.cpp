#include "engine/parallel/loopback_transport.hpp"
#include "engine/simulation/parallel_single_point.hpp"
#include "tests/support/waters.hpp"

#include <gtest/gtest.h>
#include <mutex>
#include <random>

// The same bits from any number of ranks.
namespace tessera
{
namespace
{

const Mat3 tilted = {{{1.8, 0, 0}, {0.5, 1.75, 0}, {-0.6, 0.6, 2.4}}};

NonbondedSettings settings(Electrostatics electrostatics)
{
    NonbondedSettings s;
    s.lj_cutoff = 0.75;
    s.coulomb_cutoff = 0.75;
    s.lj_modifier = LjModifier::potential_shift;
    s.dispersion_correction = DispersionCorrection::energy_and_pressure;
    s.electrostatics = electrostatics;
    s.ewald_beta = 4.2;
    s.pme_grid = {20, 20, 24};
    return s;
}

/// The result of every rank.
std::vector<SinglePoint> on_ranks(int ranks, const std::shared_ptr<const Topology>& topology,
                                  const NonbondedSettings& s, const Box& box,
                                  const std::vector<Vec3>& x)
{
    std::vector<SinglePoint> results(static_cast<std::size_t>(ranks));
    run_loopback(ranks, [&](Transport& transport) {
        results[static_cast<std::size_t>(transport.rank())] =
            parallel_single_point(topology, s, box, x, transport, 1);
    });
    return results;
}

void expect_the_bits_of_one_rank(const std::shared_ptr<const Topology>& topology,
                                 const NonbondedSettings& s, const Box& box,
                                 const std::vector<Vec3>& x, std::initializer_list<int> counts)
{
    const SinglePoint one = single_point(topology, s, box, x, 1);
    for (const int ranks : counts) {
        for (const SinglePoint& many : on_ranks(ranks, topology, s, box, x)) {
            EXPECT_EQ(many.forces, one.forces) << ranks;
            for (std::size_t k = 0; k < energy_kind_count; ++k) {
                const auto kind = static_cast<EnergyKind>(k);
                EXPECT_EQ(many.sums.energy(kind), one.sums.energy(kind))
                    << ranks << " " << name_of(kind);
            }
            EXPECT_EQ(many.sums.virial(), one.sums.virial()) << ranks;
        }
    }
}

TEST(ParallelSinglePoint, HasTheBitsOfOneRankForFourSiteWaterInATiltedCell)
{
    const auto system = support::waters_and_ions(24, 3, tilted, 4);
    const auto topology = finish(system.topology);

    expect_the_bits_of_one_rank(topology, settings(Electrostatics::pme), Box(tilted),
                                system.positions, {1, 2, 3, 7});
}

TEST(ParallelSinglePoint, HasTheBitsOfOneRankHoweverTheCellIsCut)
{
    const auto system = support::waters_and_ions(24, 3, tilted, 4);
    const auto topology = finish(system.topology);
    const NonbondedSettings s = settings(Electrostatics::pme);
    const SinglePoint one = single_point(topology, s, Box(tilted), system.positions, 1);
    std::mt19937 random(17);
    for (const std::array<int, 3>& count : std::vector<std::array<int, 3>>{
             {2, 1, 1}, {1, 2, 1}, {2, 2, 1}, {2, 2, 2}, {3, 1, 2}, {1, 4, 2}, {3, 3, 3}}) {
        DomainGrid grid(count);
        for (std::vector<double>& bound : grid.bound) { // domains of any width
            for (std::size_t k = 1; k + 1 < bound.size(); ++k) {
                bound[k] += std::uniform_real_distribution<>(-0.3, 0.3)(random) /
                            static_cast<double>(bound.size() - 1);
            }
        }
        run_loopback(grid.ranks(), [&](Transport& transport) {
            const SinglePoint many = parallel_single_point(topology, s, Box(tilted),
                                                           system.positions, transport, 1, grid);
            EXPECT_EQ(many.forces, one.forces) << count[0] << count[1] << count[2];
            EXPECT_EQ(many.sums, one.sums) << count[0] << count[1] << count[2];
        });
    }
}

TEST(ParallelSinglePoint, HasTheBitsOfOneRankWithDispersionOnTheMesh)
{
    const auto system = support::waters_and_ions(24, 3, tilted, 5);
    NonbondedSettings s = settings(Electrostatics::pme);
    s.dispersion_correction = DispersionCorrection::none;
    s.lj_pme = true;
    s.lj_ewald_beta = 3.5;
    for (const LjCombination mixing :
         {LjCombination::geometric, LjCombination::lorentz_berthelot}) {
        s.lj_combination = mixing;

        expect_the_bits_of_one_rank(finish(system.topology), s, Box(tilted), system.positions,
                                    {2, 3});
    }
}

TEST(ParallelSinglePoint, HasTheBitsOfOneRankWithReactionField)
{
    const auto system = support::waters_and_ions(24, 3, tilted, 6);

    expect_the_bits_of_one_rank(finish(system.topology), settings(Electrostatics::reaction_field),
                                Box(tilted), system.positions, {2, 3});
}

TEST(ParallelSinglePoint, LetsRanksWithoutAtomsTakePart)
{
    // seven domains, all atoms in one half of the cell
    auto system = support::waters_and_ions(6, 1, tilted, 8);
    for (Vec3& x : system.positions) {
        x = Box(tilted).wrap(x);
        x.z *= 0.25;
    }
    system.topology.virtual_sites.clear();
    system.topology.table<HarmonicBond>() = {};
    system.topology.table<HarmonicAngle>() = {};
    for (auto& kind : system.topology.kind) {
        kind = ParticleKind::atom;
    }

    expect_the_bits_of_one_rank(finish(system.topology), settings(Electrostatics::pme), Box(tilted),
                                system.positions, {7});
}

TEST(ParallelSinglePoint, TellsOverlappingAtomsAsOneRankDoes)
{
    auto system = support::waters_and_ions(12, 3, tilted, 4);
    system.positions[49] = system.positions[48] + Vec3{0.005, 0, 0}; // nearly on one place
    const auto topology = finish(system.topology);
    const NonbondedSettings s = settings(Electrostatics::pme);

    const SinglePoint one = single_point(topology, s, Box(tilted), system.positions, 1);
    const auto many = on_ranks(2, topology, s, Box(tilted), system.positions);

    ASSERT_FALSE(one.notes.empty());
    EXPECT_EQ(many[1].notes, one.notes);
}

TEST(ParallelSinglePoint, RefusesWhatCannotBeShared)
{
    const auto system = support::waters_and_ions(6, 1, tilted, 4);
    const auto topology = finish(system.topology);
    NonbondedSettings open = settings(Electrostatics::cutoff);
    open.dispersion_correction = DispersionCorrection::none;
    open.lj_cutoff = std::numeric_limits<double>::infinity();
    open.coulomb_cutoff = open.lj_cutoff;
    open.lj_modifier = LjModifier::none;

    EXPECT_THROW(on_ranks(2, topology, open, Box(), system.positions), InputError);
    EXPECT_THROW(
        on_ranks(2, topology, settings(Electrostatics::ewald), Box(tilted), system.positions),
        NotBuilt);
}

TEST(LoopbackTransport, AddsIntegersOverRanksAndWrapsAround)
{
    std::mutex mutex;
    std::vector<std::int64_t> seen;

    run_loopback(3, [&](Transport& transport) {
        std::int64_t value = transport.rank() == 0 ? std::numeric_limits<std::int64_t>::max() : 1;
        transport.add(std::span(&value, 1));
        const std::lock_guard lock(mutex);
        seen.push_back(value);
    });

    const std::int64_t wrapped = std::numeric_limits<std::int64_t>::min() + 1;
    EXPECT_EQ(seen, (std::vector<std::int64_t>{wrapped, wrapped, wrapped}));
}

TEST(LoopbackTransport, DeliversToEachRankWhatWasMeantForIt)
{
    std::mutex mutex;
    int wrong = 0;

    run_loopback(4, [&](Transport& transport) {
        std::vector<Transport::Bytes> to(4);
        for (std::size_t r = 0; r < 4; ++r) {
            const std::size_t length = 10 * static_cast<std::size_t>(transport.rank()) + r;
            to[r].assign(length, static_cast<std::byte>(r));
        }
        const auto from = transport.exchange(to);
        const std::lock_guard lock(mutex);
        for (std::size_t r = 0; r < 4; ++r) {
            const Transport::Bytes expected(10 * r + static_cast<std::size_t>(transport.rank()),
                                            static_cast<std::byte>(transport.rank()));
            wrong += from[r] == expected ? 0 : 1;
        }
    });

    EXPECT_EQ(wrong, 0);
}

TEST(LoopbackTransport, EndsAllRanksWhenOneThrowsAndTellsItsReason)
{
    try {
        run_loopback(3, [&](Transport& transport) {
            if (transport.rank() == 1) {
                throw InputError("the reason");
            }
            std::int64_t value = 0;
            transport.add(std::span(&value, 1));
        });
        FAIL() << "the exception was lost";
    } catch (const InputError& error) {
        EXPECT_STREQ(error.what(), "the reason");
    }
}

} // namespace
} // namespace tessera
