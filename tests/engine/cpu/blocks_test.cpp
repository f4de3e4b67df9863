#include "engine/cpu/nonbonded.hpp"
#include "engine/cpu/simd/simd_choice.hpp"
#include "tests/support/geometries.hpp"
#include "tests/support/systems.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace tessera
{
namespace
{

struct Case {
    const char* name;
    LjRule rule;
    Electrostatics electrostatics;
    int exceptions; ///< pairs of types that follow no rule
};

const Mat3 cell{{{3.6, 0, 0}, {0.9, 3.5, 0}, {-0.8, 0.7, 3.4}}};
constexpr int atoms = 1203; // the last cluster has a null

Topology mixture(const Case& c)
{
    auto table = support::mixed_table({0.25, 0.2, 0.0}, {0.65, 0.2, 0.0}); // Lorentz-Berthelot
    if (c.rule == LjRule::geometric) {
        table.c6[1] = table.c6[3] = std::sqrt(table.c6[0] * table.c6[4]);
        table.c12[1] = table.c12[3] = std::sqrt(table.c12[0] * table.c12[4]);
    }
    if (c.exceptions > 0) {
        table.c6[8] = 1e-4;
        table.c12[8] = 1e-8;
    }
    return support::mixture(atoms, table);
}

using Sums = std::vector<std::array<std::int64_t, 3>>;

class Blocks : public testing::TestWithParam<Case> {
protected:
    ~Blocks() override { use_simd_level(supported_simd_levels().back()); }

    [[nodiscard]] static NonbondedSettings settings()
    {
        NonbondedSettings s;
        s.lj_cutoff = s.coulomb_cutoff = 1.0;
        s.electrostatics = GetParam().electrostatics;
        s.ewald_beta = 3.1;
        s.pme_grid = {24, 24, 24};
        s.precision = Precision::mixed;
        return s;
    }
    [[nodiscard]] static Sums forces(Nonbonded::BlockOptions options, const std::vector<Vec3>& x,
                                     int threads = 1)
    {
        Nonbonded nonbonded(mixture(GetParam()), settings());
        EXPECT_TRUE(nonbonded.has_blocks());
        nonbonded.set_block_options(options);
        nonbonded.search(Box(cell), x);
        ForceSums sums(x.size(), SumMode::exact);
        EnergySums energies;
        nonbonded.add_forces(Box(cell), x, {false, true}, threads, sums, energies);
        EXPECT_LT(sums.out_of_range(), 0);
        return sums.fixed();
    }
    const std::vector<Vec3> x_ = support::scattered(atoms, cell, 0.2, 3);
};

TEST_P(Blocks, GiveTheSameBitsOnEveryInstructionSet)
{
    use_simd_level(supported_simd_levels().front());
    const Sums baseline = forces({}, x_);
    const Sums baseline_wide = forces({64, true}, x_);
    for (const SimdLevel level : supported_simd_levels()) {
        use_simd_level(level);
        EXPECT_EQ(forces({}, x_), baseline) << name_of(level);
        EXPECT_EQ(forces({64, true}, x_), baseline_wide) << name_of(level);
    }
}

TEST_P(Blocks, GiveTheSameBitsWhateverTheirSizeAndTheThreads)
{
    const Sums whole = forces({}, x_);
    for (const std::int32_t size : {1, 2, 5, 16, 33, 200}) {
        EXPECT_EQ(forces({size, false}, x_), whole) << size;
        EXPECT_EQ(forces({size, false}, x_, 3), whole) << size;
    }
}

/// Which tests that displacements relative to a block are exact: an accuracy test would not see it.
TEST_P(Blocks, GiveTheBitsOfIntegerDisplacementsAndWideSums)
{
    EXPECT_EQ(forces({64, true}, x_), forces({64, false}, x_));
}

TEST_P(Blocks, GiveTheSameBitsFoundFromPositionsOrMadeFromAList)
{
    EXPECT_EQ(forces({64, false, true}, x_), forces({64, false, false}, x_));
}

/// Other numbers of atoms make other clusters, roles of row and column, and orders.
TEST_P(Blocks, GiveTheSameBitsWhateverTheOrderOfAtoms)
{
    const Sums straight = forces({}, x_);
    const int molecules = atoms / 3;
    std::vector<Vec3> turned(x_.size());
    const auto place = [&](int a) {
        return static_cast<std::size_t>(3 * ((a / 3 * 7) % molecules) + a % 3);
    };
    Topology topology = mixture(GetParam());
    const std::vector<double> charge = topology.charge;
    for (int a = 0; a < atoms; ++a) {
        turned[place(a)] = x_[static_cast<std::size_t>(a)];
        topology.charge[place(a)] = charge[static_cast<std::size_t>(a)];
    }

    Nonbonded nonbonded(topology, settings());
    nonbonded.search(Box(cell), turned);
    ForceSums sums(turned.size(), SumMode::exact);
    EnergySums energies;
    nonbonded.add_forces(Box(cell), turned, {}, 1, sums, energies);

    for (int a = 0; a < atoms; ++a) {
        ASSERT_EQ(sums.fixed()[place(a)], straight[static_cast<std::size_t>(a)]) << a;
    }
}

TEST_P(Blocks, FollowFp64)
{
    const Sums mixed = forces({}, x_);
    NonbondedSettings s = settings();
    s.precision = Precision::fp64;
    Nonbonded nonbonded(mixture(GetParam()), s);
    nonbonded.search(Box(cell), x_);
    ForceSums exact(x_.size(), SumMode::exact);
    EnergySums energies;
    nonbonded.add_forces(Box(cell), x_, {}, 1, exact, energies);

    double error = 0, size = 0, largest = 0;
    for (std::size_t a = 0; a < x_.size(); ++a) {
        for (std::size_t k = 0; k < 3; ++k) {
            const double f = from_fixed(exact.fixed()[a][k], fixed::force_scale);
            const double d = from_fixed(mixed[a][k], fixed::force_scale) - f;
            error += d * d;
            size += f * f;
            largest = std::fmax(largest, std::fabs(d));
        }
    }
    EXPECT_LT(std::sqrt(error / size), 5e-6); // docs/accuracy.md
    EXPECT_LT(largest, 1e-4 * std::sqrt(size / static_cast<double>(x_.size())));
    RecordProperty("relative_rms", std::to_string(std::sqrt(error / size)));
}

INSTANTIATE_TEST_SUITE_P(
    Forms, Blocks,
    testing::Values(Case{"ewald_geometric", LjRule::geometric, Electrostatics::pme, 0},
                    Case{"ewald_mean", LjRule::lorentz_berthelot, Electrostatics::pme, 0},
                    Case{"ewald_exceptions", LjRule::lorentz_berthelot, Electrostatics::pme, 1},
                    Case{"field_mean", LjRule::lorentz_berthelot, Electrostatics::reaction_field,
                         0},
                    Case{"uncharged", LjRule::geometric, Electrostatics::none, 0}),
    [](const auto& test) { return std::string(test.param.name); });

} // namespace
} // namespace tessera
