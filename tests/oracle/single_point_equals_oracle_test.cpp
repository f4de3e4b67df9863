#include "engine/simulation/single_point.hpp"
#include "tests/oracle/evaluate.hpp"
#include "tests/support/waters.hpp"

#include <gtest/gtest.h>

// The whole potential as the engine puts it together, against the oracle's: flexible four-site
// waters with ions in a tilted cell.
namespace tessera
{
namespace
{

const Mat3 tilted = {{{1.8, 0, 0}, {0.5, 1.75, 0}, {-0.6, 0.6, 1.9}}};

NonbondedSettings settings(Electrostatics electrostatics)
{
    NonbondedSettings s;
    s.lj_cutoff = 0.75;
    s.coulomb_cutoff = 0.75;
    s.lj_modifier = LjModifier::potential_shift;
    s.dispersion_correction = DispersionCorrection::energy_and_pressure;
    s.electrostatics = electrostatics;
    s.ewald_beta = 4.2;
    return s;
}

struct Comparison {
    double forces;                                ///< relative RMS
    std::array<double, energy_kind_count> energy; ///< difference, kJ/mol
    double virial;                                ///< largest element of the difference, kJ/mol
};

Comparison compare(const support::System& system, const NonbondedSettings& s)
{
    const oracle::Answer expected =
        oracle::evaluate(system.topology, s, system.cell, system.positions);
    const auto topology = finish(system.topology);
    const SinglePoint point = single_point(topology, s, Box(system.cell), system.positions, 1);

    std::vector<Vec3> textbook;
    for (std::size_t a = 0; a < point.forces.size(); ++a) {
        textbook.push_back(expected.force(a));
    }
    Comparison c{support::relative_rms(point.forces, textbook), {}, 0};
    for (std::size_t k = 0; k < energy_kind_count; ++k) {
        c.energy[k] = std::fabs(point.sums.energy(static_cast<EnergyKind>(k)) - expected.energy[k]);
    }
    c.virial = support::largest_element(point.sums.virial() - expected.virial);
    return c;
}

double largest(const std::array<double, energy_kind_count>& values)
{
    return *std::max_element(values.begin(), values.end());
}

TEST(SinglePointCpu, EqualsTheOracleWithDirectEwald)
{
    const auto system = support::waters_and_ions(16, 3, tilted, 4);

    const Comparison c = compare(system, settings(Electrostatics::ewald));

    EXPECT_LT(c.forces, 1e-12);         // ADR 0001
    EXPECT_LT(largest(c.energy), 1e-8); // kJ/mol, of some 10^4: 1e-12 relative
    EXPECT_LT(c.virial, 1e-8);
}

TEST(SinglePointCpu, ConvergesToTheOracleWithPme)
{
    const auto system = support::waters_and_ions(16, 3, tilted, 4);
    NonbondedSettings s = settings(Electrostatics::pme);
    double last = 10;

    for (const auto& [grid, order, limit] :
         {std::tuple{16, 4, 3e-2}, std::tuple{32, 6, 5e-5}, std::tuple{64, 8, 1e-8}}) {
        s.pme_grid = {grid, grid, grid};
        s.pme_order = order;

        const Comparison c = compare(system, s);

        EXPECT_LT(c.forces, limit) << grid; // the mesh's own error, falling as (spacing)^order
        EXPECT_LT(c.forces, 0.01 * last) << grid;
        last = c.forces;
    }
}

TEST(SinglePointCpu, ConvergesToTheOracleWithPmeInEnergyAndVirial)
{
    const auto system = support::waters_and_ions(16, 3, tilted, 4);
    NonbondedSettings s = settings(Electrostatics::pme);
    s.pme_grid = {64, 64, 64};
    s.pme_order = 8;

    const Comparison c = compare(system, s);

    EXPECT_LT(largest(c.energy), 1e-6); // kJ/mol, of some 10^4: the mesh's error left at this grid
    EXPECT_LT(c.virial, 1e-5);
}

TEST(SinglePointCpu, ConvergesToTheOracleWithDispersionOnTheMesh)
{
    const auto system = support::waters_and_ions(8, 3, tilted, 6);
    for (const LjCombination mixing :
         {LjCombination::geometric, LjCombination::lorentz_berthelot}) {
        NonbondedSettings s = settings(Electrostatics::pme);
        s.dispersion_correction = DispersionCorrection::none;
        s.pme_grid = {64, 64, 64};
        s.pme_order = 8;
        s.lj_pme = true;
        s.lj_ewald_beta = 3.5;
        s.lj_combination = mixing;

        const Comparison c = compare(system, s);

        EXPECT_LT(c.forces, 1e-8); // as the finest mesh above
        EXPECT_LT(largest(c.energy), 1e-6);
        EXPECT_LT(c.virial, 1e-5);
    }
}

/// The same molecules, elsewhere in a cell beyond what doubles hold of the grid of positions, and
/// across its faces.
TEST(SinglePointCpu, EqualsTheOracleWhereverMoleculesAreInAWideCell)
{
    const Mat3 wide{{{37.25, 0, 0}, {6.5, 200.25, 0}, {-9.75, 60.5, 1000.5}}};
    support::System system = support::waters_and_ions(16, 3, tilted, 4);
    system.cell = wide;
    for (Vec3& x : system.positions) { // on a grid that doubles hold everywhere in the cell
        constexpr double steps = 1ULL << 38;
        x = (1 / steps) *
            Vec3{std::rint(x.x * steps), std::rint(x.y * steps), std::rint(x.z * steps)};
    }
    NonbondedSettings s = settings(Electrostatics::reaction_field);
    const auto topology = finish(system.topology);
    for (const Precision precision : {Precision::fp64, Precision::mixed}) {
        s.precision = precision;
        const Comparison c = compare(system, s);
        EXPECT_LT(c.forces, precision == Precision::mixed ? 1e-6 : 1e-12); // ADR 0010, 0001
        EXPECT_LT(largest(c.energy), 1e-8);

        const SinglePoint here = single_point(topology, s, Box(wide), system.positions, 1);
        for (const Vec3& shift : {Vec3{35, 0, 0}, Vec3{0, 0, 999.75}, Vec3{36.5, 199.5, 1000},
                                  wide[0] - wide[1], wide[2]}) {
            std::vector<Vec3> moved = system.positions;
            for (Vec3& x : moved) {
                x += shift;
            }
            const SinglePoint there = single_point(topology, s, Box(wide), moved, 2);

            EXPECT_EQ(there.forces, here.forces) << shift.x << " " << shift.y << " " << shift.z;
            EXPECT_EQ(there.sums.potential(), here.sums.potential());
            EXPECT_EQ(there.sums.virial(), here.sums.virial());
        }
    }
}

TEST(SinglePointCpu, NegativeControlSeesAChargeOffByOneInTenThousand)
{
    auto system = support::waters_and_ions(16, 3, tilted, 4);
    const NonbondedSettings s = settings(Electrostatics::ewald);
    const oracle::Answer expected =
        oracle::evaluate(system.topology, s, system.cell, system.positions);

    system.topology.charge[7] *= 1 + 1e-4;
    const SinglePoint point =
        single_point(finish(system.topology), s, Box(system.cell), system.positions, 1);

    EXPECT_GT(std::fabs(point.sums.potential() - expected.total()), 1e-4);
}

} // namespace
} // namespace tessera
