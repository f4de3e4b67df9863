#include "engine/cpu/nonbonded.hpp"
#include "tests/oracle/nonbonded.hpp"
#include "tests/support/geometries.hpp"
#include "tests/support/systems.hpp"

#include <gtest/gtest.h>

// The engine's pair kernel, with its corrections of excluded pairs and self terms, against the
// oracle: every way to cut and shift, counts of atoms around the cluster and warp sizes, tilted
// cells.
namespace tessera
{
namespace
{

using support::scattered;

/// ADR 0001: FP64 pair forces against an independent path, relative RMS.
constexpr double pair_forces = 1e-12;
/// Energies and virials are sums of some 10^3 pairs of both signs, each good to 1e-14 or so.
constexpr double pair_sums = 1e-11;

const Mat3 tilted = {{{1.9, 0, 0}, {0.5, 1.8, 0}, {-0.6, 0.7, 2.0}}};
const Mat3 cubic = {{{1.9, 0, 0}, {0, 1.9, 0}, {0, 0, 1.9}}};

NonbondedSettings base(LjModifier modifier, Electrostatics electrostatics)
{
    NonbondedSettings s;
    s.lj_cutoff = 0.8;
    s.coulomb_cutoff = 0.8;
    s.lj_modifier = modifier;
    s.lj_switch = 0.6;
    s.electrostatics = electrostatics;
    s.ewald_beta = 3.9;
    return s;
}

struct Case {
    const char* name;
    NonbondedSettings settings;
    bool ions_12_6_4 = false;
    bool open = false;
};

std::vector<Case> cases()
{
    using M = LjModifier;
    using E = Electrostatics;
    std::vector<Case> list;
    list.push_back({"PlainLj", base(M::none, E::none)});
    list.push_back({"ShiftedEwald", base(M::potential_shift, E::ewald)});
    list.push_back({"ForceSwitchReactionField", base(M::force_switch, E::reaction_field)});
    list.push_back({"PotentialSwitchCutOff", base(M::potential_switch, E::cutoff)});
    list.push_back({"Ions1264", base(M::none, E::ewald), true});
    list.push_back({"ConductingField", base(M::none, E::reaction_field)});
    list.back().settings.reaction_field_permittivity = std::numeric_limits<double>::infinity();
    list.push_back({"ShiftedCutOff", base(M::potential_shift, E::cutoff)});
    list.back().settings.coulomb_potential_shift = true;
    list.push_back({"ShiftedEwaldPotential", base(M::none, E::ewald)});
    list.back().settings.coulomb_potential_shift = true;
    list.push_back({"TwoCutOffs", base(M::potential_shift, E::ewald)});
    list.back().settings.lj_cutoff = 0.7;
    list.push_back({"LjPmeGeometric", base(M::potential_shift, E::ewald)});
    list.back().settings.lj_pme = true;
    list.back().settings.lj_ewald_beta = 3.5;
    list.push_back(list.back());
    list.back().name = "LjPmeLorentzBerthelot";
    list.back().settings.lj_combination = LjCombination::lorentz_berthelot;
    list.push_back({"OpenSpace", base(M::none, E::cutoff), false, true});
    list.back().settings.lj_cutoff = std::numeric_limits<double>::infinity();
    list.back().settings.coulomb_cutoff = std::numeric_limits<double>::infinity();
    return list;
}

Topology mixture(std::size_t atoms, bool ions)
{
    std::vector<double> charge;
    std::vector<std::int32_t> type;
    support::Dice dice(31);
    for (std::size_t a = 0; a < atoms; ++a) {
        charge.push_back(dice.between(-1, 1)); // a net charge remains: on purpose
        type.push_back(static_cast<std::int32_t>(a % 3));
    }
    Topology t =
        support::free_atoms(charge, type, support::mixed_table({0.22, 0.28, 0.0}, {0.6, 0.3, 0.0}));
    if (ions) {
        for (int k = 0; k < 9; ++k) {
            t.pairs.c4.push_back(k == 0 ? 0.05 : (k % 3 == 1 ? 0.01 : 0.0));
        }
        t.pairs.c4[3] = t.pairs.c4[1]; // symmetric
        t.pairs.c4[5] = t.pairs.c4[7];
    }
    std::vector<std::array<std::int32_t, 2>> excluded;
    for (std::int32_t a = 0; a + 1 < t.atoms(); a += 3) {
        excluded.push_back({a, a + 1});
        if (a + 2 < t.atoms()) {
            excluded.push_back({a, a + 2});
        }
    }
    support::exclude(t, excluded);
    return t;
}

class NonbondedCpu : public testing::TestWithParam<std::tuple<Case, std::size_t>> {};

TEST_P(NonbondedCpu, EqualsTheOracle)
{
    const auto& [c, atoms] = GetParam();
    for (const Mat3& h : {tilted, cubic}) {
        const Topology t = mixture(atoms, c.ions_12_6_4);
        const Box box = c.open ? Box() : Box(h);
        const oracle::Cell cell = c.open ? oracle::Cell() : oracle::Cell(h);
        const std::vector<Vec3> x = scattered(atoms, h, 0.2, 7);
        oracle::Answer expected(atoms);
        ForceSums forces(atoms, SumMode::floating);
        EnergySums sums;

        oracle::add_pairs(expected, t, c.settings, cell, x);
        Nonbonded nonbonded(t, c.settings);
        nonbonded.search(box, x);
        nonbonded.add_forces(box, x, {true, true}, 1, forces, sums);

        std::vector<Vec3> engine;
        std::vector<Vec3> textbook;
        for (std::size_t a = 0; a < atoms; ++a) {
            engine.push_back(forces.force(a));
            textbook.push_back(expected.force(a));
        }
        EXPECT_LT(support::relative_rms(engine, textbook), pair_forces);
        for (const EnergyKind kind : {EnergyKind::lj, EnergyKind::coulomb_real}) {
            EXPECT_NEAR(sums.energy(kind), expected.of(kind),
                        pair_sums * (1 + std::fabs(expected.of(kind))));
        }
        EXPECT_LT(support::largest_element(sums.virial() - expected.virial),
                  pair_sums * (1 + support::largest_element(expected.virial)));
    }
}

INSTANTIATE_TEST_SUITE_P(AllWaysToCut, NonbondedCpu,
                         testing::Combine(testing::ValuesIn(cases()),
                                          testing::Values(1, 3, 5, 63, 64, 65)),
                         [](const auto& test) {
                             return std::string(std::get<0>(test.param).name) +
                                    std::to_string(std::get<1>(test.param));
                         });

} // namespace
} // namespace tessera
