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
    Electrostatics electrostatics;
    LjModifier modifier;
};

const Mat3 cell{{{3.3, 0, 0}, {0.9, 3.2, 0}, {-0.8, 0.7, 3.1}}};
constexpr int atoms = 903; // the last cluster has a null

/// Three-site molecules; the pairs of types follow no rule, and the third has no Lennard-Jones.
Topology mixture()
{
    auto table = support::mixed_table({0.25, 0.2, 0.0}, {0.65, 0.2, 0.0});
    table.c6[1] = table.c6[3] *= 1.25;
    return support::mixture(atoms, table);
}

struct Result {
    ForceSums forces;
    EnergySums energies;
    friend bool operator==(const Result& a, const Result& b)
    {
        return a.forces.fixed() == b.forces.fixed() && a.energies == b.energies;
    }
};

class Doubles : public testing::TestWithParam<Case> {
protected:
    ~Doubles() override { use_simd_level(supported_simd_levels().back()); }

    struct How {
        std::int32_t largest_block = 64;
        int threads = 1;
        Precision precision = Precision::fp64;
        SumMode mode = SumMode::exact;
        Wanted wanted{true, true};
        double buffer = 0.1;
    };
    [[nodiscard]] static Result evaluate(const How& how, const std::vector<Vec3>& x)
    {
        NonbondedSettings s;
        s.lj_cutoff = s.coulomb_cutoff = 1.0;
        s.electrostatics = GetParam().electrostatics;
        s.lj_modifier = GetParam().modifier;
        s.reaction_field_permittivity = 60;
        s.ewald_beta = 3.1;
        s.pme_grid = {24, 24, 24};
        s.precision = how.precision;
        s.list_buffer = how.buffer;
        Nonbonded nonbonded(mixture(), s);
        EXPECT_TRUE(nonbonded.has_doubles());
        nonbonded.set_block_options({how.largest_block, false});
        nonbonded.search(Box(cell), x);
        Result r{ForceSums(x.size(), how.mode), {}};
        nonbonded.add_forces(Box(cell), x, how.wanted, how.threads, r.forces, r.energies);
        EXPECT_LT(r.forces.out_of_range(), 0);
        return r;
    }
    const std::vector<Vec3> x_ = support::scattered(atoms, cell, 0.19, 5);
};

TEST_P(Doubles, GiveTheSameBitsOnEveryInstructionSet)
{
    use_simd_level(supported_simd_levels().front());
    const Result baseline = evaluate({}, x_);
    for (const SimdLevel level : supported_simd_levels()) {
        use_simd_level(level);
        EXPECT_EQ(evaluate({}, x_), baseline) << name_of(level);
    }
}

TEST_P(Doubles, GiveTheSameBitsWhateverTheBlocksTheThreadsAndTheBuffer)
{
    const Result whole = evaluate({}, x_);
    for (const std::int32_t size : {1, 3, 16, 200}) {
        for (const int threads : {1, 2, 3, 8}) {
            How how;
            how.largest_block = size;
            how.threads = threads;
            how.buffer = 0.02 * threads;
            EXPECT_EQ(evaluate(how, x_), whole) << size << " " << threads;
        }
    }
}

TEST_P(Doubles, GiveTheSameForcesWithAndWithoutEnergies)
{
    How how;
    how.wanted = {false, false};
    EXPECT_EQ(evaluate(how, x_).forces.fixed(), evaluate({}, x_).forces.fixed());
}

/// Floating sums are made by batches of pairs, which share the physics' formulas alone.
TEST_P(Doubles, FollowTheBatches)
{
    const Result doubles = evaluate({}, x_);
    How how;
    how.mode = SumMode::floating;
    const Result batches = evaluate(how, x_);

    for (std::size_t a = 0; a < x_.size(); ++a) {
        // some 400 pairs an atom, each rounded to 2^-36, sizes up to 1e4 kJ/mol/nm in both
        EXPECT_LT(norm(doubles.forces.force(a) - batches.forces.force(a)), 3e-9) << a;
    }
    for (const EnergyKind kind : {EnergyKind::lj, EnergyKind::coulomb_real}) {
        const double expected = batches.energies.energy(kind);
        // 1.9e5 pairs, each rounded to 2^-40 and off by some 1e-15 of 1e3 kJ/mol
        EXPECT_NEAR(doubles.energies.energy(kind), expected, 1e-8);
    }
    for (int k = 0; k < 3; ++k) {
        EXPECT_LT(norm(doubles.energies.virial()[k] - batches.energies.virial()[k]), 1e-6);
    }
}

/// In mixed precision the energies of pairs are FP64; atoms stand where the FP32 kernel has them
/// only in the forces.
TEST_P(Doubles, GiveTheEnergiesOfMixedPrecision)
{
    How how;
    how.precision = Precision::mixed;
    const Result mixed = evaluate(how, x_), exact = evaluate({}, x_);
    for (const EnergyKind kind : {EnergyKind::lj, EnergyKind::coulomb_real}) {
        EXPECT_NEAR(mixed.energies.energy(kind), exact.energies.energy(kind), 1e-8);
    }
}

/// 0.11 nm apart: |F|/r and the energy are beyond what the kernel tells, but not beyond the grids.
TEST_P(Doubles, LeaveAllToTheBatchesWhereAPairIsBeyondTheirRange)
{
    std::vector<Vec3> x = x_;
    x[3] = x[0] + Vec3{0.11, 0, 0};
    How how;
    how.mode = SumMode::floating;
    const Result batches = evaluate(how, x), exact = evaluate({}, x);

    const Vec3 expected = batches.forces.force(0);
    ASSERT_GT(norm(expected), 1e6);
    EXPECT_LT(norm(exact.forces.force(0) - expected), 1e-12 * norm(expected));
    EXPECT_NEAR(exact.energies.energy(EnergyKind::lj) / batches.energies.energy(EnergyKind::lj),
                1.0, 1e-12);
}

/// Some 0.04 nm apart: forces of 1e12 kJ/mol/nm, which no grid holds, must be told. Of three atoms,
/// as two numbers that left 64 bits add up to nothing on each.
TEST_P(Doubles, SayThatAForceFitsNoGrid)
{
    std::vector<Vec3> x = x_;
    x[3] = x[0] + Vec3{0.02, 0.02, 0.02};
    x[6] = x[0] + Vec3{0.05, -0.01, 0.045};
    NonbondedSettings s;
    s.lj_cutoff = s.coulomb_cutoff = 1.0;
    s.electrostatics = GetParam().electrostatics;
    s.lj_modifier = GetParam().modifier;
    s.reaction_field_permittivity = 60;
    s.ewald_beta = 3.1;
    s.pme_grid = {24, 24, 24};
    Nonbonded nonbonded(mixture(), s);
    nonbonded.search(Box(cell), x);
    ForceSums forces(x.size(), SumMode::exact);
    EnergySums energies;

    nonbonded.add_forces(Box(cell), x, {false, false}, 1, forces, energies);

    EXPECT_GE(forces.out_of_range(), 0);
}

INSTANTIATE_TEST_SUITE_P(
    Forms, Doubles,
    testing::Values(Case{"ewald", Electrostatics::pme, LjModifier::potential_shift},
                    Case{"ewald_plain", Electrostatics::pme, LjModifier::none},
                    Case{"field", Electrostatics::reaction_field, LjModifier::potential_shift},
                    Case{"shifted", Electrostatics::cutoff, LjModifier::none},
                    Case{"uncharged", Electrostatics::none, LjModifier::potential_shift}),
    [](const auto& test) { return std::string(test.param.name); });

} // namespace
} // namespace tessera
